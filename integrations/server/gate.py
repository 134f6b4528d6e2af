"""What every request passes before anything is read or judged: token, host, size, time and number."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics
from .settings import ServerSettings, is_loopback

#: Asked by load balancers, by clients that look for SandboxFusion, and by browsers: they need no token.
OPEN_PATHS = ("/health", "/ready", "/v1/ping", "/docs", "/openapi.json")
HEAD_BYTES = 32 << 10
_RETRY_SECONDS = "1"
_LINGER_SECONDS = 2.0


@dataclass(slots=True)
class Phase:
    """Where the server stands: it starts, is ready, or drains.

    Attributes:
        ready: Whether everything is open.
        draining: Whether it was told to stop: connections end with their next answer.
    """

    ready: bool = False
    draining: bool = False


@dataclass(eq=False)
class Refusal(Exception):
    """Why a request is turned away.

    Attributes:
        status: The HTTP status.
        why: In a word, for the metrics.
        error: In a sentence, for the client.
    """

    status: int
    why: str
    error: str


class Gate:
    """ASGI middleware around the whole application.

    Args:
        app: The application.
        settings: What is allowed.
        metrics: Where requests are counted.
        phase: Where the server stands.
        paths: Paths that are counted under their own name; all others are "other".
    """

    def __init__(
        self, app: ASGIApp, settings: ServerSettings, metrics: Metrics, phase: Phase, paths: frozenset[str]
    ) -> None:
        self.app = app
        self.phase = phase
        self.settings = settings
        self.metrics = metrics
        self.paths = paths
        self.in_flight = 0
        self._token = None if settings.token is None else settings.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand the scope on where it is none."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500
        unread = scope["method"] != "POST" and _has_body(scope)

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self.phase.draining or unread:  # a body that nobody reads may have no end
                    message = {**message, "headers": [*message.get("headers", []), (b"connection", b"close")]}
            await send(message)

        try:
            await self._answer(scope, receive, counted)
        finally:
            path = scope["path"] if scope["path"] in self.paths else "other"
            self.metrics.requests.labels(path, str(status)).inc()
            self.metrics.seconds.labels(path).observe(time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._admit(scope)
            if scope["method"] != "POST":
                await self.app(scope, receive, send)
                return
            with self._place():
                body = await self._body(receive)
                await self.app(scope, _replayed(body, receive), send)
        except Refusal as refusal:
            self.metrics.refused.labels(refusal.why).inc()
            await _refuse(refusal, scope, receive, send, 4 * self.settings.body_bytes)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """One of the places for requests under way."""
        if self.in_flight >= self.settings.in_flight:
            raise Refusal(503, "busy", f"{self.in_flight} requests are under way; try again in a moment")
        self.in_flight += 1
        self.metrics.in_flight.inc()
        try:
            yield
        finally:
            self.in_flight -= 1
            self.metrics.in_flight.dec()

    def _admit(self, scope: Scope) -> None:
        """Look at the head alone."""
        headers = Headers(scope=scope)
        if (
            _head_bytes(scope) > HEAD_BYTES
        ):  # h11 looks at the size of what is not whole yet, and one packet may be whole
            raise Refusal(400, "head", f"the head of the request is larger than {HEAD_BYTES} bytes")
        if self._token is None:
            host = headers.get("host", "").rpartition("@")[2]
            name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
            if not is_loopback(name):  # a page of another site whose name was made to lead here
                raise Refusal(421, "host", f"this server answers on loopback alone, and {host[:100]!r} is another host")
        elif scope["path"] not in OPEN_PATHS or scope["method"] not in ("GET", "HEAD"):  # what is sent takes a place
            given = _token_in(headers.get("authorization", ""))
            if not hmac.compare_digest(given, self._token):
                raise Refusal(401, "token", "this server wants `Authorization: Bearer TOKEN`, with the right token")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self.settings.body_bytes:
            raise self._too_large()

    def _too_large(self) -> Refusal:
        return Refusal(413, "size", f"the body is larger than {self.settings.body_bytes} bytes; send smaller batches")

    async def _body(self, receive: Receive) -> bytes:
        chunks, size = [], 0
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "gone", "the connection ended before the body did")
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    if size > self.settings.body_bytes:
                        raise self._too_large()
                    if not message.get("more_body", False):
                        return b"".join(chunks)
        except TimeoutError:
            seconds = f"{self.settings.body_seconds:g}"
            raise Refusal(408, "slow", f"the body did not arrive within {seconds} s") from None


def _token_in(authorization: str) -> bytes:
    """The token of a Bearer header, or the password of a Basic one: clients that know no tokens make it from a URL."""
    kind, _, given = authorization.partition(" ")
    if kind.lower() == "bearer":
        return given.strip().encode("latin-1", "replace")
    if kind.lower() == "basic":
        try:
            return base64.b64decode(given.strip(), validate=True).partition(b":")[2]
        except ValueError:
            return b""
    return b""


def _head_bytes(scope: Scope) -> int:
    target = len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))
    return target + sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _replayed(body: bytes, receive: Receive) -> Receive:
    """``receive`` for the application: the body that was read, then what comes after it."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send, most_bytes: int) -> None:
    headers = {"content-type": "application/json"}
    if refusal.status == 503:
        headers["retry-after"] = _RETRY_SECONDS
    if refusal.status == 401:
        headers["www-authenticate"] = "Bearer"
    waits_for_continue = "expect" in Headers(scope=scope)
    if waits_for_continue or not await _discard(receive, most_bytes):
        headers["connection"] = "close"
    body = json.dumps({"error": refusal.error}).encode()
    await send({"type": "http.response.start", "status": refusal.status, "headers": _raw(headers, len(body))})
    await send({"type": "http.response.body", "body": body})


def _raw(headers: Mapping[str, str], length: int) -> list[tuple[bytes, bytes]]:
    named = {**headers, "content-length": str(length)}
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in named.items()]


async def _discard(receive: Receive, most_bytes: int) -> bool:
    """Read for a moment what the client still sends, for closing on unread data would cost it the answer.

    Returns:
        Whether all of it came, so that the connection can be used again.
    """
    try:
        async with asyncio.timeout(_LINGER_SECONDS):
            while most_bytes > 0:
                message = await receive()
                if not message.get("more_body", False):
                    return bool(message["type"] == "http.request")
                most_bytes -= len(message.get("body", b""))
    except TimeoutError:
        pass
    return False
