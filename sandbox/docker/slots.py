"""``DockerSlot``: a container with a warm fork server, reached over a Unix socket of this machine.

The daemon starts and removes containers and is needed for nothing else: programs, their input and their output travel
as descriptors over the socket, so runs go on while the daemon is away.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import shutil
import socket
import tempfile
import time
import uuid
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import SandboxUnavailable
from ..local.identities import slot_identity
from ..local.server import Server
from ..local.slot import protocol
from . import hardening, owners
from .engine import DaemonAway, Engine
from .greeting import Contents, config_of, listen
from .hardening import Kind

SLOT_FOLDER = str(Path(protocol.__file__).parent)
_BOOT = (
    "import sys; sys.path.insert(0, {folder!r}); from slot import container; sys.path.pop(0);"
    " container.main(sys.argv[1])"
)
_START_SECONDS = 60.0
_HELLO_BYTES = 1 << 16
_RUNNER = 1000  # where the engine maps identities, each container's are its own
_ENDED_BY_OTHERS = (137, 255)  # killed; lost by a daemon that ended
_NUMBERS = itertools.count()


class DockerSlot(Server):
    """One container. Use it from one thread at a time; ``cancel`` may come from any.

    Args:
        engine: Where to start it.
        image: The image.
        kind: What it must offer.
        memory_bytes: What all processes of a program may use together, to begin with.
        runtime: The engine's runtime; "" for its default.
        tools: Where tools lie in this image, as far as known.
        discard: Called with the container's id when it is to be removed.

    Raises:
        DaemonAway: The daemon does not answer.
        SandboxUnavailable: The container could not start; the message says why.
    """

    def __init__(
        self,
        engine: Engine,
        image: str,
        kind: Kind,
        memory_bytes: int,
        *,
        runtime: str,
        tools: dict[str, str],
        discard: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.engine = engine
        self.kind = kind
        self.owner = os.getpid()
        self.contents = Contents()
        self._memory_limit = memory_bytes
        self._memory_kills = False
        self._tools = tools
        folder = tempfile.mkdtemp(prefix=f"{owners.FOLDER}{self.owner}-")
        try:
            with listen(folder) as listener:
                self.container = self._create(image, f"{folder}/control", memory_bytes, runtime)
                try:
                    self._control = self._start(listener)
                    self._greet()
                except BaseException as error:
                    failure = self._failure_of(error, image)
                    if hasattr(self, "_control"):
                        self._control.close()
                    owners.remove(engine, self.container)
                    raise failure from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self._finalizer = weakref.finalize(self, _end, self.owner, self._control, self.container, discard)
        _SLOTS.add(self)

    def _create(self, image: str, control: str, memory_bytes: int, runtime: str) -> str:
        boot = _BOOT.format(folder=os.path.dirname(hardening.SLOT))
        identity = _RUNNER if self.engine.facts.remapped else slot_identity(self.owner, next(_NUMBERS))
        config = config_of(self.kind.profile, identity, self._tools)
        name = f"assay-{uuid.uuid4().hex}"

        def create(client: Any) -> str:
            host_config = hardening.host_config(
                client,
                self.kind,
                memory_bytes,
                control=control,
                slot_folder=SLOT_FOLDER,
                runtime=runtime,
                facts=self.engine.facts,
            )
            made = client.create_container(
                image,
                name=name,
                command=["-I", "-S", "-B", "-c", boot, json.dumps(config)],
                entrypoint=["python3"],
                environment={"PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "2", "LANG": "C.UTF-8", "TZ": "UTC"},
                hostname="sandbox",
                user="0:0",
                working_dir="/",
                network_disabled=True,
                labels=owners.labels(),
                host_config=host_config,
            )
            return str(made["Id"])

        try:
            return self.engine.call("create a container", create)
        except SandboxUnavailable:
            owners.remember(self.engine, name)  # the daemon may have made it, and ended before it said so
            raise

    def _start(self, listener: socket.socket) -> socket.socket:
        """Start the container and wait until its fork server calls; what it says before it dies is the reason."""
        attach = {"stdout": 1, "stderr": 1, "stream": 1}
        words = self.engine.call(
            "attach to a container", lambda client: client.attach_socket(self.container, params=attach)
        )
        with contextlib.closing(words._sock), contextlib.closing(words._response):
            self.engine.call("start a container", lambda client: client.start(self.container))
            said = b""
            poll = select.poll()
            poll.register(listener, select.POLLIN)
            poll.register(words, select.POLLIN)
            deadline = time.monotonic() + _START_SECONDS
            while (left := deadline - time.monotonic()) > 0:
                ready = [fd for fd, _ in poll.poll(left * 1000)]
                if listener.fileno() in ready:
                    return listener.accept()[0]
                if ready:
                    part = os.read(words.fileno(), 4096)
                    said += part[8:]  # after the header of the engine's stream
                    if not part:
                        raise OSError(said.decode("utf-8", "replace").strip()[-500:] or "it ended without a word")
        raise OSError(f"its fork server did not call within {_START_SECONDS:g} s")

    def _greet(self) -> None:
        """Hear what the container holds, and that its fork server is ready."""
        self._control.settimeout(_START_SECONDS)
        while True:
            message = self._control.recv(_HELLO_BYTES)
            if not message:
                raise OSError("its fork server ended while it got ready")
            said: dict[str, Any] = json.loads(message)
            if "error" in said:
                raise OSError(said["error"])
            if not said:
                return
            self.contents = Contents(**said)

    def _failure_of(self, error: BaseException, image: str) -> BaseException:
        """What a start that failed means: a daemon that ended took the container with it."""
        if not isinstance(error, OSError):
            return error
        try:
            state = self.engine.call("look at a container", lambda client: client.inspect_container(self.container))
        except DaemonAway as away:
            return away
        except SandboxUnavailable as refused:
            return refused
        if state["State"]["ExitCode"] in _ENDED_BY_OTHERS and not state["State"]["OOMKilled"]:
            return DaemonAway(f"a container was killed while it started: {error}")
        return SandboxUnavailable(self._told(image, str(error)))

    def _told(self, image: str, reason: str) -> str:
        return (
            f"a sandbox container (image {image!r}, profile {self.kind.profile}) could not start: {reason}. The image "
            "needs Python 3.11 or newer as python3, and the engine must see this machine's files (bind mounts). "
            "`assay image show` looks into the image."
        )

    @property
    def zygote(self) -> int:
        """The process id of its fork server on the host."""
        state = self.engine.call("look at a container", lambda client: client.inspect_container(self.container))
        return int(state["State"]["Pid"])

    def _set_memory(self, memory_bytes: int) -> None:
        if "a limit on memory" in self.engine.facts.unsupported:
            return
        limits = hardening.memory_limit(self.kind, memory_bytes)
        try:
            self.engine.call("set a limit", lambda client: client.update_container(self.container, **limits))
        except SandboxUnavailable as error:
            raise OSError(str(error)) from error

    def _new_memory_kill(self, reply: protocol.Reply) -> bool:
        killed = bool(reply.flags & protocol.MEMORY_KILL)
        self._memory_kills = self._memory_kills or killed
        return killed

    def _died_of_memory(self) -> bool:
        """Ask the engine, which tells of a container whether ever a process was killed for want of memory."""
        if self._memory_kills:
            return False  # by an earlier program, which was told
        with contextlib.suppress(SandboxUnavailable):
            for _ in range(20):
                found = self.engine.call("look at a container", lambda client: client.inspect_container(self.container))
                if not found["State"]["Running"]:
                    return bool(found["State"]["OOMKilled"])
                time.sleep(0.05)
        return False

    def close(self) -> None:
        """Let go of the fork server, which ends by that, and have the container removed."""
        self._finalizer()


def _end(owner: int, control: socket.socket, container: str, discard: Callable[[str], None]) -> None:
    control.close()
    if owner == os.getpid():
        discard(container)


_SLOTS: weakref.WeakSet[DockerSlot] = weakref.WeakSet()


def _after_fork() -> None:
    """In a forked copy the containers are its parent's: let go, or they would outlive it."""
    for slot in list(_SLOTS):
        slot._control.close()


os.register_at_fork(after_in_child=_after_fork)
