"""What hostile programs must not find: a secret in the environment, in memory and on disk, and listeners."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FOLDER = Path("/var/tmp/assay-canary")  # noqa: S108 - a place that every user of the host can read
_TCP, _UDP, _ABSTRACT = 18765, 18766, "\0sbx-canary"
_VARIABLE = "SBX_SECRET"


class Canaries:
    """The listeners and secrets that the attack programs look for; a context manager.

    Several processes may hold canaries at once: they share the ports, and the first one has the Unix sockets.

    Args:
        tcp_port: Another port than that of the attacks: for a test that shall be seen by its own canaries alone.

    Attributes:
        touched: What was reached, as text; empty when nothing was.
    """

    def __init__(self, tcp_port: int = _TCP) -> None:
        self._tcp_port = tcp_port
        self.touched: list[str] = []
        self._secret = "EXPECTED" + "-7f3a9c" + "-host-secret"
        self._listeners: dict[socket.socket, str] = {}
        self._lock: int | None = None
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        os.environ[_VARIABLE] = "topsecret"
        self._listen("TCP", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", self._tcp_port))
        self._listen("UDP", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", _UDP))
        self._listen("abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, _ABSTRACT)
        with contextlib.suppress(OSError):  # another process holds them, just as good
            FOLDER.mkdir(mode=0o755, exist_ok=True)
            self._lock = os.open(FOLDER / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (FOLDER / "secret.txt").write_text("host secret\n")
            (FOLDER / "secret.txt").chmod(0o644)
            (FOLDER / "sock").unlink(missing_ok=True)
            self._listen("Unix socket", socket.AF_UNIX, socket.SOCK_STREAM, str(FOLDER / "sock"))
            (FOLDER / "sock").chmod(0o777)
        self._watcher.start()
        return self

    def _listen(self, what: str, family: int, kind: int, address: Any) -> None:
        listener = socket.socket(family, kind)
        if family == socket.AF_INET:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
        except OSError:
            listener.close()
        else:
            self._listeners[listener] = what

    def _watch(self) -> None:
        while not self._done.is_set():
            ready, _, _ = select.select(list(self._listeners), [], [], 0.1)
            for listener in ready:
                self.touched.append(self._listeners[listener])
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(1024)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.environ.pop(_VARIABLE, None)
        self._done.set()
        self._watcher.join()
        for listener, what in self._listeners.items():
            listener.close()
            if what == "Unix socket":
                for name in ("sock", "secret.txt", "lock"):
                    (FOLDER / name).unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    FOLDER.rmdir()
        if self._lock is not None:
            os.close(self._lock)
