"""The contract of a sandbox where root or namespaces are missing; test_other_users.py runs it in a subprocess."""

import os
import tempfile
from pathlib import Path

import pytest

from assay.sandbox import Program, Status, open_sandbox
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.conformance import LocalConformance
from assay.sandbox.local.machine import Machine, machine

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


@pytest.mark.parametrize("mode", ["D"])
def test_files_of_the_own_user_keep_their_metadata(mode: str) -> None:
    attack = (PROGRAMS / "more_attacks" / "a28_metadata.py").read_text()
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name, LocalSandbox(slots=1, mode=mode) as sandbox:
        mine = Path(name, "mine")
        mine.write_text("mine")
        before = mine.stat(), Path(name).stat()
        source = attack.replace("HOST = [", f"HOST = [{str(mine)!r}, {name!r}, ")
        [execution] = sandbox.run([Program(source)])
        assert (mine.stat(), Path(name).stat()) == before
        assert [slot.runs for slot in sandbox._pool.idle()] == [3]  # two of the self-test, and this one
    assert execution.status is Status.OK, execution
    assert b"BREACH" not in execution.stdout
    assert execution.stdout.count(b"held times /") == 11, execution


@pytest.mark.parametrize("mode", ["C", "D"])
def test_what_writes_files_runs_in_a_folder(mode: str) -> None:
    source = (PROGRAMS / "honest" / "p10_tempfiles.py").read_text()
    more = """
import gzip, os, pathlib, shutil, sqlite3, tarfile, zipfile
pathlib.Path("a").touch(); pathlib.Path("a").touch()
with zipfile.ZipFile("a.zip", "w") as file: file.write("a")
zipfile.ZipFile("a.zip").extractall("zip")
with tarfile.open("a.tar", "w") as file: file.add("a")
tarfile.open("a.tar").extractall("tar")
shutil.copyfile("a", "b"); shutil.move("b", "c"); shutil.rmtree("zip")
with sqlite3.connect("a.db") as base: base.execute("create table x (y)")
for change in (lambda: os.utime("a"), lambda: shutil.copy2("a", "d")):
    try: change()
    except PermissionError: pass
print(sorted(os.listdir(".")))
"""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        os.chmod(name, 0o755)
        with open_sandbox("local", slots=1, mode=mode, scratch_folder=name) as sandbox:
            honest, files = sandbox.run(
                [Program(source, stdin=(PROGRAMS / "honest" / "p10_tempfiles.in").read_bytes()), Program(more)]
            )
    assert honest.stdout == (PROGRAMS / "honest" / "p10_tempfiles.out").read_bytes(), honest
    assert files.stdout.startswith(b"['a', 'a.db', 'a.tar', 'a.zip', 'c', 'd', 'tar']"), files


@pytest.mark.parametrize("mode", ["B"])
def test_slot_outlives_every_signal_where_landlock_keeps_none_in(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = machine().findings | {"landlock": "an old kernel's"}
    old = Machine(findings, machine().cgroup)
    for module in ("machine", "sandbox", "slots"):
        monkeypatch.setattr(f"assay.sandbox.local.{module}.machine", lambda: old)
    attack = (PROGRAMS / "more_attacks" / "a27_signals_to_the_first_process.py").read_text()
    with LocalSandbox(slots=1, mode=mode) as sandbox:
        [execution] = sandbox.run([Program(attack)])
        assert (execution.status, execution.stdout) == (Status.OK, b"END\n"), execution
        assert "landlock" not in execution.enforced
        assert [slot.runs for slot in sandbox._pool.idle()] == [3]  # two of the self-test, and this one


@pytest.mark.parametrize("mode", ["B", "C", "D"])
def test_the_mode_found_is(mode: str) -> None:
    with open_sandbox() as sandbox:
        assert isinstance(sandbox, LocalSandbox)
        assert sandbox.mode == mode
        assert sandbox.run([Program("print(6*7)")])[0].stdout == b"42\n"


def test_the_user_is_the_one_that_was_asked_for() -> None:
    assert os.getuid() == int(os.environ["ASSAY_TEST_USER"])
