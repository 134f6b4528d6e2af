"""The contract of a sandbox where root or namespaces are missing; test_other_users.py runs it in a subprocess."""

import os
import tempfile
from pathlib import Path

import pytest

from assay.sandbox import Program, Status, open_sandbox
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.conformance import LocalConformance
from assay.sandbox.local.machine import machine

PROGRAMS = Path(__file__).parents[1] / "data" / "sandbox"


class TestModeB(LocalConformance):
    programs = PROGRAMS
    mode = "B"


class TestModeC(LocalConformance):
    programs = PROGRAMS
    mode = "C"


class TestModeD(LocalConformance):
    programs = PROGRAMS
    mode = "D"


@pytest.mark.parametrize("mode", ["C", "D"])
def test_mode_with_a_folder_gives_every_run_a_clean_one(mode: str) -> None:
    if mode not in machine().modes:
        pytest.skip(f"mode {mode} is not to be had here")
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        os.chmod(name, 0o755)
        folder_is_clean(mode, Path(name))


def folder_is_clean(mode: str, tmp_path: Path) -> None:
    honest = Program("import tempfile; open('x', 'w').write('x'); tempfile.mkdtemp(); print(open('x').read())")
    look = Program("import os; print(os.listdir('.'), os.listdir(os.environ['TMPDIR']))")
    attack = (PROGRAMS / "more_attacks" / "a21_scratch_folders.py").read_text()
    with open_sandbox("local", slots=1, mode=mode, scratch_folder=str(tmp_path)) as sandbox:
        for program, output in ((honest, b"x\n"), (Program(attack), None), (look, b"[] []\n"), (honest, b"x\n")):
            [execution] = sandbox.run([program])
            assert execution.status is (Status.OK if output else Status.NONZERO_EXIT), execution
            assert output in (None, execution.stdout)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["B", "C", "D"])
def test_the_mode_found_is(mode: str) -> None:
    with open_sandbox() as sandbox:
        assert isinstance(sandbox, LocalSandbox)
        assert sandbox.mode == mode
        assert sandbox.run([Program("print(6*7)")])[0].stdout == b"42\n"


def test_the_user_is_the_one_that_was_asked_for() -> None:
    assert os.getuid() == int(os.environ["ASSAY_TEST_USER"])
