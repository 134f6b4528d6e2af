"""Folders and disks of the local sandbox: clean for every run, bounded, and gone in the end."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.sandbox import Limits, Program, Status
from assay.sandbox.local import LocalSandbox, profiles
from assay.sandbox.local.machine import machine
from assay.sandbox.local.slot import kernel

pytestmark = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")


ANSWER = Program("print(6*7)")
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


def works(sandbox: LocalSandbox) -> bool:
    return all((e.status, e.stdout) == (Status.OK, b"42\n") for e in sandbox.run([ANSWER] * 4))


@pytest.mark.skipif("C" not in machine().modes, reason="mode C is not to be had here")
def test_a_folder_on_the_host_is_clean_for_every_run_and_gone_in_the_end(until: Until) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        os.chmod(name, 0o755)
        folder_is_clean(Path(name), until)


def folder_is_clean(tmp_path: Path, until: Until) -> None:
    write = Program("import os\nos.makedirs('a/b'); open('a/b/c', 'w').write('x'); open('/etc/x', 'w') if 0 else None")
    look = Program("import os; print(os.listdir('.'))")
    outside = Program(f"open({str(tmp_path / 'outside')!r}, 'w')")
    with LocalSandbox(slots=1, mode="C", scratch_folder=str(tmp_path)) as one:
        for _ in range(3):
            assert [e.status for e in one.run([write])] == [Status.OK]
            assert one.run([look])[0].stdout == b"[]\n"
        assert b"Permission denied" in one.run([outside])[0].stderr
        trash = next(tmp_path.glob("assay-*/trash"))
        until(lambda: not list(trash.iterdir()))
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_fills_its_disk_is_told_so_and_the_next_finds_it_empty(sandbox: LocalSandbox) -> None:
    if sandbox.mode not in "AB":
        pytest.skip("without namespaces programs write no files")
    fill = "f = open('x', 'wb')\nwhile True: f.write(b'x' * 65536); f.flush()"
    many = "import os\nfor n in range(10**6): open(f'f{n}', 'w').close()"
    files = "[e.name for e in os.scandir(f) if not e.is_symlink()]"
    look = Program(f"import os; print(*({files} for f in ('.', '/tmp', '/dev/shm')))")
    limits = Limits(cpu_seconds=20, scratch_bytes=4 << 20, scratch_inodes=100)
    for source in (fill, many):
        [execution, after] = [sandbox.run([program], limits)[0] for program in (Program(source), look)]
        assert execution.status is Status.DISK_LIMIT, execution
        assert after.stdout == b"[] [] []\n"


def test_a_run_finds_no_trace_of_an_earlier_one_in_its_folders(sandbox: LocalSandbox) -> None:
    if sandbox.mode not in "AB":
        pytest.skip("without namespaces programs write no files")
    with LocalSandbox(slots=1) as one:
        state = Program("import os; print([oct(os.stat(p).st_mode) for p in ('.', '/tmp', '/dev/shm')])")
        [clean] = one.run([state])
        for source in ("import os; os.chmod('/tmp', 0o700)", "open('a', 'w').close(); import os; os.unlink('a')"):
            one.run([Program(source)])
            assert one.run([state])[0].stdout == clean.stdout
        [stamp] = one.run([Program("import os; print(os.stat('.').st_mtime_ns)")])
        one.run([Program("open('a', 'w').close(); import os; os.unlink('a')")])
        [later] = one.run([Program("import os; print(os.stat('.').st_mtime_ns)")])
        assert later.stdout != stamp.stdout  # a new folder, not the one that was used


@pytest.mark.skipif("C" not in machine().modes, reason="mode C is not to be had here")
def test_a_full_disk_of_the_host_is_our_failure() -> None:
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        os.chmod(name, 0o755)
        kernel.mount("tmpfs", name, "tmpfs", 0, "size=64k,nr_inodes=40,mode=0755")
        try:
            with LocalSandbox(slots=1, mode="C", scratch_folder=name) as one:
                assert works(one)
                one._pool._idle["light"].pop().close()
                for number in range(40):
                    with contextlib.suppress(OSError):
                        Path(name, f"full-{number}").write_bytes(b"x" * 4096)
                [execution] = one.run([ANSWER])
                assert execution.status is Status.SANDBOX_ERROR
                assert "No space left on device" in execution.reason
                for path in Path(name).glob("full-*"):
                    path.unlink()
                assert works(one)
        finally:
            kernel.unmount(name)


def test_a_folder_that_slots_cannot_use_is_refused() -> None:
    modes = machine().modes
    if "C" not in modes and "D" not in modes:
        pytest.skip("only the modes without namespaces take a folder")
    mode = "C" if "C" in modes else "D"
    with pytest.raises(InputError, match="expected the absolute path of a folder that exists"):
        LocalSandbox(mode=mode, scratch_folder="/no/such/folder")
    with pytest.raises(InputError, match="expected the absolute path of a folder that exists"):
        LocalSandbox(mode=mode, scratch_folder="folder")
    if modes[0] in "AB":
        with pytest.raises(InputError, match=f"mode {modes[0]} has scratch of its own; leave it out"):
            LocalSandbox(scratch_folder="/")
    if mode == "C":
        with tempfile.TemporaryDirectory() as closed, pytest.raises(InputError, match=f"cannot enter {closed}; choose"):
            LocalSandbox(mode=mode, scratch_folder=closed)


def test_packages_below_tmp_are_found_there_and_tmp_stays_the_programs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment may lie anywhere."""
    if machine().modes[0] not in "AB":
        pytest.skip("without namespaces the host's folders are where they are")
    own = profiles._package_folders()
    with tempfile.TemporaryDirectory(prefix="assay-test-", dir="/tmp") as name:
        folder = Path(name)
        (folder / "packages").mkdir()
        (folder / "packages" / "carried.py").write_text("value = 42")
        (folder / "secret").write_text("of the host")
        folder.chmod(0o755)
        monkeypatch.setattr(profiles, "_package_folders", lambda: [*own, str(folder / "packages")])
        profiles.profile.cache_clear()
        source = f"""
import carried, os
open("/tmp/mine", "w").close()
print(carried.value, os.path.exists({str(folder / "secret")!r}) and open({str(folder / "secret")!r}).read())
"""
        try:
            with LocalSandbox(slots=1) as sandbox:
                [execution] = sandbox.run([Program(source)])
            assert execution.stdout == b"42 False\n", execution
        finally:
            profiles.profile.cache_clear()
