"""``RaySandbox``: programs on the nodes of a Ray cluster, each of which holds a ``LocalSandbox``."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

from ...bounds import at_least
from ...errors import InputError, SandboxUnavailable
from ..admission import check_request
from ..base import Execution, Limits, Program, Status
from ..local import LocalSandbox
from ..local.languages import LANGUAGES
from .fleet import Fleet
from .host import About
from .packing import Packer
from .plan import Plan, checked_resources
from .scatter import Scatter, Work

_ASYNC_CALLERS = 64
_DEFAULTS = Limits()


class SandboxEngine:
    """The sandbox of one node."""

    def __init__(self, slots: int, mode: str) -> None:
        self._sandbox = LocalSandbox(slots, mode=mode)
        facts = {"slots": slots, "enforced": self._sandbox.enforced, "missing": self._sandbox.missing}
        self.about = About(frozenset(self._sandbox.languages), facts)

    async def work(self, method: str, items: list[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        """Programs for "run", pairs of them for "run_linked"."""
        if method == "run":
            return await self._sandbox.arun(items, **arguments)
        return await asyncio.to_thread(self._sandbox.run_linked, items, **arguments)

    def close(self) -> None:
        """End every process of the sandbox."""
        self._sandbox.close()


class RaySandbox:
    """Runs programs on all nodes of the Ray cluster that this process is connected to.

    Each node that will do gets one actor with a ``LocalSandbox``, started here or found: the processes of one Ray job
    that ask for the same share one. Programs go there in batches of 32 to 256, a bounded number on the way to each.
    Where an actor or a node is lost its programs run again elsewhere; nodes that join are used. ``Execution.enforced``
    tells what the node enforced.

    Args:
        slots: How many programs run at once on a node, which reserves as many of its CPUs; all but one where None.
        mode: As of ``LocalSandbox``, on every node.
        resources: What a node must have besides, as ``{"sandbox": 1}``: a custom resource keeps the sandboxes on the
            nodes that were started with it.
        in_flight: Batches under way to each node: one that runs, and one that waits beside it.
        start_seconds: How long to wait for a first node; and, later, while there is none at all.

    Raises:
        MissingExtra: Ray is not installed.
        SandboxUnavailable: This process is not connected to a cluster; no node has what is asked for, can start a host
            in time, or can isolate programs.
        InputError: An argument is not as described.
    """

    name = "ray"

    def __init__(
        self,
        slots: int | None = None,
        *,
        mode: str = "auto",
        resources: Mapping[str, float] | None = None,
        in_flight: int = 2,
        start_seconds: float = 60.0,
    ) -> None:
        if slots is not None:
            at_least(1, slots=slots)
        wanted = checked_resources(resources)
        digest = sha256(repr((mode, wanted)).encode()).hexdigest()[:8]
        plan = Plan(f"sandbox:{digest}", partial(_engine, mode), slots, 1, wanted, in_flight, start_seconds)
        self._fleet = Fleet(plan)
        self._lock = threading.Lock()
        self._callers: ThreadPoolExecutor | None = None

    @property
    def slots(self) -> int:
        """How many programs run at once, on all nodes together, at this moment."""
        return sum(about.facts["slots"] for about in self._abouts())

    def run(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """Run each program; see ``Sandbox.run``."""
        return self._run(programs, limits, deadline_seconds, threading.Event())

    def run_linked(
        self, pairs: Sequence[tuple[Program, Program]], limits: Limits | None = None
    ) -> list[tuple[Execution, Execution]]:
        """Run pairs of programs joined by a stream, both on one node; see ``Sandbox.run_linked``."""
        limits = self._check([program for pair in pairs for program in pair], limits)
        work = Work(
            "run_linked",
            lambda: {"limits": limits},
            lambda pair: _needs(*pair),
            lambda pair: any(map(_failed, pair)),
            lambda reason: (Execution(reason=reason), Execution(reason=reason)),
        )
        asked, scatter = time.monotonic(), Scatter(self._fleet, work, pairs, Packer())
        return [
            (_stamped(first, scatter.waited(number, asked)), _stamped(second, scatter.waited(number, asked)))
            for number, (first, second) in enumerate(scatter.run())
        ]

    async def arun(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """``run`` for asyncio; see ``Sandbox.arun``. Cancelling the task ends its programs."""
        stop = threading.Event()
        with self._lock:
            if self._callers is None:
                self._callers = ThreadPoolExecutor(_ASYNC_CALLERS, thread_name_prefix="assay-ray")
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._callers, self._run, programs, limits, deadline_seconds, stop
            )
        finally:
            stop.set()

    def close(self) -> None:
        """End the hosts that were started here; a closed sandbox refuses further runs."""
        self._fleet.close()
        if self._callers is not None:
            self._callers.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(
        self, programs: Sequence[Program], limits: Limits | None, deadline_seconds: float | None, stop: threading.Event
    ) -> list[Execution]:
        limits = self._check(programs, limits)
        asked = time.monotonic()
        until = None if deadline_seconds is None else asked + deadline_seconds

        def arguments() -> dict[str, Any]:
            # Clocks differ between machines: what is left is told when it is sent.
            return {"limits": limits, "deadline_seconds": None if until is None else max(0.0, until - time.monotonic())}

        work = Work("run", arguments, _needs, _failed, lambda reason: Execution(reason=reason), until)
        scatter = Scatter(self._fleet, work, programs, Packer(), stop)
        found = enumerate(scatter.run())
        return [_stamped(execution, scatter.waited(number, asked)) for number, execution in found]

    def _check(self, programs: Sequence[Program], limits: Limits | None) -> Limits:
        """Refuse what no run can do before anything runs."""
        self._fleet.check_open()
        limits = limits or _DEFAULTS
        check_request(programs, limits)
        for program in programs:
            if program.language not in LANGUAGES:
                raise InputError(f"language is {program.language!r}; expected one of {', '.join(LANGUAGES)}")
        for language in {_needs(program) for program in programs} - {"python"}:
            if self._abouts() and not self._fleet.has(language):
                raise SandboxUnavailable(
                    f"no node of the Ray cluster can run {language} programs; run `assay doctor` on one to see why"
                )
        return limits

    def _abouts(self) -> list[About]:
        return [post.about for post in self._fleet.posts() if post.about is not None]


def _engine(mode: str, slots: int) -> SandboxEngine:
    return SandboxEngine(slots, mode)


def _needs(*programs: Program) -> str:
    """The language that a node must be able to run; of a pair, the one that is not Python."""
    return next((program.language for program in programs if program.language != "python"), "python")


def _failed(execution: Execution) -> bool:
    return execution.status is Status.SANDBOX_ERROR


def _stamped(execution: Execution, waited: float) -> Execution:
    return replace(execution, backend=RaySandbox.name, queue_seconds=waited + execution.queue_seconds)
