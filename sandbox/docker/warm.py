"""Spare containers: one is started ahead for the kinds in use, so that a lost one is replaced at once."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from ...errors import SandboxUnavailable
from ..local.pool import Batch
from .engine import Engine
from .hardening import Kind
from .owners import remove, remove_left
from .slots import DockerSlot

_MOST_SPARES = 2
_THREADS = 4


class WarmContainers:
    """Starts containers, keeps a spare of each of the latest kinds, and removes in the background what is let go.

    Args:
        engine: Where.
        start: Starts one of a kind; called from threads.
    """

    def __init__(self, engine: Engine, start: Callable[[Kind], DockerSlot]) -> None:
        self._engine = engine
        self._start = start
        self._reset()
        _POOLS.add(self)

    def _reset(self) -> None:
        """Begin with nothing; in a forked copy, too."""
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="assay-docker")
        self._spares: OrderedDict[Kind, Future[DockerSlot]] = OrderedDict()
        self._closed = False

    def take(self, kind: Kind, batch: Batch) -> DockerSlot:
        """A container of a kind, the spare one if there is any; another spare is started meanwhile.

        Raises:
            SandboxUnavailable: None could be started; while the daemon is away, only after some patience.
        """
        with self._lock:
            spare = self._spares.pop(kind, None)
        slot = self._spare(spare)
        if slot is None:
            slot = self._engine.wait(lambda: self._start(kind), lambda: batch.over or self._closed)
        self._prepare(kind)
        remove_left(self._engine)
        return slot

    def _spare(self, spare: Future[DockerSlot] | None) -> DockerSlot | None:
        if spare is None:
            return None
        with contextlib.suppress(SandboxUnavailable, OSError):
            slot = spare.result()
            if not slot.ended:
                return slot
            slot.close()
        return None

    def _prepare(self, kind: Kind) -> None:
        """Have a spare of this kind started, and let go of those of kinds that were wanted longest ago."""
        surplus: list[Future[DockerSlot]] = []
        with self._lock:
            if self._closed:
                return
            if kind not in self._spares:
                self._spares[kind] = self._threads.submit(self._start, kind)
            self._spares.move_to_end(kind)
            while len(self._spares) > _MOST_SPARES:
                surplus.append(self._spares.popitem(last=False)[1])
        for spare in surplus:
            spare.add_done_callback(_close)

    def discard(self, container: str) -> None:
        """Remove a container, soon and in the background."""
        try:
            self._threads.submit(remove, self._engine, container)
        except RuntimeError:  # closed: nobody is left to do it in the background
            remove(self._engine, container)
            self._engine.close()

    def close(self) -> None:
        """Let go of the spares, and wait until everything is removed."""
        with self._lock:
            self._closed = True
            spares = list(self._spares.values())
            self._spares.clear()
        for spare in spares:
            slot = self._spare(spare)
            if slot is not None:
                slot.close()
        self._threads.shutdown()
        remove_left(self._engine)


def _close(spare: Future[DockerSlot]) -> None:
    if not spare.cancelled() and spare.exception() is None:
        spare.result().close()


_POOLS: weakref.WeakSet[WarmContainers] = weakref.WeakSet()


def _after_fork() -> None:
    for warm in list(_POOLS):
        warm._reset()


os.register_at_fork(after_in_child=_after_fork)
