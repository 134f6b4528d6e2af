"""The system call filters: their numbers, and what they allow, as a small BPF machine reads them."""

import re
import struct
import subprocess
from pathlib import Path

import pytest

from assay.sandbox.local.machine import FLAGS, SLOT_FOLDER, interpreter
from assay.sandbox.local.slot import bpf, landlock, numbers, seccomp
from assay.sandbox.local.slot.lastdoors import LastDoors
from assay.sandbox.local.slot.protocol import Request

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
    uncut = seccomp.run_filter(
        fork=True,
        execute=True,
        shared_memory=True,
        own_signals=None,
        unreadable_files=False,
        truncates_unasked=False,
        closed=("chmod", "truncate"),
    )
    for flags, allowed in {0: True, 0o1000: False, 0o2001000: False, 0o1001: True, 0o1002: True, 0o1101: True}.items():
        for name, before in (("open", [0]), ("openat", [3, 0])):
            assert (interpret(uncut, n[name], *before, flags, 0o600) == ALLOW) is allowed, (name, flags)
    assert refused(interpret(uncut, n["openat"], 3, 0, 0o1101, 0o200))  # cut and made, but not to be read
    assert interpret(uncut, n["openat2"]) == 0x00050000 | 38
    assert refused(interpret(uncut, n["chmod"], 0, 0o700))
    assert refused(interpret(uncut, n["truncate"]))
    assert interpret(plain, n["truncate"]) == ALLOW
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


@pytest.mark.skipif(numbers.MACHINE != "x86_64", reason="the numbers below are those of x86-64")
@pytest.mark.parametrize("abi", [1, 2, 3, 5, 7])
def test_what_landlock_does_not_cover_is_refused_where_the_files_are_the_hosts(
    monkeypatch: pytest.MonkeyPatch, abi: int
) -> None:
    """Metadata in every version, truncation before the third."""
    monkeypatch.setattr(landlock, "abi", lambda: abi)
    loaded: list[bytes] = []
    monkeypatch.setattr(bpf.Filter, "__init__", lambda _self, code: loaded.append(code))
    monkeypatch.setattr(bpf.Filter, "load", lambda _self: None)
    request = Request(**dict.fromkeys(Request._fields, 0))
    for mode in "ABCDP":
        LastDoors(mode, None).of(request).load()
    n = numbers.NUMBERS
    for mode, code in zip("ABCDP", loaded, strict=True):
        for name in ("utime", "utimes", "futimesat", "utimensat"):
            assert refused(interpret(code, n[name])) is (mode in "CD"), (mode, name)
        for name in ("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"):
            assert refused(interpret(code, n[name], 0, 0, 0o700)) is (mode == "D"), (mode, name)
        cuts = (interpret(code, n["truncate"]), interpret(code, n["openat"], 3, 0, 0o1000))
        assert [refused(answer) for answer in cuts] == [mode in "CD" and abi < 3] * 2


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
            truncates_unasked=False,
            closed=("utimensat",),
        ),
    ):
        program = instructions(code)
        assert len(program) < 4096
        for at, (operation, if_true, if_false, _) in enumerate(program):
            if operation not in (0x20, 0x54, 0x06):
                assert at + 1 + max(if_true, if_false) < len(program)
        assert program[-1][0] == 0x06
