"""``Server``: the supervisor's conversation with one fork server, wherever that one runs."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

from .slot.counters import machine_kills
from .slot.protocol import MESSAGE_BYTES, REPLY, REQUEST, Reply, Request

_OVERDUE_SECONDS = 2.0  # a slot that has not answered so long after its own deadline is killed from outside
_MOST_RUNS = 5000
_LONGEST_LIFE_SECONDS = 3600.0


class SlotLost(Exception):
    """The slot died or did not answer; ``memory_kill`` tells whether for want of memory."""

    def __init__(self, reason: str, *, memory_kill: bool = False) -> None:
        super().__init__(reason)
        self.memory_kill = memory_kill


@dataclass
class Answer:
    """A slot's reply, the reason for a failed set-up, and whether the kernel killed for want of memory.

    ``machine_kill``: the whole machine ran out of it, which may have been the fault of others.
    """

    reply: Reply
    reason: str
    memory_kill: bool
    machine_kill: bool


class Server(ABC):
    """One warm fork server. Use it from one thread at a time; ``cancel`` may come from any.

    Attributes:
        runs: How many programs it has begun.
        lost: Whether it must not be used again.
    """

    def __init__(self) -> None:
        self.runs = 0
        self.lost = False
        self._born = time.monotonic()
        self._memory_limit = 0
        self._machine_kills = machine_kills()
        self._failure: OSError | None = None
        self._control: socket.socket

    @property
    def stale(self) -> bool:
        """Whether it was lost, or has run often or lived long enough to be replaced."""
        return self.lost or self.runs >= _MOST_RUNS or time.monotonic() - self._born > _LONGEST_LIFE_SECONDS

    @property
    def ended(self) -> bool:
        """Whether it died while nothing ran: an idle slot says nothing, so a word from it is its end."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return bool(poll.poll(0))

    def begin(self, request: Request, fds: list[int], memory_bytes: int) -> None:
        """Start one program; ``finish`` must follow.

        Args:
            request: What to do and the limits.
            fds: The descriptors that the request's flags call for; the slot gets copies.
            memory_bytes: What the cgroup, where there is one, shall allow beyond the slot's own.
        """
        self.runs += 1
        self._failure = None
        try:
            if memory_bytes != self._memory_limit:
                self._set_memory(memory_bytes)
                self._memory_limit = memory_bytes
            self._control.settimeout(request.wall / 1e6 + _OVERDUE_SECONDS)
            socket.send_fds(self._control, [REQUEST.pack(*request)], fds)
        except OSError as error:
            self._failure = error

    def finish(self) -> Answer:
        """Wait for the program that ``begin`` started.

        Raises:
            SlotLost: The slot died or did not answer; it must be closed.
        """
        try:
            if self._failure is not None:
                raise self._failure
            message = self._control.recv(MESSAGE_BYTES)
        except OSError as error:
            raise SlotLost(f"the slot did not answer: {error}", memory_kill=self._died_of_memory()) from error
        if len(message) < REPLY.size:
            raise SlotLost("the slot ended during the run", memory_kill=self._died_of_memory())
        reply = Reply(*REPLY.unpack(message[: REPLY.size]))
        reason = message[REPLY.size :].decode("utf-8", "replace")
        killed = reply.signal == signal.SIGKILL
        cgroup_kill = killed and self._new_memory_kill(reply)
        machine_kill = killed and not cgroup_kill and self._new_machine_kill()
        return Answer(reply, reason, memory_kill=cgroup_kill or machine_kill, machine_kill=machine_kill)

    def _new_machine_kill(self) -> bool:
        """Whether the kernel has meanwhile killed any process of the machine for want of memory."""
        kills = machine_kills()
        new, self._machine_kills = kills > self._machine_kills, kills
        return new

    @abstractmethod
    def _set_memory(self, memory_bytes: int) -> None:
        """Limit the memory of all processes together, beyond what the slot itself needs."""

    @abstractmethod
    def _new_memory_kill(self, reply: Reply) -> bool:
        """Whether the limit on memory killed a process of the run that ``reply`` tells of."""

    @abstractmethod
    def _died_of_memory(self) -> bool:
        """Whether the slot, which is lost, was killed by its limit on memory."""

    def cancel(self) -> None:
        """End the present run; from any thread."""
        with contextlib.suppress(OSError):
            self._control.send(b"x")

    @abstractmethod
    def close(self) -> None:
        """End the slot and all its processes, and wait for that."""
