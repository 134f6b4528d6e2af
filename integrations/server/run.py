"""Running the application: what only the HTTP server can bound, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...errors import InputError
from .closing import accept_the_last, read_the_last
from .gate import HEAD_BYTES
from .settings import ServerSettings

_FAREWELL_SECONDS = 1.0  # while draining, how long connections still get answers, with `Connection: close`
_LAST_SECONDS = 1.0  # after listening ended, for connections that send nothing
_LATEST_SECONDS = 5.0  # for what waits to be accepted, on a machine that is busy


def serve(app: FastAPI, settings: ServerSettings, *, announce: Callable[[str], None] = lambda address: None) -> None:
    """Serve until SIGTERM or SIGINT, then finish what is under way; returns when all is done.

    Args:
        app: Made by ``create_app`` with the same settings.
        settings: Where to listen, and for how long to wait.
        announce: Told the address once requests are answered.

    Raises:
        InputError: The address cannot be listened on.
    """
    with _listener(settings) as listener:
        config = uvicorn.Config(
            app,
            http=_deadlined(settings),
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=max(1, round(settings.idle_seconds)),
            timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
            h11_max_incomplete_event_size=HEAD_BYTES,
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{host}:{listener.getsockname()[1]}"
        server = _Server(config, app.state.phase, lambda: announce(address))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, server.handle_exit)  # before uvicorn listens for it, and again when it is done
        asyncio.run(server.serve(sockets=[listener]))
    if app.state.bench.overdue:  # a verifier that hangs would keep the process from ending
        sys.stderr.flush()
        os._exit(0)


def _listener(settings: ServerSettings) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()  # now, since two that are only bound may share an address
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise InputError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}; choose another --host or --port"
        ) from error
    return listener


class _Server(uvicorn.Server):
    """Tells when it answers; and says goodbye before it closes connections."""

    def __init__(self, config: uvicorn.Config, phase: Any, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._phase = phase
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let each client's next answer end its connection, so that none is closed on a request that is on its way."""
        self._phase.draining = True
        await asyncio.sleep(_FAREWELL_SECONDS)
        await accept_the_last(sockets or [], _LATEST_SECONDS)
        for server in self.servers:
            server.close()
        await read_the_last(self.server_state.connections, _LAST_SECONDS)
        await super().shutdown(sockets=sockets)


class _Deadlined(H11Protocol):
    """A connection on which the head of a request, and the reading of an answer, take no longer than they may."""

    head_seconds: float
    reading_seconds: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux: the kernel ends what the client does not take
            milliseconds = max(1, round(self.reading_seconds * 1000))
            connection = transport.get_extra_info("socket")
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        self._timer = self.loop.call_later(self.head_seconds, self._too_slow)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        waits = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if not waits:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_seconds, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            body = b'{"error": "the head of the request did not arrive in time"}'
            head = b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
            self.transport.write(head + b"content-length: %d\r\n\r\n" % len(body) + body)
            self.transport.close()


def _deadlined(settings: ServerSettings) -> type[H11Protocol]:
    """The protocol with the settings' deadlines; uvicorn makes its objects itself, and hands them none of ours."""
    seconds = {"head_seconds": settings.header_seconds, "reading_seconds": settings.body_seconds}
    return type("Deadlined", (_Deadlined,), seconds)
