"""The kernel layer: numbers, filters, Landlock, cgroups, probe."""

import json
import os
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.errors import InputError, SandboxUnavailable
from assay.sandbox.local import cgroups
from assay.sandbox.local.identities import slot_identity
from assay.sandbox.local.machine import FLAGS, MODES, SLOT_FOLDER, Machine, choose, interpreter, machine
from assay.sandbox.local.slot import hostscratch, numbers


def test_the_probe_prints_what_it_tried_as_json() -> None:
    boot = f"import sys; sys.path.insert(0, {SLOT_FOLDER!r}); from slot import probe; probe.main()"
    done = subprocess.run([interpreter(), *FLAGS, "-c", boot], capture_output=True, text=True, check=True)
    findings = json.loads(done.stdout)
    assert {"root", "seccomp", "landlock", "user_namespaces", "root_namespaces", "change_identity"} <= findings.keys()
    assert findings["root"] is (os.geteuid() == 0)
    assert findings == machine().findings


def made(root: bool, **findings: object) -> Machine:
    return Machine({"root": root, **findings}, cgroups.Place(1, "/m", "/p") if findings.get("cgroup") else None)


@pytest.mark.parametrize(
    ("here", "modes"),
    [
        (
            made(True, seccomp=True, landlock=7, root_namespaces=True, change_identity=True, cgroup=True),
            ["A", "B", "C"],
        ),
        (made(True, seccomp=True, landlock=7, root_namespaces=True, change_identity=True), ["B", "C"]),
        (made(False, seccomp=True, landlock=7, root_namespaces="no", user_namespaces=True), ["B", "D"]),
        (made(False, seccomp=True, landlock="no", root_namespaces="no", user_namespaces=True), ["B"]),
        (made(True, seccomp=True, landlock=7, root_namespaces="no", user_namespaces="no", change_identity=True), ["C"]),
        (made(False, seccomp=True, landlock=7, root_namespaces="no", user_namespaces="no"), ["D"]),
        (made(True, seccomp="no", landlock=7, root_namespaces=True, cgroup=True), ["E"]),
        (made(False, seccomp=True, landlock="no", root_namespaces="no", user_namespaces="no"), ["E"]),
        (made(False, system="darwin is not Linux"), ["E"]),
    ],
)
def test_what_works_decides_the_mode(here: Machine, modes: list[str]) -> None:
    assert here.modes == modes
    assert here.missing(modes[-1])
    assert bool(here.enforced(modes[0])) is (modes != ["E"])


def test_a_machine_that_can_isolate_nothing_is_refused_with_reasons_and_ways_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = made(False, seccomp="Function not implemented", landlock="no", root_namespaces="not root")
    monkeypatch.setattr("assay.sandbox.local.machine.machine", lambda: bare)
    with pytest.raises(SandboxUnavailable) as caught:
        choose("auto")
    for words in ("cannot isolate programs", "seccomp: Function not implemented", "run as root", "assay doctor"):
        assert words in str(caught.value)
    with pytest.raises(
        SandboxUnavailable, match=r"cannot isolate programs in mode A \(namespaces, seccomp and a cgroup"
    ):
        choose("A")
    assert choose("auto", unsafe_allow_unisolated=True) == "E"
    with pytest.raises(SandboxUnavailable, match="programs in mode E"):
        choose("E")


def test_an_unknown_mode_is_an_input_error() -> None:
    with pytest.raises(InputError, match="sandbox mode is 'Z'; expected 'auto' or one of A, B, C, D, E"):
        choose("Z")
    assert list(MODES) == ["A", "B", "C", "D", "E"]


def hierarchy(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")


@pytest.fixture
def kernel_fills_new_cgroups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new folder below one with `subtree` files has those files, as the kernel does it."""
    make, remove = os.mkdir, os.rmdir

    def mkdir(path: str, mode: int = 0o777) -> None:
        make(path, mode)
        for offered in Path(path).parent.glob("offers-*"):
            (Path(path) / offered.name.removeprefix("offers-")).write_text("")

    def rmdir(path: str) -> None:
        for file in Path(path).iterdir():
            file.unlink()
        remove(path)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.setattr(os, "rmdir", rmdir)


@pytest.mark.usefixtures("kernel_fills_new_cgroups")
def test_cgroups_of_version_2_are_made_in_the_nearest_folder_that_offers_both_controllers(tmp_path: Path) -> None:
    hierarchy(tmp_path / "cgroup" / "system" / "job", "offers-pids.max")
    hierarchy(tmp_path / "cgroup" / "system", "offers-pids.max", "offers-memory.max")
    (tmp_path / "own").write_text("0::/system/job\n")
    place = cgroups.find(str(tmp_path / "cgroup"), str(tmp_path / "own"))
    folder = f"{tmp_path}/cgroup/system"
    assert place == cgroups.Place(2, folder, folder, folder)
    assert place.plan(12, 3, 64) == {f"{folder}/assay-12-3": {"pids.max": "64"}}
    assert sorted(os.listdir(folder)) == ["job", "offers-memory.max", "offers-pids.max"]  # the trial is gone


@pytest.mark.usefixtures("kernel_fills_new_cgroups")
def test_cgroups_of_version_1_have_a_folder_for_each_controller(tmp_path: Path) -> None:
    hierarchy(tmp_path / "cgroup" / "memory" / "box", "offers-memory.limit_in_bytes")
    hierarchy(tmp_path / "cgroup" / "pids", "offers-pids.max")
    (tmp_path / "own").write_text("8:pids:/\n4:memory:/box\n1:cpu,cpuacct:/\n0::/\n")
    place = cgroups.find(str(tmp_path / "cgroup"), str(tmp_path / "own"))
    assert place == cgroups.Place(1, f"{tmp_path}/cgroup/memory/box", f"{tmp_path}/cgroup/pids")
    assert list(place.plan(1, 2, 9).values()) == [{}, {"pids.max": "9"}]
    hierarchy(tmp_path / "cgroup" / "cpuacct", "offers-cpuacct.usage")
    place = cgroups.find(str(tmp_path / "cgroup"), str(tmp_path / "own"))
    assert place is not None
    assert place.cpu == f"{tmp_path}/cgroup/cpuacct"
    assert list(place.plan(1, 2, 9).values()) == [{}, {"pids.max": "9"}, {}]
    assert place.folders(1, 2)[2] == f"{place.cpu}/assay-1-2"


def test_without_cgroups_there_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("0::/\n")
    assert cgroups.find(str(tmp_path / "absent"), str(tmp_path / "own")) is None
    assert cgroups.find(str(tmp_path), str(tmp_path / "nothing")) is None


@pytest.mark.parametrize("version", [1, 2])
def test_memory_limits_are_written_as_each_version_wants(tmp_path: Path, version: int) -> None:
    names = (
        ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes") if version == 1 else ("memory.max", "memory.swap.max")
    )
    place = cgroups.Place(version, str(tmp_path), str(tmp_path))
    hierarchy(tmp_path, *names)
    (tmp_path / ("memory.usage_in_bytes" if version == 1 else "memory.current")).write_text("4096\n")
    place.set_memory(str(tmp_path), 1000)
    assert [(tmp_path / name).read_text() for name in names] == ["1000", "1000" if version == 1 else "0"]
    assert place.memory_used(str(tmp_path)) == 4096


def test_slots_have_identities_that_no_account_has() -> None:
    found = {slot_identity(pid, number) for pid in (1, 77, 4_000_000) for number in range(5)}
    assert len(found) == 15
    with open("/proc/self/uid_map") as file:
        whole = file.read().split() == ["0", "0", "4294967295"]
    if whole:
        assert all(0x70000000 <= identity < 0xB0000000 for identity in found)


def test_this_kernel_is_one_the_sandbox_knows() -> None:
    assert (numbers.MACHINE in numbers.AUDIT_ARCHITECTURES) is (
        platform.machine().lower() in ("x86_64", "amd64", "aarch64", "arm64")
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda work: (work / "left").write_text("for the next run"),
        lambda work: work.chmod(0),
        lambda work: (work.rmdir(), work.mkdir(), (work / "left").symlink_to("/")),
    ],
)
def test_what_a_run_leaves_is_seen_though_the_clock_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    """As before Linux 6.13, where a folder that is changed twice within milliseconds bears one time."""
    real = os.lstat

    def lstat(path: str) -> SimpleNamespace:
        found = real(path)
        return SimpleNamespace(st_ctime_ns=0, st_ino=found.st_ino, st_mode=found.st_mode)

    hostscratch.make(str(tmp_path), None)
    with monkeypatch.context() as patched:
        patched.setattr("assay.sandbox.local.slot.filesystem.os.lstat", lstat)
        scratch = hostscratch.HostScratch(str(tmp_path), None, lambda: None)
        assert not scratch.prepare(0, 0)
        change(tmp_path / hostscratch.RUN / "work")
        assert scratch.prepare(0, 0)
        assert not scratch.prepare(0, 0)
    assert list((tmp_path / hostscratch.RUN / "work").iterdir()) == []
    for left in (tmp_path / hostscratch.TRASH).iterdir():
        left.chmod(0o700)
