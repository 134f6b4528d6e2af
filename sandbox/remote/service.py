"""The service behind HTTP: one request at a time of many, tried again while that can help."""

from __future__ import annotations

import asyncio
import json
import math
import random
from dataclasses import dataclass
from typing import Any

import httpx
import tenacity

from ..base import Execution, Limits, Program
from .exchange import Request, execution_of, request_of
from .reading import Broken, Reply

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_JSON = {"Content-Type": "application/json"}
_CONNECT_SECONDS = 10.0
_QUEUE_SECONDS = 60.0  # beyond what a program may take, how long the service may let it wait
_LONGEST_PAUSE_SECONDS = 20.0
_MOST_SPARE_BYTES = 16 << 20  # of an answer, beyond what the limits of a program let it say
_DICE = random.SystemRandom()  # the global generator belongs to the trainer


@dataclass
class Passing(Exception):
    """A failure that another attempt may not meet.

    Attributes:
        reason: What happened.
        after: Seconds that the service asked to wait, 0 where it did not.
    """

    reason: str
    after: float = 0.0


class Refused(Exception):
    """A failure that every attempt would meet."""


def is_address(address: object) -> bool:
    """Whether a client can be made for it."""
    if not isinstance(address, str) or not address.startswith(("http://", "https://")):
        return False
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return False
    return bool(url.host) and not any(sign.isspace() or sign == "%" for sign in url.host) and (url.port or 1) < 1 << 16


class Service:
    """A client for one address. It belongs to one event loop.

    Args:
        address: Without the path.
        token: Sent as a bearer token; None sends none.
        concurrency: Requests under way at once.
        attempts: How often one program is tried.
        patience_seconds: After so long nothing is tried again.
    """

    def __init__(
        self, address: str, token: str | None, *, concurrency: int, attempts: int, patience_seconds: float
    ) -> None:
        self.address = address
        self._turns = asyncio.Semaphore(concurrency)
        self._attempts = attempts
        self._patience = patience_seconds
        self._http = httpx.AsyncClient(
            base_url=address,
            headers={} if token is None else {"Authorization": f"Bearer {token}"},
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        )

    async def run(self, program: Program, limits: Limits, *, attempts: int | None = None) -> Execution:
        """Run one program; what the service could not do is an execution of ours, with the reason."""
        attempts = attempts or self._attempts
        async with self._turns:
            try:
                async for attempt in self._tries(attempts):
                    with attempt:
                        return await self._once(program, limits)
            except Passing as failure:
                often = f"failed {attempts} times or for too long"
                return Execution(reason=f"{self.address} {often}: {failure.reason}")
            except Refused as failure:
                return Execution(reason=f"{self.address} refused: {failure}")
        raise AssertionError("an attempt either returns or raises")

    def _tries(self, attempts: int) -> tenacity.AsyncRetrying:
        return tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(Passing),
            stop=tenacity.stop_after_attempt(attempts) | tenacity.stop_after_delay(self._patience),
            wait=_pause,
            reraise=True,
        )

    async def _once(self, program: Program, limits: Limits) -> Execution:
        """One attempt. Each is a request of its own, with a token of its own: a late answer of another cannot pass."""
        request = request_of(program, limits)
        try:
            return execution_of(Reply.of(await self._post(request, _most_bytes(limits))), request, limits)
        except Broken as broken:
            raise Passing(str(broken)) from broken
        except RecursionError as error:
            raise Refused("its answer to /run_code nests too deep") from error

    async def _post(self, request: Request, most_bytes: int) -> Any:
        content = json.dumps(request.body).encode("ascii")  # httpx would not encode lone surrogates
        seconds = request.seconds + _QUEUE_SECONDS
        timeout = httpx.Timeout(seconds, connect=_CONNECT_SECONDS)
        try:
            async with (
                asyncio.timeout(seconds),  # httpx only bounds each read, and an answer can trickle in for ever
                self._http.stream("POST", "/run_code", content=content, headers=_JSON, timeout=timeout) as reply,
            ):
                said = await _read(reply, most_bytes)
        except httpx.TransportError as error:
            raise Passing(f"{type(error).__name__}: {error}".rstrip(": ")) from error
        except TimeoutError as error:
            raise Passing(f"its answer did not arrive within {seconds:g} s") from error
        except httpx.HTTPError as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
        if reply.status_code in _PASSING:
            raise Passing(_told(reply, said), _asked(reply))
        if reply.status_code != 200:
            raise Refused(_told(reply, said))
        try:
            return json.loads(said)
        except ValueError as error:
            start = said[:200].decode("utf-8", "replace")
            raise Refused(f"its answer to /run_code is no JSON, so it is no SandboxFusion: {start!r}") from error

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _most_bytes(limits: Limits) -> int:
    """How long an answer can be: outputs escaped as JSON, or reports and files in base64, which may be in one again."""
    outputs = limits.stdout_bytes + limits.stderr_bytes
    return 6 * outputs + 2 * (limits.result_bytes + limits.scratch_bytes) + _MOST_SPARE_BYTES


async def _read(reply: httpx.Response, most_bytes: int) -> bytes:
    said = bytearray()
    async for part in reply.aiter_bytes():
        said += part
        if len(said) > most_bytes:
            raise Refused(f"its answer to /run_code is longer than {most_bytes >> 20} MiB, more than a program can say")
    return bytes(said)


def _told(reply: httpx.Response, said: bytes) -> str:
    hint = {401: " (is the token right?)", 403: " (is the token right?)", 404: " (is this SandboxFusion?)"}
    return f"status {reply.status_code}{hint.get(reply.status_code, '')}: {said[:300].decode('utf-8', 'replace')}"


def _asked(reply: httpx.Response) -> float:
    asked = reply.headers.get("Retry-After", "")
    return float(asked) if asked.isdecimal() else 0.0


def _pause(state: tenacity.RetryCallState) -> float:
    """Seconds until the next attempt: at least what the service asks for, and up to 0.25 s doubled each time."""
    longest = min(_LONGEST_PAUSE_SECONDS, 0.25 * math.pow(2, state.attempt_number))
    failure = state.outcome.exception() if state.outcome is not None else None
    asked = failure.after if isinstance(failure, Passing) else 0.0
    return min(_LONGEST_PAUSE_SECONDS, asked) + longest * _DICE.random()
