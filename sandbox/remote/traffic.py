"""Runs on the service too: what goes into a program and what comes out of it. ``inside.py`` says how it is sent."""

from __future__ import annotations

import binascii
import os
import select
import signal
from typing import Any


def encoded(content: bytes) -> str:
    """Bytes as base64."""
    return binascii.b2a_base64(content, newline=False).decode()


class Traffic:
    """The program's pipes: input goes in as it is taken, output is kept up to its cap."""

    def __init__(self, fds: list[int], stdin: bytes, caps: list[int]) -> None:
        self.stdin = memoryview(stdin)
        self.feed, *outputs = fds
        self.caps = dict(zip(outputs, caps))  # noqa: B905 - Python 3.8
        self.kept = {fd: bytearray() for fd in outputs}
        self.poll = select.poll()
        self.open = set(outputs)
        for fd in fds:
            os.set_blocking(fd, False)
            self.poll.register(fd, select.POLLOUT if fd == self.feed else select.POLLIN)

    @property
    def full(self) -> bool:
        """Whether an output passed its cap."""
        return any(len(kept) > self.caps[fd] for fd, kept in self.kept.items())

    def move(self, seconds: float) -> None:
        """Carry what is there; wait so long where nothing is."""
        if not self.open:  # all outputs are closed: the end is near
            signal.sigtimedwait([signal.SIGCHLD], seconds)
            return
        for fd, _ in self.poll.poll(seconds * 1000):
            if fd == self.feed:
                self._write()
            else:
                self._read(fd)

    def finish(self) -> None:
        """Take what the program left in its pipes."""
        for fd in list(self.open):
            while fd in self.open and len(self.kept[fd]) <= self.caps[fd] and self._read(fd):
                pass

    def last_words(self) -> str:
        """The end of standard error."""
        return list(self.kept.values())[1].decode("utf-8", "replace").strip().rpartition("\n")[2][:300]

    def report(self) -> list[Any]:
        """Each output, and whether it was too much."""
        return [[encoded(bytes(kept[: self.caps[fd]])), len(kept) > self.caps[fd]] for fd, kept in self.kept.items()]

    def _write(self) -> None:
        try:
            self.stdin = self.stdin[os.write(self.feed, self.stdin[:65536]) :] if self.stdin else self.stdin
            done = not self.stdin
        except BlockingIOError:
            return
        except OSError:
            done = True  # the program closed its input
        if done:
            self.poll.unregister(self.feed)
            os.close(self.feed)

    def _read(self, fd: int) -> bool:
        try:
            part = os.read(fd, 1 << 18)
        except BlockingIOError:
            return False
        self.kept[fd] += part
        if not part:
            self.open.discard(fd)
            self.poll.unregister(fd)
        return bool(part)
