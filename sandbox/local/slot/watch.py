"""Waiting for a program: until it ends, or a limit or the supervisor ends it."""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Mapping

from .processes import Crew
from .protocol import CANCELLED, CPU, OUTPUT, STARVED, WALL, Request
from .streams import Streams

_TICK_SECONDS = 0.25
_SHORTEST_TICK_SECONDS = 0.01
_CORES = os.cpu_count() or 1


class Watch:
    """Waits for one run.

    Args:
        pid: Its first process.
        request: Its limits.
        fds: Its memory files.
        streams: Its pipes.
    """

    def __init__(self, pid: int, request: Request, fds: Mapping[str, int], streams: Streams) -> None:
        self._pid = pid
        self._request = request
        self._streams = streams
        caps = (("stdout", request.stdout), ("stderr", request.stderr), ("result", request.result))
        self._caps = [(fds[name], cap) for name, cap in caps if name in fds]

    def wait(self, control: socket.socket, crew: Crew, started: int) -> int:
        """What ended it, as flags.

        Args:
            control: Where a word of the supervisor comes from.
            crew: Counts the run's processes.
            started: When it began, ``time.monotonic_ns``.
        """
        handle = os.pidfd_open(self._pid)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(control, select.POLLIN)
        self._streams.started(poll)
        try:
            return self._wait(poll, handle, crew, started + self._request.wall * 1000)
        finally:
            os.close(handle)

    def _wait(self, poll: select.poll, handle: int, crew: Crew, deadline: int) -> int:
        request = self._request
        cpu_left = request.cpu / 1e6
        while True:
            wall_left = (deadline - time.monotonic_ns()) / 1e9
            if wall_left <= 0:
                return WALL | (STARVED if crew.starved(self._pid, request.wall) else 0)
            tick = min(_TICK_SECONDS, max(cpu_left / _CORES, _SHORTEST_TICK_SECONDS))
            ready = poll.poll(min(wall_left, tick) * 1000)
            if any(fd == handle for fd, _ in ready):
                return 0
            if not all(self._streams.pass_on(poll, fd, event) for fd, event in ready):
                return CANCELLED  # a word from the supervisor, or its end
            cpu_left = (request.cpu - crew.cpu_microseconds(self._pid)) / 1e6
            if cpu_left <= 0:
                return CPU
            if any(os.fstat(fd).st_size > cap for fd, cap in self._caps):
                return OUTPUT
