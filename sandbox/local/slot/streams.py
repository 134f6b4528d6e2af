"""Standard output and error through pipes, for programs that open them anew by name.

A memory file that is opened anew (``/dev/stdout``) is emptied, or written over from its beginning; a pipe goes on where
it was, as under a shell. It costs a change of processes for what is written, so it is there where it is needed alone.
"""

from __future__ import annotations

import os
import select
from collections.abc import Mapping

from .protocol import REOPENS, Request


class Streams:
    """The pipes of one run; none where its request does not ask for them.

    Args:
        request: The run's.
        fds: Its descriptors, with the memory files that take the output.

    Attributes:
        handed: The descriptors for the program: those given, with the pipes in place of the files.
    """

    def __init__(self, request: Request, fds: Mapping[str, int]) -> None:
        self.handed = dict(fds)
        self._targets: dict[int, tuple[int, int]] = {}  # by the end to read: the file, and how much it takes
        self._writers: list[int] = []
        if request.flags & REOPENS:
            for name, limit in (("stdout", request.stdout), ("stderr", request.stderr)):
                reader, writer = os.pipe2(os.O_CLOEXEC)
                os.set_blocking(reader, False)
                os.fchmod(writer, 0o666)  # who opens it anew is another user than the zygote
                self.handed[name] = writer
                self._targets[reader] = fds[name], limit
                self._writers.append(writer)

    def started(self, poll: select.poll) -> None:
        """The program has its ends: let go of them here, and wait for what it writes."""
        for writer in self._writers:
            os.close(writer)
        for reader in self._targets:
            poll.register(reader, select.POLLIN)

    def pass_on(self, poll: select.poll, reader: int, event: int) -> bool:
        """Take what a pipe that is ready holds; whether it is one of ours."""
        if reader not in self._targets:
            return False
        self._take(reader)
        if event & select.POLLHUP:  # nobody can write any more, and poll would tell so for ever
            poll.unregister(reader)
        return True

    def finish(self) -> None:
        """Every process has ended: take the rest."""
        for reader in self._targets:
            self._take(reader)
            os.close(reader)

    def _take(self, reader: int) -> None:
        """Move bytes from a pipe into its file, unread, and one more than the file may hold at the most."""
        target, limit = self._targets[reader]
        try:
            while (room := limit + 1 - os.fstat(target).st_size) > 0 and os.splice(reader, target, min(room, 1 << 20)):
                pass
        except BlockingIOError:
            pass
