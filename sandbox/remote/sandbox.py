"""``RemoteSandbox``: programs on a service that speaks SandboxFusion's HTTP interface."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Self

from ...bounds import at_least, positive
from ...errors import InputError, MissingExtra, SandboxUnavailable
from ..admission import check_request
from ..base import Execution, Limits, Program, Status
from .exchange import check as check_carried
from .loop import Loop

try:
    from .service import Service, is_address
except ModuleNotFoundError as error:
    raise MissingExtra(str(error.name), "remote") from error

_DEFAULTS = Limits()
_PROBE = Program("print(6 * 7)")
_PROBE_ATTEMPTS = 3
_LINKED = (
    "a service of SandboxFusion's kind runs one program for each request, and cannot join two; tests that need that "
    "(kind 'code' where it cannot be converted) want the local or the Docker sandbox"
)
#: What the process in front of a Python program enforces.
ENFORCED = (
    "wall time and output of the whole run, for Python",
    "CPU time, address space, open files and file size of each process, for Python",
)
#: What nobody here can promise.
MISSING = (
    "isolation from the network, the service's files and other runs: the service's own affair",
    "memory and processes of the whole run together",
    "disk space and number of files",
    "an end of processes that leave their process group",
    "programs in other languages: any limit but the service's time and memory; output that is no UTF-8",
    "a program's honesty about its time and exit: it can reach the process that watches it",
    "a fixed hash seed: that of the service's interpreter",
    "two programs joined by a stream",
)


class RemoteSandbox:
    """Runs programs on a service: ByteDance's SandboxFusion, or ``assay serve --sandbox``.

    Programs go one for each request, a bounded number under way. What may pass by itself (429, 5xx, a lost connection,
    a "SandboxError") is tried again after jittered pauses; after that it is SANDBOX_ERROR. A Python program runs
    behind a process of ours that gives it exact bytes, limits, arguments and the private channel; for other languages
    only source, text, files and the service's own limits are sent. ``Execution.missing`` tells what nobody enforces.
    Usable from many threads, from asyncio, and in a forked copy of the process.

    Args:
        address: As "http://host:8080"; None takes ASSAY_REMOTE from the environment.
        token: Sent as a bearer token; None takes ASSAY_TOKEN from the environment, if set.
        concurrency: Programs under way at once.
        attempts: How often one program is tried.
        patience_seconds: After so long a program is not tried again.

    Raises:
        InputError: There is no address, or none of HTTP's; the token fits no header; a number is not positive.
        SandboxUnavailable: The service does not answer, or not as it should.
        MissingExtra: httpx or tenacity is not installed.
    """

    name = "remote"

    def __init__(
        self,
        address: str | None = None,
        *,
        token: str | None = None,
        concurrency: int = 64,
        attempts: int = 10,
        patience_seconds: float = 120.0,
    ) -> None:
        address = address or os.environ.get("ASSAY_REMOTE", "")
        if not is_address(address):
            raise InputError(
                f"the remote sandbox's address is {address!r}; expected one such as 'http://localhost:8080', as the "
                "first argument or in ASSAY_REMOTE"
            )
        token = token or os.environ.get("ASSAY_TOKEN") or None
        if token is not None and not (token.isascii() and token.isprintable()):
            raise InputError("the token holds characters that no HTTP header carries; expected printable ASCII")
        at_least(1, concurrency=concurrency, attempts=attempts)
        positive(patience_seconds=patience_seconds)
        self.address = address.rstrip("/")
        self._connect = partial(
            Service,
            self.address,
            token,
            concurrency=concurrency,
            attempts=attempts,
            patience_seconds=patience_seconds,
        )
        self._closed = False
        self._begin()
        self._probe()

    def run(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """Run each program; see ``Sandbox.run``."""
        work = self._start(programs, limits, deadline_seconds)
        try:
            return work.result()
        except CancelledError:
            raise self._was_closed() from None
        except BaseException:
            work.cancel()
            raise

    async def arun(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """``run`` for asyncio; see ``Sandbox.arun``. Cancelling the task drops its requests."""
        return await asyncio.wrap_future(self._start(programs, limits, deadline_seconds))

    def run_linked(
        self, pairs: Sequence[tuple[Program, Program]], limits: Limits | None = None
    ) -> list[tuple[Execution, Execution]]:
        """Not offered by the interface: every pair is SANDBOX_ERROR, with the reason."""
        self._check([program for pair in pairs for program in pair], limits)
        refused = self._stamped(Execution(reason=_LINKED), 0.0)
        return [(refused, refused)] * len(pairs)

    def close(self) -> None:
        """Drop what is under way and close the connections; a closed sandbox refuses further runs."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._owner == os.getpid():
            self._loop.close(self._service.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """A loop and connections of this process."""
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._loop = Loop()
        self._service = self._loop.start(self._connected()).result()

    async def _connected(self) -> Service:
        return self._connect()

    def _probe(self) -> None:
        """Run one program, so that a wrong address or a service of another kind is found out now."""
        [execution] = self._loop.start(self._batch([_PROBE], _DEFAULTS, None, _PROBE_ATTEMPTS)).result()
        if execution.status is Status.OK and execution.stdout == b"42\n":
            return
        self.close()
        raise SandboxUnavailable(
            f"the service at {self.address} cannot run programs: {execution.reason or execution.stderr!r}. Expected "
            "SandboxFusion, or `assay serve --sandbox auto`; a token goes into ASSAY_TOKEN"
        )

    def _check(self, programs: Sequence[Program], limits: Limits | None) -> Limits:
        """Check everything before anything is sent."""
        if self._closed:
            raise self._was_closed()
        limits = limits or _DEFAULTS
        check_request(programs, limits)
        for program in programs:
            check_carried(program)
        return limits

    def _start(
        self, programs: Sequence[Program], limits: Limits | None, deadline_seconds: float | None
    ) -> Future[list[Execution]]:
        limits = self._check(programs, limits)
        if self._owner != os.getpid():
            self._begin()
        return self._loop.start(self._batch(list(programs), limits, deadline_seconds))

    async def _batch(
        self, programs: list[Program], limits: Limits, seconds: float | None, attempts: int | None = None
    ) -> list[Execution]:
        asked = time.monotonic()
        tasks = [asyncio.ensure_future(self._service.run(program, limits, attempts=attempts)) for program in programs]
        if not tasks:
            return []
        try:
            await asyncio.wait(tasks, timeout=seconds)
            return [self._taken(task, asked) for task in tasks]
        finally:
            for task in tasks:
                task.cancel()

    def _taken(self, task: asyncio.Task[Execution], asked: float) -> Execution:
        if not task.done():
            return self._stamped(Execution(reason="the batch's deadline passed"), time.monotonic() - asked)
        error = task.exception()
        if error is not None:  # one program's trouble shall not cost the others their runs
            return self._stamped(Execution(reason=f"the client failed: {type(error).__name__}: {error}"), 0.0)
        execution = task.result()
        return self._stamped(execution, max(0.0, time.monotonic() - asked - execution.wall_seconds))

    def _stamped(self, execution: Execution, queued: float) -> Execution:
        return replace(execution, queue_seconds=queued, backend=self.name, enforced=ENFORCED, missing=MISSING)

    @staticmethod
    def _was_closed() -> SandboxUnavailable:
        return SandboxUnavailable("this sandbox is closed; open another one with open_sandbox()")
