"""The last doors: the short filter that each run loads just before its program starts, of the kind that it needs."""

from __future__ import annotations

import os
from typing import Any

from . import bpf, landlock, seccomp
from .clocks import Clock
from .protocol import NO_ADDRESS_LIMIT, PYTHON, Request

# Landlock covers no metadata. In mode D every file of the user could be changed, in C the times of the host's devices.
_MODES_AND_OWNERS = ("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat")
_TIMES = ("utime", "utimes", "futimesat", "utimensat")


class LastDoors:
    """Short filters by what a request needs, each made once.

    Args:
        mode: Of the slot.
        clock: Counts the CPU time of the slot; None where only the processes tell.
    """

    def __init__(self, mode: str, clock: Clock | None) -> None:
        self._mode = mode
        self._clock = clock
        self._landlock = landlock.abi()
        self._on_the_host = self._what_is_closed_on_the_host()
        self._made: dict[tuple[bool, bool], bpf.Filter] = {}

    def _what_is_closed_on_the_host(self) -> dict[str, Any]:
        """What programs must not do to files of the host, where they see those themselves and not mounts of a slot."""
        if self._mode not in "CD":
            return {}
        closed = (*_TIMES, *(_MODES_AND_OWNERS if self._mode == "D" else ()))
        if self._landlock >= landlock.TRUNCATE_ABI:
            return {"closed": closed}
        return {"closed": (*closed, "truncate"), "truncates_unasked": False}

    def of(self, request: Request) -> bpf.Filter:
        """The filter for this kind of request."""
        fork = self._mode != "D"
        execute = fork or request.kind != PYTHON
        shared = self._mode in "AP" or not request.flags & NO_ADDRESS_LIMIT
        if self._mode == "D" and self._landlock < landlock.SCOPED_ABI:
            # The child's pid is not known before the fork; pid namespaces aside, Linux hands them out in a row, so the
            # child builds this one itself.
            return _OwnSignalsFilter(fork=False, execute=execute, shared_memory=shared, **self._on_the_host)
        key = (execute, shared)
        if key not in self._made:
            clock = self._clock
            self._made[key] = bpf.Filter(
                seccomp.run_filter(
                    fork=fork,
                    execute=execute,
                    shared_memory=shared,
                    own_signals=None,
                    ignores_children=not fork or clock is not None,
                    unreadable_files=not (fork and clock and clock.counter),
                    **self._on_the_host,
                )
            )
        return self._made[key]


class _OwnSignalsFilter(bpf.Filter):
    """A short filter that lets the process that loads it signal itself alone; ``options`` as of ``run_filter``."""

    def __init__(self, **options: Any) -> None:
        self._options = options

    def load(self) -> None:
        """Build it for this process, and load it."""
        bpf.Filter(seccomp.run_filter(own_signals=os.getpid(), **self._options)).load()
