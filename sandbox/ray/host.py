"""``Host``: the actor of one node. It holds an engine, opened when first needed, and serves batches with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .packing import unpack


@dataclass(frozen=True)
class About:
    """What an engine says of itself when it is open.

    Attributes:
        able: Kinds of items that it takes; batches of other kinds go elsewhere.
        facts: Whatever else its client wants to know, by name.
    """

    able: frozenset[str]
    facts: Mapping[str, Any]


class Engine(Protocol):
    """What does the work on a node."""

    @property
    def about(self) -> About:
        """What it takes."""

    async def work(self, method: str, items: list[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        """One result for each item. Cancelled, it ends what it began."""

    def close(self) -> None:
        """End every process it started."""


class Host:
    """The actor.

    Its methods are coroutines, so that Ray can cancel a call under way, and opening happens outside the constructor, so
    that its failure comes back as the exception it was.

    Args:
        make: Opens the engine.
        cpus: CPUs that it may use.
    """

    def __init__(self, make: Callable[[int], Engine], cpus: int) -> None:
        self._make = make
        self._cpus = cpus
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    async def open(self) -> About:
        """Open the engine where it is not yet, or no longer: Ray restarts an actor whose process died."""
        return (await asyncio.to_thread(self._opened)).about

    async def call(
        self, method: str, data: bytes, references: Sequence[Any], arguments: Mapping[str, Any]
    ) -> Sequence[Any]:
        """The results for packed items."""
        engine = await asyncio.to_thread(self._opened)
        values = [await reference for reference in references]
        return await engine.work(method, unpack(data, values), arguments)

    async def close(self) -> None:
        """Close the engine."""
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.close)

    def _opened(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = self._make(self._cpus)
            return self._engine
