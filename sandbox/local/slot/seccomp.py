"""The system call filter: an allow-list for x86-64 and aarch64, in classic BPF.

Loading a long filter costs a third of a millisecond, so the slot loads the long one once and each run stacks a short
one that takes away what only setting up needs. See ``docs/guide/sandbox.md`` for what is closed and why.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import NamedTuple

from . import kernel
from .bpf import ANY_BIT, AT_LEAST, EQUAL, GREATER, KILL, LOAD, MASK, RETURN, Assembler
from .numbers import AUDIT_ARCHITECTURES, MACHINE, NUMBERS

_ALLOWED = """
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 access pipe pipe2 select pselect6 ppoll sched_yield mremap
msync mincore madvise dup dup2 dup3 pause nanosleep getitimer alarm setitimer getpid sendfile connect accept accept4
sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown bind listen getsockname getpeername getsockopt
fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill uname fsync fdatasync truncate
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
seccomp pidfd_open splice
"""

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
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_SETLK, F_SETLKW, F_GETOWN, F_GETSIG, F_DUPFD_CLOEXEC, F_GETPIPE_SZ,
# F_GET_SEALS. Not: owners and signals, leases, hints, pipe sizes; nor what shows or takes locks on read-only files of
# the host, where others would meet them: flock, F_GETLK and the F_OFD_ kinds. Write locks need a file of one's own.
_FCNTLS = (0, 1, 2, 3, 4, 6, 7, 9, 11, 1030, 1032, 1034)
_SIGCHLD = 17
_OWNER_READS = 0o400
_MAKES_A_FILE = 0o20000100  # O_CREAT, __O_TMPFILE
_TRUNCATE, _ACCESS_MODE = 0o1000, 0o3


class ArgumentRule(NamedTuple):
    """A call that is allowed with some values of an argument only; with all but those where ``refused``."""

    name: str
    argument: int
    values: tuple[int, ...]
    number: int = errno.EPERM
    refused: bool = False


def argument_rules(*, sockets: bool) -> list[ArgumentRule]:
    """The calls that the long filter judges by an argument; see ``slot_filter``."""
    families = (_AF_UNIX,) if sockets else ()
    own = ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
    return [
        ArgumentRule("socket", 0, families, errno.EAFNOSUPPORT if sockets else errno.EACCES),
        ArgumentRule("socketpair", 0, (_AF_UNIX,), errno.EAFNOSUPPORT),
        ArgumentRule("ioctl", 1, _IOCTLS),
        ArgumentRule("prctl", 0, _PRCTLS if sockets else (_SET_DEATH_SIGNAL, *_PRCTLS)),
        ArgumentRule("personality", 0, (0, 0xFFFFFFFF)),
        ArgumentRule("fcntl", 1, _FCNTLS, errno.EINVAL),  # as kernels answer that do not know a command
        ArgumentRule("flock", 0, (), errno.ENOSYS),
        ArgumentRule("setsockopt", 2, _BUFFER_SIZES, refused=True),
        # With one identity for slot and program (mode B) these would reach the slot: only the caller itself is allowed.
        *(ArgumentRule(name, 0, (0,)) for name in own),
    ]


def allowed_names() -> list[str]:
    """The calls that the long filter allows whatever their arguments."""
    return f"{_ALLOWED} {_SETTING_UP}".split()


def slot_filter(*, sockets: bool) -> bytes:
    """The long filter, loaded once by a slot.

    Args:
        sockets: Whether Unix sockets may be made; without a network namespace they reach the host's.
    """
    if not NUMBERS:
        raise OSError(errno.ENOSYS, f"no system call table for {MACHINE}; known: {', '.join(AUDIT_ARCHITECTURES)}")
    a = Assembler()
    a.add(LOAD, 4)
    a.add(EQUAL, AUDIT_ARCHITECTURES[MACHINE], 1, 0)
    a.add(RETURN, KILL)
    a.add(LOAD, 0)
    if MACHINE == "x86_64":
        a.add(AT_LEAST, _X32_BIT, 0, 1)
        a.refuse(errno.ENOSYS)
    a.add(EQUAL, NUMBERS["clone"], 0, 4)
    a.load_argument(0)
    a.add(ANY_BIT, kernel.NAMESPACES, 0, 1)
    a.refuse()
    a.allow()
    a.add(EQUAL, NUMBERS["clone3"], 0, 1)
    a.refuse(errno.ENOSYS)  # its flags lie in memory, out of a filter's sight; the C library then uses clone
    for rule in argument_rules(sockets=sockets):
        (a.refuse_if_argument_in if rule.refused else a.allow_if_argument_in)(*rule[:4])
    _allow_own_priority(a)
    for name in allowed_names():
        if name in NUMBERS:
            a.add(EQUAL, NUMBERS[name], 0, 1)
            a.allow()
    a.add(GREATER, max(NUMBERS.values()), 0, 1)
    a.refuse(errno.ENOSYS)
    a.refuse()
    return b"".join(a.code)


def _allow_own_priority(a: Assembler) -> None:
    """``setpriority(PRIO_PROCESS, 0, ...)`` alone."""
    a.add(EQUAL, NUMBERS["setpriority"], 0, 6)
    a.load_argument(0)
    a.add(EQUAL, 0, 0, 3)
    a.load_argument(1)
    a.add(EQUAL, 0, 0, 1)
    a.allow()
    a.refuse()


def run_filter(
    *,
    fork: bool,
    execute: bool,
    shared_memory: bool,
    own_signals: int | None,
    ignores_children: bool = True,
    unreadable_files: bool = True,
    truncates_unasked: bool = True,
    closed: Iterable[str] = (),
) -> bytes:
    """The short filter, stacked by each run just before the program starts.

    Args:
        fork: Whether the program may start processes; threads it always may.
        execute: Whether it may execute files.
        shared_memory: Whether it may map shared anonymous memory, which no RLIMIT_DATA counts.
        own_signals: The only process that it may signal, where neither a namespace nor Landlock keeps signals in.
        ignores_children: Whether it may change what SIGCHLD does. Where it is ignored, the times of children are lost.
        unreadable_files: Whether it may make files that it cannot read. Performance counters do not follow a process
            that executes one.
        truncates_unasked: Whether it may cut a file that it opens for reading, which old kinds of Landlock do not see.
        closed: Further calls that it must not make.
    """
    a = Assembler()
    a.add(LOAD, 0)
    _refuse(a, closed)  # before what allows some of these calls with some arguments
    refused = _SETTING_UP.split()
    if not execute:
        refused += ["execve", "execveat"]
    if not fork:
        refused += ["fork", "vfork"]
        _allow_threads_alone(a)
    if not shared_memory:
        _refuse_shared_memory(a)
    a.refuse_if_argument_in("prctl", 0, (_SET_DEATH_SIGNAL,))
    if not ignores_children:
        _refuse_handling_of_children(a)
    if not truncates_unasked:
        _refuse_truncation_unasked(a)
    if not unreadable_files:
        _refuse_unreadable_files(a)
    if own_signals is not None:
        refused += ["tkill"]
        for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            a.allow_if_argument_in(name, 0, (own_signals,))
    _refuse(a, refused)
    a.allow()
    return b"".join(a.code)


def _refuse(a: Assembler, names: Iterable[str]) -> None:
    """These calls, whatever their arguments."""
    for name in names:
        if name in NUMBERS:
            a.add(EQUAL, NUMBERS[name], 0, 1)
            a.refuse()


def _allow_threads_alone(a: Assembler) -> None:
    """``clone`` where it makes a thread."""
    a.add(EQUAL, NUMBERS["clone"], 0, 4)
    a.load_argument(0)
    a.add(ANY_BIT, _CLONE_THREAD, 1, 0)
    a.refuse()
    a.allow()


def _refuse_shared_memory(a: Assembler) -> None:
    """``mmap`` of memory that is both shared and anonymous."""
    a.add(EQUAL, NUMBERS["mmap"], 0, 5)
    a.load_argument(3)
    a.add(MASK, _SHARED_ANONYMOUS)
    a.add(EQUAL, _SHARED_ANONYMOUS, 0, 1)
    a.refuse(errno.ENOMEM)
    a.allow()


def _refuse_handling_of_children(a: Assembler) -> None:
    """``rt_sigaction(SIGCHLD, ...)`` with anything but a null pointer, which only asks."""
    a.add(EQUAL, NUMBERS["rt_sigaction"], 0, 8)
    a.load_argument(0)
    a.add(EQUAL, _SIGCHLD, 0, 4)
    a.load_argument(1)
    a.add(EQUAL, 0, 0, 3)
    a.add(LOAD, 16 + 8 + 4)  # the pointer's high half
    a.add(EQUAL, 0, 0, 1)
    a.allow()
    a.refuse()


def _refuse_truncation_unasked(a: Assembler) -> None:
    """``O_TRUNC`` with ``O_RDONLY``; ``openat2`` hides it in memory. What passes is looked at further."""
    for name, argument in (("open", 1), ("openat", 2)):
        if name in NUMBERS:
            a.add(EQUAL, NUMBERS[name], 0, 5)
            a.load_argument(argument)
            a.add(MASK, _TRUNCATE | _ACCESS_MODE)
            a.add(EQUAL, _TRUNCATE, 0, 1)
            a.refuse()
            a.add(LOAD, 0)
    a.add(EQUAL, NUMBERS["openat2"], 0, 1)
    a.refuse(errno.ENOSYS)


def _refuse_unreadable_files(a: Assembler) -> None:
    """Modes without the owner's right to read, wherever a call takes one; ``openat2`` hides it in memory."""
    for name, argument in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2), ("creat", 1)):
        if name in NUMBERS:
            a.add(EQUAL, NUMBERS[name], 0, 4)
            a.load_argument(argument)
            a.add(ANY_BIT, _OWNER_READS, 0, 1)
            a.allow()
            a.refuse()
    for name, argument in (("open", 1), ("openat", 2)):
        if name in NUMBERS:
            a.add(EQUAL, NUMBERS[name], 0, 6)
            a.load_argument(argument)
            a.add(ANY_BIT, _MAKES_A_FILE, 0, 2)
            a.load_argument(argument + 1)
            a.add(ANY_BIT, _OWNER_READS, 0, 1)
            a.allow()
            a.refuse()
    a.add(EQUAL, NUMBERS["umask"], 0, 4)
    a.load_argument(0)
    a.add(ANY_BIT, _OWNER_READS, 1, 0)
    a.allow()
    a.refuse()
    a.add(EQUAL, NUMBERS["openat2"], 0, 1)
    a.refuse(errno.ENOSYS)
