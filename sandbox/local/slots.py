"""``Slot``: the supervisor's side of one warm, isolated process that runs one program at a time."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from ...errors import SandboxUnavailable
from .identities import slot_identity
from .machine import FLAGS, SLOT_FOLDER, interpreter, machine
from .profiles import Profile, environment
from .remains import Remains
from .slot.counters import machine_kills, memory_kills
from .slot.protocol import MESSAGE_BYTES, REPLY, REQUEST, Config, Reply, Request
from .toolchains import HEADERS, header_command

_BOOT = (
    "import sys; sys.path.insert(0, {folder!r}); from slot import keeper; sys.path.pop(0);"
    " keeper.main({control}, {lifeline}, sys.argv[1])"
)
_START_SECONDS = 60.0
_OVERDUE_SECONDS = 2.0  # a slot that has not answered so long after its own deadline is killed from outside
_END_SECONDS = 3.0
_MOST_RUNS = 5000
_LONGEST_LIFE_SECONDS = 3600.0
_NUMBERS = itertools.count()


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


@dataclass
class Slot:
    """One slot. Use it from one thread at a time; ``cancel`` may come from any.

    Args:
        mode: A to D.
        profile: What its interpreter has loaded.
        scratch_folder: For modes C and D: a folder on a small tmpfs below which programs may write; None for none.
    """

    mode: str
    profile: Profile
    scratch_folder: str | None = None
    runs: int = 0
    lost: bool = False
    _born: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.owner = os.getpid()
        self._number = next(_NUMBERS)
        self._place = machine().cgroup if self.mode == "A" else None
        self._memory_limit = self._memory_base = self._memory_kills = 0
        self._machine_kills = machine_kills()
        config = self._config()
        self._memory_folder = next(iter(config["cgroups"]), "")
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lifeline, their_lifeline = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, their_lifeline:
            boot = _BOOT.format(folder=SLOT_FOLDER, control=theirs.fileno(), lifeline=their_lifeline.fileno())
            self._keeper = subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
                [interpreter(), *FLAGS, "-c", boot, json.dumps(config)],
                pass_fds=[theirs.fileno(), their_lifeline.fileno()],
                env={**environment(self.profile), "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "2"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._finalizer = weakref.finalize(
            self, _end, self.owner, self._keeper, self._control, self._lifeline, Remains(config)
        )
        self._await_ready()

    def _config(self) -> Config:
        own_maps = self.mode == "B" and os.geteuid() != 0
        scratch = ""
        if self.mode in "CD":
            scratch = tempfile.mkdtemp(prefix=f"assay-{self.owner}-", dir=self.scratch_folder)
        if scratch:
            os.chmod(scratch, 0o711)  # noqa: S103 - the slot's user must pass through
        return {
            "mode": self.mode,
            "own_maps": own_maps,
            "identity": slot_identity(self.owner, self._number),
            "landlock": machine().works("landlock"),
            "binds": self.profile.binds,
            "path": self.profile.path,
            "preload": self.profile.preload,
            "warm_up": self.profile.warm_up,
            "headers": _headers(self.profile, scratch),
            "scratch": scratch,
            "writable": self.scratch_folder is not None,
            "environment": environment(self.profile, f"{scratch}/run" if scratch else ""),
            "cgroups": self._place.plan(self.owner, self._number, 4096) if self._place else {},
        }

    def _await_ready(self) -> None:
        self._control.settimeout(_START_SECONDS)
        try:
            message = self._control.recv(MESSAGE_BYTES)
        except (TimeoutError, OSError):
            message = b""
        except BaseException:
            self.close()
            raise
        answer: dict[str, Any] = json.loads(message) if message else {"error": "it ended without a word"}
        if "error" in answer:
            self.close()
            raise SandboxUnavailable(
                f"a sandbox slot (mode {self.mode}, profile {self.profile.name}) could not start: {answer['error']}. "
                "`assay doctor` shows what this machine offers."
            )
        if self._place:
            self._memory_base = self._place.memory_used(self._memory_folder)

    @property
    def keeper(self) -> int:
        """The process id of its outer process."""
        return self._keeper.pid

    @property
    def stale(self) -> bool:
        """Whether it was lost, or has run often or lived long enough to be replaced."""
        return self.lost or self.runs >= _MOST_RUNS or time.monotonic() - self._born > _LONGEST_LIFE_SECONDS

    def begin(self, request: Request, fds: list[int], memory_bytes: int) -> None:
        """Start one program; ``finish`` must follow.

        Args:
            request: What to do and the limits.
            fds: The descriptors that the request's flags call for; the slot gets copies.
            memory_bytes: What the cgroup, where there is one, shall allow beyond the slot's own.
        """
        self.runs += 1
        self._failure: OSError | None = None
        try:
            if self._place and memory_bytes != self._memory_limit:
                self._place.set_memory(self._memory_folder, self._memory_base + memory_bytes)
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
        cgroup_kill = killed and self._new_memory_kill()
        machine_kill = killed and not cgroup_kill and self._new_machine_kill()
        return Answer(reply, reason, memory_kill=cgroup_kill or machine_kill, machine_kill=machine_kill)

    def _new_memory_kill(self) -> bool:
        if not self._place:
            return False
        kills = memory_kills([self._memory_folder])
        new, self._memory_kills = kills > self._memory_kills, kills
        return new

    def _new_machine_kill(self) -> bool:
        """Whether the kernel has meanwhile killed any process of the machine for want of memory."""
        kills = machine_kills()
        new, self._machine_kills = kills > self._machine_kills, kills
        return new

    def _died_of_memory(self) -> bool:
        """Ask the keeper's last words; it reads the counter before it removes the cgroup."""
        if not self._place:
            return False
        if self._new_memory_kill():
            return True
        self._lifeline.settimeout(_END_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            self._lifeline.shutdown(socket.SHUT_WR)
            return bool(json.loads(self._lifeline.recv(MESSAGE_BYTES))["memory_kills"] > self._memory_kills)
        return False

    def cancel(self) -> None:
        """End the present run; from any thread."""
        with contextlib.suppress(OSError):
            self._control.send(b"x")

    def close(self) -> None:
        """End the slot and all its processes, and wait for that."""
        self._finalizer()


def _headers(profile: Profile, scratch: str) -> dict[str, list[str]]:
    """The folder for precompiled headers, with the command that fills it."""
    folder = f"{scratch}{HEADERS}" if scratch else HEADERS
    return {folder: header_command(folder)} if profile.name == "c++" else {}


def _end(
    owner: int,
    keeper: subprocess.Popen[bytes],
    control: socket.socket,
    lifeline: socket.socket,
    remains: Remains,
) -> None:
    """Let go of the lifeline, on which the keeper ends the slot; where it does not, end it the hard way."""
    control.close()
    lifeline.close()
    if owner != os.getpid():
        keeper.returncode = 0  # a forked copy: the slot is the parent's, and nothing here is to wait for it
        return
    try:
        code = keeper.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        keeper.kill()
        code = keeper.wait()
    if code != 0:
        remains.remove()
