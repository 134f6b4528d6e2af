"""The contract of a sandbox where root or namespaces are missing; test_other_users.py runs it in a subprocess."""

import os
from pathlib import Path
from typing import ClassVar

import pytest

from assay.sandbox import Limits, Program, Sandbox, Status, open_sandbox
from assay.sandbox.conformance import SandboxConformance
from assay.sandbox.local.census import strays
from assay.sandbox.local.machine import machine

NO_FILES = "without a scratch folder on a small tmpfs no files can be written in this mode"
NO_PROCESSES = "this mode allows no processes beside the first"


class Local(SandboxConformance):
    """One mode of the local sandbox."""

    programs = Path(__file__).parents[1] / "data" / "sandbox"
    attack_limits = Limits(cpu_seconds=1, wall_seconds=1.5, processes=64)
    mode: ClassVar[str]
    scratch: ClassVar[str | None] = None

    def open(self) -> Sandbox:
        if self.mode not in machine().modes:
            pytest.skip(f"mode {self.mode} is not to be had here; this machine and user have {machine().modes}")
        return open_sandbox("local", slots=1, mode=self.mode, scratch_folder=self.scratch)

    def survivors(self) -> list[str]:
        return strays()


class TestModeB(Local):
    mode = "B"


class TestModeC(Local):
    mode = "C"
    uncovered: ClassVar[dict[str, str]] = {
        "p09_multiprocessing": NO_FILES,
        "p10_tempfiles": NO_FILES,
        "q02_process_pool": NO_FILES,
        "q06_sqlite_and_gzip": NO_FILES,
    }


class TestModeD(Local):
    mode = "D"
    uncovered: ClassVar[dict[str, str]] = {
        "p09_multiprocessing": NO_PROCESSES,
        "p10_tempfiles": NO_FILES,
        "p16_subprocess": NO_PROCESSES,
        "q01_asyncio": NO_PROCESSES,
        "q02_process_pool": NO_PROCESSES,
        "q06_sqlite_and_gzip": NO_FILES,
        "q07_pipes_and_fork": NO_PROCESSES,
    }


@pytest.mark.parametrize("mode", ["C", "D"])
def test_mode_with_a_folder_gives_every_run_a_clean_one(mode: str, tmp_path: Path) -> None:
    if mode not in machine().modes:
        pytest.skip(f"mode {mode} is not to be had here")
    tmp_path.chmod(0o755)
    honest = Program("import tempfile; open('x', 'w').write('x'); tempfile.mkdtemp(); print(open('x').read())")
    look = Program("import os; print(os.listdir('.'), os.listdir(os.environ['TMPDIR']))")
    attack = (Path(__file__).parents[1] / "data" / "sandbox" / "more_attacks" / "a21_scratch_folders.py").read_text()
    with open_sandbox("local", slots=1, mode=mode, scratch_folder=str(tmp_path)) as sandbox:
        for program, output in ((honest, b"x\n"), (Program(attack), None), (look, b"[] []\n"), (honest, b"x\n")):
            [execution] = sandbox.run([program])
            assert execution.status is (Status.OK if output else Status.NONZERO_EXIT), execution
            assert output in (None, execution.stdout)
    assert list(tmp_path.iterdir()) == []


def test_the_user_is_the_one_that_was_asked_for() -> None:
    assert os.getuid() == int(os.environ["ASSAY_TEST_USER"])
