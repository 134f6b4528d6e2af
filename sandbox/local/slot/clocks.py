"""The CPU time of a whole run as the kernel counts it, which nothing that a run does can hide.

Adding up processes misses children whose parent ignores SIGCHLD: the kernel buries them and their times. A cgroup
counts all the same, and so does a performance counter that children inherit. Where there is neither, programs must not
ignore it (``seccomp.run_filter``).
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import struct
import time
from collections.abc import Iterable

from . import kernel

_HIGH = 100  # above the descriptors of a request
_SOFTWARE, _TASK_CLOCK, _CLOSE_ON_EXEC = 1, 1, 8
_INHERIT, _NO_KERNEL, _NO_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6  # without the last two, only a privileged user may
_ATTRIBUTE_BYTES = 128


class Clock:
    """The CPU time of a slot, without that of the process that asks.

    Args:
        fd: One of: a cgroup's ``cpuacct.usage`` (version 1, nanoseconds), its ``cpu.stat`` (version 2, ``usage_usec``
            first), a performance counter (eight bytes, nanoseconds).
        counter: Whether it is the last of these. It loses processes that execute a file that they cannot read (the
            kernel's ``begin_new_exec``), so programs must not make any (``seccomp.run_filter``).
    """

    def __init__(self, fd: int, *, counter: bool) -> None:
        self._fd = fd
        self.counter = counter
        self._before = 0

    def start(self) -> None:
        """A run begins."""
        self._before = self._now()

    def microseconds(self) -> int:
        """CPU time since the run began."""
        return max(0, self._now() - self._before)

    def _now(self) -> int:
        if self.counter:
            [nanoseconds] = struct.unpack("Q", os.read(self._fd, 8))
            total = int(nanoseconds) // 1000
        else:
            total = usage_of(os.pread(self._fd, 4096, 0))
        return total - time.process_time_ns() // 1000


def usage_of(text: bytes) -> int:
    """The microseconds in what a cgroup's file says.

    Raises:
        ValueError: It is another kind of file.
    """
    if text.startswith(b"usage_usec "):
        return int(text.split(None, 2)[1])
    return int(text) // 1000


def of_cgroup(folders: Iterable[str]) -> Clock | None:
    """The clock of the cgroup in one of these folders; None where none of them counts CPU time."""
    for folder in folders:
        for name in ("cpuacct.usage", "cpu.stat"):
            with contextlib.suppress(OSError, ValueError), open(f"{folder}/{name}", "rb", 0) as file:
                usage_of(file.read())
                return Clock(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _HIGH), counter=False)
    return None


def of_descendants() -> Clock | None:
    """A clock of this process and all that it starts from now on; None where this user may not have one.

    Source: the kernel's ``include/uapi/linux/perf_event.h``.
    """
    flags = _INHERIT | _NO_KERNEL | _NO_HYPERVISOR
    content = struct.pack("IIQQQQQ", _SOFTWARE, _ATTRIBUTE_BYTES, _TASK_CLOCK, 0, 0, 0, flags)
    attributes = ctypes.create_string_buffer(content, _ATTRIBUTE_BYTES)
    try:
        fd = kernel.call("perf_event_open", attributes, 0, -1, -1, _CLOSE_ON_EXEC)
    except OSError:
        return None
    with open(fd, "rb", 0) as file:
        return Clock(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _HIGH), counter=True)
