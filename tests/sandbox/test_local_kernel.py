"""The kernel layer: numbers, filters, Landlock, cgroups, probe."""

import json
import os
import platform
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.errors import InputError, SandboxUnavailable
from assay.sandbox.local import cgroups
from assay.sandbox.local.identities import slot_identity
from assay.sandbox.local.machine import FLAGS, MODES, SLOT_FOLDER, Machine, choose, interpreter, machine
from assay.sandbox.local.slot import bpf, hostscratch, numbers, seccomp

X86_HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
GENERIC_HEADER = Path("/usr/include/asm-generic/unistd.h")


def test_the_numbers_of_x86_64_are_those_of_the_kernels_header() -> None:
    if not X86_HEADER.exists():
        pytest.skip(f"no {X86_HEADER} on this machine")
    header = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR_(\w+)\s+(\d+)", X86_HEADER.read_text())}
    ours = numbers.numbers("x86_64")
    assert len(ours) > 200
    assert {name: header.get(name, number) for name, number in ours.items()} == ours


def test_the_numbers_of_aarch64_are_those_of_the_generic_header() -> None:
    if not GENERIC_HEADER.exists():
        pytest.skip(f"no {GENERIC_HEADER} on this machine")
    text = GENERIC_HEADER.read_text()
    header = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    # On 64-bit machines the 3264 numbers go by these names.
    header |= {"newfstatat": header["fstatat"], "fadvise64": header["fadvise64"]}
    ours = numbers.numbers("aarch64")
    assert len(ours) > 170
    assert {name: header.get(name, number) for name, number in ours.items()} == ours
    assert "open" not in ours
    assert numbers.numbers("riscv64") == {}


def instructions(code: bytes) -> list[tuple[int, int, int, int]]:
    return [struct.unpack_from("HBBI", code, offset) for offset in range(0, len(code), 8)]


def interpret(code: bytes, number: int, *arguments: int, architecture: int = 0xC000003E) -> int:
    """What a filter answers: a small BPF machine, after the kernel's Documentation/networking/filter.rst."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(arguments + (0,) * (6 - len(arguments))))
    program, at, accumulator = instructions(code), 0, 0
    while True:
        operation, if_true, if_false, value = program[at]
        at += 1
        if operation == 0x20:
            [accumulator] = struct.unpack_from("<I", data, value)
        elif operation == 0x54:
            accumulator &= value
        elif operation == 0x06:
            return value
        else:
            tests = {0x15: accumulator == value, 0x35: accumulator >= value, 0x25: accumulator > value}
            at += if_true if tests.get(operation, bool(accumulator & value)) else if_false


ALLOW, KILL = 0x7FFF0000, 0x80000000


def refused(answer: int) -> bool:
    return answer & 0xFFFF0000 == 0x00050000


@pytest.mark.skipif(numbers.MACHINE != "x86_64", reason="the numbers below are those of x86-64")
def test_the_long_filter_allows_and_refuses_what_it_should() -> None:
    code = seccomp.slot_filter(sockets=True)
    n = numbers.NUMBERS
    assert interpret(code, n["read"]) == ALLOW
    assert interpret(code, n["read"], architecture=0x40000003) == KILL  # 32-bit calls
    assert refused(interpret(code, n["read"] | 0x40000000))  # x32 calls
    unlisted = {"io_uring_setup": 425, "userfaultfd": 323, "bpf": 321, "keyctl": 250, "add_key": 248, "shmget": 29}
    unlisted |= {
        "ptrace": 101,
        "process_vm_readv": 310,
        "unshare": 272,
        "setns": 308,
        "memfd_create": 319,
        "mq_open": 240,
    }
    unlisted |= {
        "kexec_load": 246,
        "init_module": 175,
        "perf_event_open": 298,
        "vmsplice": 278,
        "sync": 162,
        "chroot": 161,
    }
    for name, number in unlisted.items():
        assert refused(interpret(code, number)), name
    assert refused(interpret(code, 5000))
    for family, allowed in {1: True, 2: False, 10: False, 16: False, 17: False, 38: False, 40: False}.items():
        assert (interpret(code, n["socket"], family) == ALLOW) is allowed
    assert refused(interpret(seccomp.slot_filter(sockets=False), n["socket"], 1))
    assert interpret(code, n["clone"], 0x3D0F00) == ALLOW
    assert refused(interpret(code, n["clone"], 0x10000000 | 17))
    assert refused(interpret(code, n["clone3"]))
    assert interpret(code, n["ioctl"], 0, 0x5401) == ALLOW
    assert refused(interpret(code, n["ioctl"], 0, 0x5412))  # TIOCSTI
    assert interpret(code, n["prlimit64"], 0, 7) == ALLOW
    assert refused(interpret(code, n["prlimit64"], 1, 7))
    assert refused(interpret(code, n["sched_setscheduler"], 1))
    assert interpret(code, n["setpriority"], 0, 0, 5) == ALLOW
    assert refused(interpret(code, n["setpriority"], 0, 1, 5))
    assert refused(interpret(code, n["setpriority"], 2, 0, 5))
    assert interpret(code, n["fcntl"], 3, 4) == ALLOW
    for command in (
        5,
        8,
        16,
        36,
        37,
        38,
        1024,
        1026,
        1031,
        1033,
        1036,
    ):  # queries of locks, owners, leases, sizes, hints
        assert refused(interpret(code, n["fcntl"], 3, command)), command
    assert interpret(code, n["fcntl"], 3, 6) == ALLOW  # F_SETLK, as on files of one's own
    assert interpret(code, n["flock"], 3, 2) == 0x00050000 | 38  # as a file system answers that has no such locks
    assert interpret(code, n["setsockopt"], 3, 1, 2) == ALLOW
    assert refused(interpret(code, n["setsockopt"], 3, 1, 7))  # SO_SNDBUF
    assert refused(interpret(code, n["prctl"], 22))  # PR_SET_SECCOMP


@pytest.mark.skipif(numbers.MACHINE != "x86_64", reason="the numbers below are those of x86-64")
def test_the_short_filter_takes_away_what_only_setting_up_needs() -> None:
    n = numbers.NUMBERS
    plain = seccomp.run_filter(fork=True, execute=True, shared_memory=True, own_signals=None)
    for name in (
        "mount",
        "umount2",
        "setresuid",
        "setresgid",
        "setgroups",
        "capset",
        "seccomp",
        "landlock_restrict_self",
    ):
        assert refused(interpret(plain, n[name])), name
    assert refused(interpret(plain, n["splice"]))
    for name in ("read", "fork", "execve", "kill", "clone", "rt_sigaction"):
        assert interpret(plain, n[name]) == ALLOW
    uncounted = seccomp.run_filter(
        fork=True, execute=True, shared_memory=True, own_signals=None, ignores_children=False
    )
    for pointer, allowed in {0: True, 0x7FFF: False, 1 << 32: False}.items():
        assert (interpret(uncounted, n["rt_sigaction"], 17, pointer) == ALLOW) is allowed
        assert interpret(uncounted, n["rt_sigaction"], 10, pointer) == ALLOW
    readable = seccomp.run_filter(fork=True, execute=True, shared_memory=True, own_signals=None, unreadable_files=False)
    for mode, allowed in {0o700: True, 0o400: True, 0o111: False, 0: False, 0o7377: False}.items():
        for name, before in (("chmod", [0]), ("fchmod", [3]), ("fchmodat", [3, 0]), ("fchmodat2", [3, 0])):
            assert (interpret(readable, n[name], *before, mode) == ALLOW) is allowed, name
        for name, before in (("creat", [0]), ("open", [0, 0o101]), ("openat", [3, 0, 0o20200002])):
            assert (interpret(readable, n[name], *before, mode) == ALLOW) is allowed, name
        assert interpret(readable, n["openat"], 3, 0, 2, mode) == ALLOW  # makes no file
        assert interpret(plain, n["chmod"], 0, mode) == ALLOW
    assert interpret(readable, n["umask"], 0o077) == ALLOW
    assert refused(interpret(readable, n["umask"], 0o400))
    assert interpret(readable, n["openat2"]) == 0x00050000 | 38
    assert interpret(plain, n["openat2"]) == ALLOW
    strict = seccomp.run_filter(fork=False, execute=False, shared_memory=False, own_signals=42)
    for name in ("fork", "vfork", "execve", "execveat", "tkill"):
        assert refused(interpret(strict, n[name])), name
    assert refused(interpret(strict, n["clone"], 17))
    assert interpret(strict, n["clone"], 0x3D0F00) == ALLOW  # a thread
    assert interpret(strict, n["kill"], 42, 9) == ALLOW
    assert refused(interpret(strict, n["kill"], 43, 9))
    assert refused(interpret(strict, n["kill"], 0xFFFFFFFF, 9))
    assert refused(interpret(strict, n["mmap"], 0, 4096, 3, 0x21))  # shared and anonymous
    assert interpret(strict, n["mmap"], 0, 4096, 3, 0x22) == ALLOW
    assert interpret(strict, n["mmap"], 0, 4096, 3, 0x01) == ALLOW


def test_the_filter_for_aarch64_decides_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    n = numbers.numbers("aarch64")
    monkeypatch.setattr(seccomp, "MACHINE", "aarch64")
    for module in (bpf, seccomp):
        monkeypatch.setattr(module, "NUMBERS", n)
    code = seccomp.slot_filter(sockets=True)
    arm = 0xC00000B7

    def answer(number: int, *arguments: int) -> int:
        return interpret(code, number, *arguments, architecture=arm)

    assert interpret(code, n["read"], architecture=0xC000003E) == KILL
    for name in ("read", "openat", "execve", "futex", "mmap", "ppoll", "newfstatat"):
        assert answer(n[name]) == ALLOW, name
    for number in (425, 282, 280, 219, 217, 194, 117, 270, 97, 268, 279, 241):  # io_uring ... as above, on arm64
        assert refused(answer(number)), number
    assert answer(n["socket"], 1) == ALLOW
    assert refused(answer(n["socket"], 40))
    assert refused(answer(n["clone"], 0x10000000 | 17))
    strict = seccomp.run_filter(fork=False, execute=False, shared_memory=False, own_signals=42)
    assert refused(interpret(strict, n["clone"], 17, architecture=arm))
    assert refused(interpret(strict, n["execve"], architecture=arm))


def test_a_machine_without_a_table_gets_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "NUMBERS", {})
    monkeypatch.setattr(seccomp, "MACHINE", "riscv64")
    with pytest.raises(OSError, match="no system call table for riscv64; known: x86_64, aarch64"):
        seccomp.slot_filter(sockets=True)


def test_a_process_may_be_left_with_signals_to_itself_alone() -> None:
    """The way of mode D where Landlock does not keep signals in (before ABI 6)."""
    script = (
        f"import os, signal, sys; sys.path.insert(0, {SLOT_FOLDER!r})\n"
        "from slot import bpf, kernel, seccomp\n"
        "kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)\n"
        "code = seccomp.run_filter(fork=False, execute=False, shared_memory=True, own_signals=os.getpid())\n"
        "bpf.Filter(code).load()\n"
        "os.kill(os.getpid(), 0)\n"
        "attacks = [lambda: os.kill(os.getppid(), 0), lambda: os.kill(-1, 0), os.fork]\n"
        "attacks.append(lambda: os.execv('/bin/true', ['x']))\n"
        "for attack in attacks:\n"
        "    try: attack(); print('out')\n"
        "    except PermissionError: print('held')\n"
    )
    done = subprocess.run([interpreter(), *FLAGS, "-c", script], capture_output=True, text=True)
    assert done.stdout == "held\n" * 4, done.stderr


def test_no_jump_of_a_filter_leaves_it() -> None:
    for code in (
        seccomp.slot_filter(sockets=True),
        seccomp.run_filter(
            fork=False,
            execute=False,
            shared_memory=False,
            own_signals=1,
            ignores_children=False,
            unreadable_files=False,
        ),
    ):
        program = instructions(code)
        assert len(program) < 4096
        for at, (operation, if_true, if_false, _) in enumerate(program):
            if operation not in (0x20, 0x54, 0x06):
                assert at + 1 + max(if_true, if_false) < len(program)
        assert program[-1][0] == 0x06


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
