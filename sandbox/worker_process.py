"""What a ``Worker``'s process does, and the frames in which both sides speak."""

from __future__ import annotations

import importlib
import pickle
import resource
import signal
import socket
import struct
import time
from typing import Any

LENGTH = struct.Struct("<Q")
_GRACE_SECONDS = 1.0  # how long after the deadline an orphan's own timer fires


def read(stream: socket.socket, count: int, deadline: float | None = None) -> bytes:
    """Exactly ``count`` bytes; EOFError at the end of the stream, TimeoutError at the deadline."""
    parts = bytearray()
    while len(parts) < count:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            stream.settimeout(left)
        part = stream.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def serve(fd: int) -> None:
    """The process's side: import the function, then answer calls until the stream ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    stream = socket.socket(fileno=fd)
    target, memory_bytes = pickle.loads(read(stream, *LENGTH.unpack(read(stream, LENGTH.size))))  # noqa: S301
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        module, _, name = target.partition(":")
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # noqa: BLE001 - told to the caller, who raises it
        _answer(stream, False, _describe(error))
        return
    _answer(stream, True, None)
    while True:
        try:
            message = read(stream, *LENGTH.unpack(read(stream, LENGTH.size)))
        except EOFError:
            return
        try:
            seconds, arguments = pickle.loads(message)  # noqa: S301
            signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS)
            ok, value = True, function(*arguments)
        except Exception as error:  # noqa: BLE001 - told to the caller, who raises it
            ok, value = False, _describe(error)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _answer(stream, ok, value)


def _answer(stream: socket.socket, ok: bool, value: Any) -> None:
    try:
        message = pickle.dumps((ok, value))
    except Exception as error:  # noqa: BLE001 - an unpicklable or too large result is told to the caller
        message = pickle.dumps((False, f"a value that cannot be sent back: {_describe(error)}"))
    stream.sendall(LENGTH.pack(len(message)) + message)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000]
