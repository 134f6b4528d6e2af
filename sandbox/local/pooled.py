"""``PooledSandbox``: what every sandbox does that runs programs through a pool of fork servers."""

from __future__ import annotations

import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, ClassVar, Self

from ...errors import SandboxUnavailable
from ..admission import check_request, wall_limit
from ..base import Execution, Limits, Program, Status
from .job import Command, Job
from .languages import Languages
from .pool import Batch, Pool
from .server import Server, SlotLost
from .slot.protocol import STARVED, WALL

_TRIES = 3
_DEFAULTS = Limits()


@dataclass(frozen=True)
class Order:
    """What one call asks for: limits, when it asked, and until when it waits (``time.monotonic`` seconds)."""

    limits: Limits
    asked: float
    until: float | None

    def wall_seconds(self) -> tuple[float, bool]:
        """Wall seconds for a run that starts now, and whether the batch's deadline, not the limit, sets them."""
        wall = wall_limit(self.limits)
        if self.until is None or self.until - time.monotonic() >= wall:
            return wall, False
        return self.until - time.monotonic(), True


class PooledSandbox(ABC):
    """Orders, batches, retries and deadlines; a backend brings the pool, the languages and what it enforces.

    Attributes:
        name: Of the backend.
        slots: How many programs run at once.
        enforced: What keeps programs in.
        missing: What is not enforced here.
    """

    name: ClassVar[str]
    slots: int
    enforced: tuple[str, ...]
    missing: tuple[str, ...]
    _pool: Pool[Any, Any]
    _languages: Languages

    def run(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """Run each program; see ``Sandbox.run``."""
        order = self._order(programs, limits, deadline_seconds)
        batch = Batch(order.until)
        return self._pool.map(lambda program, batch: self._one(program, order, batch), programs, batch)

    def run_linked(
        self, pairs: Sequence[tuple[Program, Program]], limits: Limits | None = None
    ) -> list[tuple[Execution, Execution]]:
        """Run pairs of programs joined by a stream; see ``Sandbox.run_linked``."""
        order = self._order([program for pair in pairs for program in pair], limits, None)
        return self._pool.map(lambda pair, batch: self._pair(pair, order, batch), pairs)

    async def arun(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """``run`` for asyncio; see ``Sandbox.arun``. Cancelling the task ends its programs."""
        order = self._order(programs, limits, deadline_seconds)
        return await self._pool.call(
            lambda batch: self._pool.map(lambda program, batch: self._one(program, order, batch), programs, batch),
            order.until,
        )

    def close(self) -> None:
        """End every process of this sandbox; a closed sandbox refuses further runs."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _order(self, programs: Sequence[Program], limits: Limits | None, deadline_seconds: float | None) -> Order:
        """Check everything before anything runs."""
        self._pool.check_open()
        limits = limits or _DEFAULTS
        check_request(programs, limits)
        for program in programs:
            self._languages.check(program.language)
        asked = time.monotonic()
        return Order(limits, asked, None if deadline_seconds is None else asked + deadline_seconds)

    def _one(self, program: Program, order: Order, batch: Batch) -> Execution:
        """Run one program; failures of ours are retried a few times, starvation once."""
        [execution] = self._retried([program], order, batch)
        return execution

    def _pair(self, pair: tuple[Program, Program], order: Order, batch: Batch) -> tuple[Execution, Execution]:
        first, second = self._retried(list(pair), order, batch)
        return first, second

    def _retried(self, programs: list[Program], order: Order, batch: Batch) -> list[Execution]:
        starved_before = False
        for attempt in range(_TRIES):
            executions, starved = self._attempt(programs, order, batch)
            failed = any(execution.status is Status.SANDBOX_ERROR for execution in executions)
            late = order.until is not None and time.monotonic() >= order.until
            if batch.cancelled or late or not (failed or (starved and not starved_before)):
                break
            starved_before = starved_before or starved
            if failed:
                time.sleep(0.05 * attempt)
        return executions

    def _attempt(self, programs: list[Program], order: Order, batch: Batch) -> tuple[list[Execution], bool]:
        """Run programs at the same time, joined if there are two; and whether one starved."""
        wall, cut_by_batch = order.wall_seconds()
        if wall <= 0:
            return [self._failed("the batch's deadline passed before it started", order)] * len(programs), False
        commands: list[Command] = []
        for program in programs:
            prepared = self._languages.prepare(program, order.limits, batch)
            if isinstance(prepared, Execution):
                return [self._stamped(prepared, order)] * len(programs), False
            commands.append(prepared)
        try:
            return self._run_prepared(programs, commands, order, batch, wall, cut_by_batch=cut_by_batch)
        except (SandboxUnavailable, OSError) as error:
            return [self._failed(str(error), order)] * len(programs), False

    def _run_prepared(
        self,
        programs: list[Program],
        commands: list[Command],
        order: Order,
        batch: Batch,
        wall: float,
        *,
        cut_by_batch: bool,
    ) -> tuple[list[Execution], bool]:
        """Run what has been compiled, on slots; and whether one starved."""
        executions: list[Execution] = []
        starved = False
        started = time.monotonic()
        ends = socket.socketpair() if len(programs) == 2 else (None, None)
        with ExitStack() as stack:
            for end in ends:
                if end is not None:
                    stack.enter_context(end)
            runs = [
                self._start(program, command, order, batch, wall, end, stack)
                for program, command, end in zip(programs, commands, ends, strict=False)
            ]
            for end in ends:
                if end is not None:
                    end.close()  # else the other program would never read end of file
            for slot, job in runs:
                execution, hungry = self._finish(slot, job, order, cut_by_batch=cut_by_batch)
                starved = starved or hungry
                executions.append(self._stamped(execution, order, started))
        return executions, starved

    def _finish(self, slot: Server, job: Job, order: Order, *, cut_by_batch: bool) -> tuple[Execution, bool]:
        """Wait for a run's end: what it did, and whether the machine starved it."""
        try:
            answer = slot.finish()
        except SlotLost as lost:
            slot.lost = True
            return self._lost(lost, order), False
        execution = job.execution(answer)
        if cut_by_batch and answer.reply.flags & WALL:
            execution = replace(execution, status=Status.SANDBOX_ERROR, reason="the batch's deadline passed")
        return execution, answer.machine_kill or bool(answer.reply.flags & STARVED)

    def _start(
        self,
        program: Program,
        command: Command,
        order: Order,
        batch: Batch,
        wall: float,
        end: socket.socket | None,
        stack: ExitStack,
    ) -> tuple[Server, Job]:
        channel = None if end is None else end.fileno()
        job = stack.enter_context(Job(program, order.limits, command, wall, channel=channel))
        slot = stack.enter_context(self._pool.slot(self._kind(command, order.limits), batch))
        slot.begin(job.request, job.fds, job.cgroup_bytes)
        batch.enter(slot)
        return slot, job

    @abstractmethod
    def _kind(self, command: Command, limits: Limits) -> Any:
        """The kind of slot, as the pool knows kinds, on which to run a command."""

    def _compile(self, program: Program, limits: Limits, batch: Batch) -> Execution:
        """Run a compiler's driver in a slot of its own."""
        return self._one(program, Order(limits, time.monotonic(), None), batch)

    def _lost(self, lost: SlotLost, order: Order) -> Execution:
        if lost.memory_kill:
            limit = order.limits.memory_bytes >> 20
            return Execution(Status.MEMORY_LIMIT, reason=f"it used more than {limit} MiB of memory")
        return Execution(reason=f"the sandbox failed: {lost}")

    def _failed(self, reason: str, order: Order) -> Execution:
        return self._stamped(Execution(reason=reason), order)

    def _stamped(self, execution: Execution, order: Order, started: float | None = None) -> Execution:
        waited = (time.monotonic() if started is None else started) - order.asked
        return replace(execution, queue_seconds=waited, backend=self.name, enforced=self.enforced, missing=self.missing)
