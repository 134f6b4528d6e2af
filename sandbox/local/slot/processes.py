"""Keeping count of a run's processes, and ending them: one way for each kind of slot."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import NamedTuple

from .clocks import Clock

_TICKS = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """A run's wait status, and what all its processes used: CPU microseconds, largest resident bytes."""

    status: int
    cpu: int
    peak_memory: int


class Crew:
    """The processes of one run in a pid namespace of which the caller is pid 1.

    Args:
        clock: Counts the CPU time of the slot; None where only the processes tell.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock

    def begin(self) -> None:
        """A run is about to start."""
        if self.clock is not None:
            self.clock.start()

    def process_limit(self, wanted: int) -> int:
        """The value for RLIMIT_NPROC that allows ``wanted`` processes and threads; 0 for none."""
        return wanted

    def members(self, pid: int) -> list[str]:
        """The process ids, as text, that belong to the run whose first process is ``pid``."""
        return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]

    def cpu_microseconds(self, pid: int) -> int:
        """CPU time so far: by the clock, else of the processes that are there and the children they waited for."""
        if self.clock is not None:
            return self.clock.microseconds()
        ticks = 0
        for member in self.members(pid):
            fields = _stat(member)
            ticks += sum(int(field) for field in fields[11:15])
        return ticks * 1_000_000 // _TICKS

    def starved(self, pid: int, wall: int) -> bool:
        """Whether others kept the run from a processor during at least a quarter of ``wall`` microseconds.

        A process that waited may have waited for the run's own: as long as those ran is taken off. One that stepped
        back by itself, to a lower priority or to fewer processors, has no claim.
        """
        used = self.cpu_microseconds(pid)
        longest = 0
        for member in self.members(pid):
            ran, waited = _schedule(member)
            if _as_the_caller(int(member)):
                longest = max(longest, waited - max(0, used - ran))
        return longest * 4 >= wall

    def end(self, pid: int) -> Usage:
        """Kill whatever is alive, wait for all of it, and add up what it used."""
        status, cpu, peak = 0, 0, 0
        self._kill(pid)
        while True:
            try:
                ended, ended_status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            if ended == pid:
                status = ended_status
            cpu += int((usage.ru_utime + usage.ru_stime) * 1e6)
            peak = max(peak, usage.ru_maxrss << 10)
            self._kill(pid)
        if self.clock is not None:
            cpu = max(cpu, self.clock.microseconds())
        return Usage(status, cpu, peak)

    def _kill(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)  # atomic: no fork escapes it, and pid 1 is spared


class IdentityCrew(Crew):
    """The processes of one user id that nothing else uses; the caller is a root that may not see namespaces."""

    def __init__(self, identity: int, clock: Clock | None = None) -> None:
        super().__init__(clock)
        self._identity = identity
        self._killed = False

    def members(self, pid: int) -> list[str]:
        """Every process of that user."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.stat(f"/proc/{name}").st_uid == self._identity:
                    found.append(name)
            except OSError:
                continue
        return found or [str(pid)]

    def _kill(self, pid: int) -> None:
        """Kill as that user: ``kill(-1)`` then reaches its processes and no others, all at once."""
        if not self._killed:
            helper = os.fork()
            if helper == 0:
                kill_all_of(self._identity)
            os.waitpid(helper, 0)
            self._killed = True

    def end(self, pid: int) -> Usage:
        """Kill, wait, add up."""
        self._killed = False
        return super().end(pid)


class SingleCrew(Crew):
    """One process that cannot fork."""

    def __init__(self) -> None:
        super().__init__()
        self._others = 0
        self._counted = 0.0

    def process_limit(self, wanted: int) -> int:
        """The user's other tasks count too, so they are added; counted at most once in a second."""
        now = time.monotonic()
        if now - self._counted > 1.0:
            self._others = _tasks_of(os.getuid())
            self._counted = now
        return self._others + wanted

    def members(self, pid: int) -> list[str]:
        """The one there is."""
        return [str(pid)]

    def _kill(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def crew(mode: str, identity: int | None, clock: Clock | None = None) -> Crew:
    """The way to count and kill in a slot of this mode."""
    if mode in "ABP":
        return Crew(clock)
    return SingleCrew() if identity is None else IdentityCrew(identity, clock)


def kill_all_of(identity: int) -> None:
    """Become that user, kill every process of it, this one too; never returns."""
    try:
        os.setresgid(identity, identity, identity)
        os.setresuid(identity, identity, identity)
        os.kill(-1, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os._exit(0)


def _stat(pid: str) -> list[bytes]:
    """The fields of ``/proc/PID/stat`` after the name, which may hold any bytes; zeros where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return [b"0"] * 20


def _schedule(pid: str) -> tuple[int, int]:
    """How long a process's first thread ran, and how long it waited for a processor: microseconds."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            ran, waited, _ = file.read().split()
    except (OSError, ValueError):
        return 0, 0
    return int(ran) // 1000, int(waited) // 1000


def _as_the_caller(pid: int) -> bool:
    """Whether a process may run as the caller may: at that priority or a better one, by that policy, anywhere."""
    try:
        return (
            os.getpriority(os.PRIO_PROCESS, pid) <= os.getpriority(os.PRIO_PROCESS, 0)
            and os.sched_getscheduler(pid) == os.sched_getscheduler(0)
            and os.sched_getaffinity(pid) >= os.sched_getaffinity(0)
        )
    except OSError:
        return False


def _tasks_of(user: int) -> int:
    """Processes and threads of a user that this process can see."""
    count = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return count
