"""The system call filter: an allow-list for x86-64 and aarch64, in classic BPF.

Loading a long filter costs a third of a millisecond, so the slot loads the long one once and each run stacks a short
one that takes away what only setting up needs. See ``docs/guide/sandbox.md`` for what is closed and why.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable

from . import kernel
from .numbers import AUDIT_ARCHITECTURES, MACHINE, NUMBERS

_ALLOWED = """
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 access pipe pipe2 select pselect6 ppoll sched_yield mremap
msync mincore madvise dup dup2 dup3 pause nanosleep getitimer alarm setitimer getpid sendfile connect accept accept4
sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown bind listen getsockname getpeername getsockopt
fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill uname flock fsync fdatasync truncate
ftruncate getdents getdents64 getcwd chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir creat link linkat unlink
unlinkat symlink symlinkat readlink readlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask
gettimeofday getrlimit setrlimit getrusage sysinfo times getuid getgid geteuid getegid getresuid getresgid getgroups
setpgid getppid getpgrp getpgid setsid getsid gettid rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo
rt_sigsuspend sigaltstack utime utimes futimesat utimensat statfs fstatfs getpriority sched_getparam
sched_getscheduler sched_getattr sched_get_priority_max sched_get_priority_min sched_rr_get_interval
sched_getaffinity arch_prctl readahead fadvise64 getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr time
futex futex_waitv futex_wake futex_wait futex_requeue set_tid_address restart_syscall set_robust_list
rseq membarrier getcpu timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_gettime
clock_getres clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime openat openat2 newfstatat statx faccessat faccessat2
fallocate getrandom copy_file_range close_range capget cachestat mseal
"""
# What the slot needs between two runs and while it sets a run up; the short filter takes these away from the program.
_SETTING_UP = """
mount umount2 setresuid setresgid setgroups capset landlock_create_ruleset landlock_add_rule landlock_restrict_self
seccomp pidfd_open
"""

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x45, 0x06
_X32_BIT = 0x40000000
_CLONE_THREAD, _AF_UNIX = 0x10000, 1
_SHARED_ANONYMOUS = 0x21
_BUFFER_SIZES = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF and their FORCE variants: kernel memory that no limit counts
# Terminal size and state, bytes waiting, blocking and close-on-exec flags: what the C library and interpreters ask.
_IOCTLS = (0x5401, 0x5413, 0x540F, 0x541B, 0x5421, 0x5450, 0x5451)
# PR_*: name, death signal (reading), dumpable, seccomp mode, bounding set (reading), timer slack, no_new_privs, huge
# pages, and naming of anonymous memory.
_PRCTLS = (2, 3, 4, 15, 16, 21, 23, 29, 30, 38, 39, 41, 42, 0x53564D41)
_SET_DEATH_SIGNAL = 1
_OWNER_FCNTLS = (8, 10, 15, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY: signals by way of the kernel


class _Assembler:
    """Collects instructions; ``when`` guards a block that must end in a return on every path."""

    def __init__(self) -> None:
        self.code: list[bytes] = []

    def add(self, operation: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self.code.append(struct.pack("HBBI", operation, if_true, if_false, value & 0xFFFFFFFF))

    def refuse(self, number: int = errno.EPERM) -> None:
        self.add(_RETURN, _ERRNO | number)

    def allow(self) -> None:
        self.add(_RETURN, _ALLOW)

    def load_argument(self, index: int) -> None:
        self.add(_LOAD, 16 + 8 * index)  # the low half: every checked argument is an int or fits in 32 bits

    def allow_if_argument_in(self, name: str, index: int, values: Iterable[int], number: int = errno.EPERM) -> None:
        wanted = tuple(values)
        if name in NUMBERS:
            self.add(_EQUAL, NUMBERS[name], 0, 3 + len(wanted))
            self.load_argument(index)
            for left, value in zip(range(len(wanted), 0, -1), wanted, strict=True):
                self.add(_EQUAL, value, left, 0)
            self.refuse(number)
            self.allow()

    def refuse_if_argument_in(self, name: str, index: int, values: Iterable[int]) -> None:
        wanted = tuple(values)
        if name in NUMBERS:
            self.add(_EQUAL, NUMBERS[name], 0, 3 + len(wanted))
            self.load_argument(index)
            for left, value in zip(range(len(wanted), 0, -1), wanted, strict=True):
                self.add(_EQUAL, value, left, 0)
            self.allow()
            self.refuse()


def slot_filter(*, sockets: bool) -> bytes:
    """The long filter, loaded once by a slot.

    Args:
        sockets: Whether Unix sockets may be made; without a network namespace they reach the host's.
    """
    if not NUMBERS:
        raise OSError(errno.ENOSYS, f"no system call table for {MACHINE}; known: {', '.join(AUDIT_ARCHITECTURES)}")
    a = _Assembler()
    a.add(_LOAD, 4)
    a.add(_EQUAL, AUDIT_ARCHITECTURES[MACHINE], 1, 0)
    a.add(_RETURN, _KILL)
    a.add(_LOAD, 0)
    if MACHINE == "x86_64":
        a.add(_AT_LEAST, _X32_BIT, 0, 1)
        a.refuse(errno.ENOSYS)
    a.add(_EQUAL, NUMBERS["clone"], 0, 4)
    a.load_argument(0)
    a.add(_ANY_BIT, kernel.NAMESPACES, 0, 1)
    a.refuse()
    a.allow()
    a.add(_EQUAL, NUMBERS["clone3"], 0, 1)
    a.refuse(errno.ENOSYS)  # its flags lie in memory, out of a filter's sight; the C library then uses clone
    a.allow_if_argument_in("socket", 0, (_AF_UNIX,) if sockets else (), errno.EAFNOSUPPORT if sockets else errno.EACCES)
    a.allow_if_argument_in("socketpair", 0, (_AF_UNIX,), errno.EAFNOSUPPORT)
    a.allow_if_argument_in("ioctl", 1, _IOCTLS)
    a.allow_if_argument_in("prctl", 0, _PRCTLS if sockets else (_SET_DEATH_SIGNAL, *_PRCTLS))
    a.allow_if_argument_in("personality", 0, (0, 0xFFFFFFFF))
    a.refuse_if_argument_in("fcntl", 1, _OWNER_FCNTLS)
    a.refuse_if_argument_in("setsockopt", 2, _BUFFER_SIZES)
    # With one identity for slot and program (mode B) these would reach the slot: only the caller itself is allowed.
    a.allow_if_argument_in("prlimit64", 0, (0,))
    for name in ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        a.allow_if_argument_in(name, 0, (0,))
    _allow_own_priority(a)
    for name in f"{_ALLOWED} {_SETTING_UP}".split():
        if name in NUMBERS:
            a.add(_EQUAL, NUMBERS[name], 0, 1)
            a.allow()
    a.add(_GREATER, max(NUMBERS.values()), 0, 1)
    a.refuse(errno.ENOSYS)
    a.refuse()
    return b"".join(a.code)


def _allow_own_priority(a: _Assembler) -> None:
    """``setpriority(PRIO_PROCESS, 0, ...)`` alone."""
    a.add(_EQUAL, NUMBERS["setpriority"], 0, 6)
    a.load_argument(0)
    a.add(_EQUAL, 0, 0, 3)
    a.load_argument(1)
    a.add(_EQUAL, 0, 0, 1)
    a.allow()
    a.refuse()


def run_filter(*, fork: bool, execute: bool, shared_memory: bool, own_signals: int | None) -> bytes:
    """The short filter, stacked by each run just before the program starts.

    Args:
        fork: Whether the program may start processes; threads it always may.
        execute: Whether it may execute files.
        shared_memory: Whether it may map shared anonymous memory, which no RLIMIT_DATA counts.
        own_signals: The only process that it may signal, where neither a namespace nor Landlock keeps signals in.
    """
    a = _Assembler()
    a.add(_LOAD, 0)
    refused = _SETTING_UP.split()
    if not execute:
        refused += ["execve", "execveat"]
    if not fork:
        refused += ["fork", "vfork"]
        a.add(_EQUAL, NUMBERS["clone"], 0, 4)
        a.load_argument(0)
        a.add(_ANY_BIT, _CLONE_THREAD, 1, 0)
        a.refuse()
        a.allow()
    if not shared_memory:
        a.add(_EQUAL, NUMBERS["mmap"], 0, 5)
        a.load_argument(3)
        a.add(0x54, _SHARED_ANONYMOUS)  # A &= k
        a.add(_EQUAL, _SHARED_ANONYMOUS, 0, 1)
        a.refuse(errno.ENOMEM)
        a.allow()
    a.refuse_if_argument_in("prctl", 0, (_SET_DEATH_SIGNAL,))
    if own_signals is not None:
        refused += ["tkill"]
        for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            a.allow_if_argument_in(name, 0, (own_signals,))
    for name in refused:
        if name in NUMBERS:
            a.add(_EQUAL, NUMBERS[name], 0, 1)
            a.refuse()
    a.allow()
    return b"".join(a.code)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Filter:
    """A filter ready to load; prepare it before the fork, load it after."""

    def __init__(self, code: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(code, len(code))
        self._program = _Program(len(code) // 8, ctypes.addressof(self._buffer))

    def load(self) -> None:
        """Apply it to this thread and whatever it starts, for ever; needs no_new_privs."""
        kernel.call("seccomp", 1, 0, ctypes.byref(self._program))
