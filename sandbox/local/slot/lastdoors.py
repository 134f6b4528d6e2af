"""The last doors: the short filter that each run loads just before its program starts, of the kind that it needs."""

from __future__ import annotations

import os
from typing import Any

from . import bpf, landlock, seccomp
from .clocks import Clock
from .protocol import NO_ADDRESS_LIMIT, PYTHON, Request


class LastDoors:
    """Short filters by what a request needs, each made once.

    Args:
        mode: Of the slot.
        clock: Counts the CPU time of the slot; None where only the processes tell.
    """

    def __init__(self, mode: str, clock: Clock | None) -> None:
        self._mode = mode
        self._clock = clock
        self._made: dict[tuple[bool, bool], bpf.Filter] = {}

    def of(self, request: Request) -> bpf.Filter:
        """The filter for this kind of request."""
        fork = self._mode != "D"
        execute = fork or request.kind != PYTHON
        shared = self._mode in "AP" or not request.flags & NO_ADDRESS_LIMIT
        if self._mode == "D" and landlock.abi() < landlock.SCOPED_ABI:
            # The child's pid is not known before the fork; pid namespaces aside, Linux hands them out in a row, so the
            # child builds this one itself.
            return _OwnSignalsFilter(execute=execute, shared_memory=shared)
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
                )
            )
        return self._made[key]


class _OwnSignalsFilter(bpf.Filter):
    """A short filter that lets the process that loads it signal itself alone."""

    def __init__(self, *, execute: bool, shared_memory: bool) -> None:
        self._options: dict[str, Any] = {"fork": False, "execute": execute, "shared_memory": shared_memory}

    def load(self) -> None:
        """Build it for this process, and load it."""
        bpf.Filter(seccomp.run_filter(own_signals=os.getpid(), **self._options)).load()
