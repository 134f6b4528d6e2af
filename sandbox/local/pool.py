"""The slots of a sandbox, and the threads that feed them.

A batch is pulled, never pushed: each of its workers takes the next program when it is done with one, so that however
long the batch, only as many programs as there are slots are under way, and the caller waits (backpressure). The calling
thread is itself a worker; a batch of one costs no change of threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from ...errors import SandboxUnavailable
from .server import Server

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound=Server)
K = TypeVar("K", bound=Hashable)
_ASYNC_CALLERS = 64


class Batch:
    """What one call has under way, so that it can be ended from outside.

    Args:
        until: Until when it waits, ``time.monotonic`` seconds; None for as long as it takes.
    """

    def __init__(self, until: float | None = None) -> None:
        self.until = until
        self.cancelled = False
        self._active: set[int] = set()
        self._slots: dict[int, Server] = {}
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.cancelled or (self.until is not None and time.monotonic() >= self.until)

    def enter(self, slot: Server) -> None:
        """Note that ``slot`` has begun to run a program of this batch; not earlier, or a cancellation would miss it."""
        with self._lock:
            self._slots[id(slot)] = slot
            if self.cancelled:
                slot.cancel()

    def leave(self, slot: Server) -> None:
        """Note that it is done."""
        with self._lock:
            self._slots.pop(id(slot), None)

    def cancel(self) -> None:
        """End what runs and start nothing more; from any thread."""
        with self._lock:
            self.cancelled = True
            for slot in self._slots.values():
                slot.cancel()


class Pool(Generic[K, S]):
    """Idle slots by kind, and a bound on how many programs run at once.

    Args:
        size: That bound.
        start: Starts a slot of a kind for a batch.
        most_idle: How many slots of all kinds are kept; None for all. Those used longest ago go first.
    """

    def __init__(self, size: int, start: Callable[[K, Batch], S], *, most_idle: int | None = None) -> None:
        self.size = size
        self._start = start
        self._most_idle = most_idle
        self._reset()
        _POOLS.add(self)

    def _reset(self) -> None:
        """Begin with nothing; after a fork, so does the child, whose copies of the slots are its parent's."""
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(self.size)
        self._idle: OrderedDict[K, list[S]] = OrderedDict()
        self._batches: weakref.WeakSet[Batch] = weakref.WeakSet()
        self._helpers: ThreadPoolExecutor | None = None
        self._callers: ThreadPoolExecutor | None = None
        self._closed = False

    def check_open(self) -> None:
        """Refuse work after ``close``.

        Raises:
            SandboxUnavailable: The sandbox is closed.
        """
        if self._closed:
            raise SandboxUnavailable("this sandbox is closed; open another one with open_sandbox()")

    @contextlib.contextmanager
    def slot(self, kind: K, batch: Batch) -> Iterator[S]:
        """A slot of a kind for the time of one run; it is closed where the run lost it, else kept warm.

        Raises:
            SandboxUnavailable: None could be started.
        """
        with self._lock:
            idle = self._idle.setdefault(kind, [])
            self._idle.move_to_end(kind)
            found = [idle.pop()] if idle else []
            while found and found[-1].ended and idle:
                found.append(idle.pop())
        slot = found.pop() if found and not found[-1].ended else None
        for dead in found:
            dead.close()
        slot = slot or self._start(kind, batch)
        keep = False
        try:
            yield slot
            keep = not slot.stale
        finally:
            batch.leave(slot)
            with self._lock:
                keep = keep and not self._closed
                if keep:
                    self._idle.setdefault(kind, []).append(slot)
                surplus = self._surplus() if keep else [slot]
            for other in surplus:
                other.close()

    def _surplus(self) -> list[S]:
        """Take out the idle slots beyond the bound, those of the kinds used longest ago; the lock is held."""
        found: list[S] = []
        while self._most_idle is not None and sum(map(len, self._idle.values())) > self._most_idle:
            kind = next(iter(self._idle))
            if self._idle[kind]:
                found.append(self._idle[kind].pop(0))
            else:
                del self._idle[kind]
        return found

    def map(self, work: Callable[[T, Batch], R], items: Sequence[T], batch: Batch | None = None) -> list[R]:
        """``work`` for each item, at most ``size`` at once; the results in the order of the items.

        Raises:
            SandboxUnavailable: The sandbox was closed or the batch cancelled meanwhile.
        """
        self.check_open()
        batch = batch or Batch()
        with self._lock:
            self._batches.add(batch)
        results: dict[int, R] = {}
        numbers = itertools.count()

        def pull() -> None:
            while (number := next(numbers)) < len(items) and not batch.cancelled:
                with self._turns:
                    results[number] = work(items[number], batch)

        helpers: list[Future[None]] = []
        try:
            if len(items) > 1 and self.size > 1:
                executor = self._executor()
                helpers = [executor.submit(pull) for _ in range(min(len(items), self.size) - 1)]
            pull()
            for helper in helpers:
                if not helper.cancel():
                    helper.result()
        except BaseException:
            batch.cancel()
            for helper in helpers:
                if not helper.cancel():
                    helper.exception()
            raise
        self.check_open()
        if batch.cancelled:
            raise SandboxUnavailable("the batch was cancelled")
        return [results[number] for number in range(len(items))]

    async def call(self, work: Callable[[Batch], R], until: float | None = None) -> R:
        """``work`` in a thread of the pool's own; cancelling the task cancels its batch, which waits ``until`` then."""
        self.check_open()
        with self._lock:
            if self._callers is None:
                self._callers = ThreadPoolExecutor(_ASYNC_CALLERS, thread_name_prefix="assay-async")
        batch = Batch(until)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._callers, work, batch)
        except asyncio.CancelledError:
            batch.cancel()
            raise

    def idle(self) -> list[S]:
        """The slots that run nothing."""
        with self._lock:
            return [slot for slots in self._idle.values() for slot in slots]

    def _executor(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._helpers is None:
                self._helpers = ThreadPoolExecutor(self.size, thread_name_prefix="assay-sandbox")
            return self._helpers

    def close(self) -> None:
        """End every slot; batches under way are cancelled."""
        with self._lock:
            self._closed = True
            idle = [slot for slots in self._idle.values() for slot in slots]
            self._idle.clear()
            batches = list(self._batches)
        for batch in batches:
            batch.cancel()
        for slot in idle:
            slot.close()
        for executor in (self._helpers, self._callers):
            if executor is not None:
                executor.shutdown()


_POOLS: weakref.WeakSet[Pool[Any, Any]] = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_POOLS):
        pool._reset()


os.register_at_fork(after_in_child=_after_fork)
