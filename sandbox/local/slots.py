"""``Slot``: the supervisor's side of one warm, isolated process that runs one program at a time."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import subprocess
import tempfile
import weakref
from typing import Any

from ...errors import SandboxUnavailable
from .identities import slot_identity
from .machine import FLAGS, SLOT_FOLDER, interpreter, machine
from .profiles import Profile, environment
from .remains import Remains
from .server import Server
from .slot.counters import memory_kills
from .slot.protocol import MESSAGE_BYTES, Config, Reply
from .toolchains import HEADERS, header_command

_BOOT = (
    "import sys; sys.path.insert(0, {folder!r}); from slot import keeper; sys.path.pop(0);"
    " keeper.main({control}, {lifeline}, sys.argv[1])"
)
_START_SECONDS = 60.0
_END_SECONDS = 3.0
_NUMBERS = itertools.count()


class Slot(Server):
    """One slot. Use it from one thread at a time; ``cancel`` may come from any.

    Args:
        mode: A to D.
        profile: What its interpreter has loaded.
        scratch_folder: For modes C and D: a folder on a small tmpfs below which programs may write; None for none.
    """

    def __init__(self, mode: str, profile: Profile, scratch_folder: str | None = None) -> None:
        super().__init__()
        self.mode = mode
        self.profile = profile
        self.scratch_folder = scratch_folder
        self.owner = os.getpid()
        self._number = next(_NUMBERS)
        self._place = machine().cgroup if self.mode == "A" else None
        self._memory_base = self._memory_kills = 0
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
        scratch = ""
        if self.mode in "CD":
            scratch = tempfile.mkdtemp(prefix=f"assay-{self.owner}-", dir=self.scratch_folder)
        if scratch:
            os.chmod(scratch, 0o711)  # noqa: S103 - the slot's user must pass through
        return {
            "mode": self.mode,
            "own_maps": self.mode == "B" and os.geteuid() != 0,
            "enters": self.mode == "B" and os.geteuid() == 0 and not machine().works("root_namespaces"),
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

    def _set_memory(self, memory_bytes: int) -> None:
        if self._place:
            self._place.set_memory(self._memory_folder, self._memory_base + memory_bytes)

    def _new_memory_kill(self, reply: Reply | None = None) -> bool:
        if not self._place:
            return False
        kills = memory_kills([self._memory_folder])
        new, self._memory_kills = kills > self._memory_kills, kills
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
