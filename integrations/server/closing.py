"""Ending a listener so that no request is lost that a client has already sent.

The kernel completes connections on its own: closing a listener resets all that wait to be accepted, with the requests
in them. So no new ones are let in first, then those that wait are accepted, and their requests read.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import select
import socket
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterable
from typing import Any

_SO_ATTACH_FILTER = 26  # Linux, include/uapi/asm-generic/socket.h
#: Classic BPF on the TCP header: drop a packet that has SYN and not ACK among its flags, which are its byte 13.
_NO_NEW = ((0x30, 0, 0, 13), (0x54, 0, 0, 0x12), (0x15, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
_POLL_SECONDS = 0.02
_QUIET_SECONDS = 0.1  # for handshakes that have begun


async def accept_the_last(listeners: Iterable[socket.socket], seconds: float) -> None:
    """Let no new connection in, and return when all that waited were accepted, or when the time is over.

    A client that connects after this tries again by itself, and is refused once the listener is closed. Only Linux can
    keep new connections out; elsewhere some may still come between the last look and the end of the listener.

    Args:
        listeners: Accepted from by the running event loop.
        seconds: How long to wait at most.
    """
    opened = [listener for listener in listeners if listener.fileno() >= 0]
    for listener in opened:
        _keep_out(listener)
    await asyncio.sleep(_QUIET_SECONDS)
    await _until(lambda: not select.select(opened, [], [], 0)[0], seconds)


async def read_the_last(connections: Iterable[Any], seconds: float) -> None:
    """Return when every connection has brought its first request and nothing unread, or when the time is over.

    Args:
        connections: uvicorn's protocols of those that are open, a collection that changes.
        seconds: How long to wait at most.
    """
    await _until(lambda: not any(map(_waits, list(connections))), seconds)


def _keep_out(listener: socket.socket) -> None:
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in _NO_NEW))
    try:
        listener.setsockopt(
            socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(_NO_NEW), ctypes.addressof(program))
        )
    except OSError:
        return  # a kernel without filters: as on other systems


def _waits(connection: Any) -> bool:
    if connection.transport.is_closing():
        return False
    if connection.cycle is None:
        return True
    try:
        number = connection.transport.get_extra_info("socket").fileno()
        [unread] = struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, b"\0" * 4))
    except OSError:
        return False
    return bool(unread)


async def _until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        await asyncio.sleep(_POLL_SECONDS)
