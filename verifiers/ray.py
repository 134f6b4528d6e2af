"""``RayVerifier``: any verifier on all nodes of a Ray cluster, with the results it gives on one machine."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

from ..sandbox.ray.fleet import Fleet
from ..sandbox.ray.host import About
from ..sandbox.ray.packing import LARGE, Packer, size_of
from ..sandbox.ray.plan import Plan, checked_resources
from ..sandbox.ray.scatter import Scatter, Work
from .base import Result, Verdict, Verifier
from .compose import _Composite

_ANY = "any"


class VerifierEngine:
    """A copy of the verifier on a node. What it opened ends with the process."""

    def __init__(self, verifier: Verifier[Any]) -> None:
        self._verifier = verifier
        self.about = About(frozenset({_ANY}), {})

    async def work(self, method: str, items: list[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        """Results for (completion, reference, values of the columns)."""
        completions, references, rows = zip(*items, strict=True)
        columns = dict(zip(arguments["columns"], zip(*rows, strict=True), strict=False))
        return await asyncio.to_thread(self._judged, completions, references, columns)

    def close(self) -> None:
        """Nothing: the process ends next."""

    def _judged(
        self, completions: Sequence[str], references: Sequence[Any], columns: Mapping[str, Any]
    ) -> Sequence[Result]:
        """The results; a verifier that wants to end the process would leave its host alive and for ever silent."""
        try:
            return self._verifier.verify(completions, references, **columns)
        except (SystemExit, KeyboardInterrupt) as error:
            failed = Result.error(f"{self._verifier.name} failed: {type(error).__name__}: {error}"[:2000])
            return [failed] * len(completions)


class RayVerifier(_Composite):
    """Judges with copies of a verifier on the nodes of the Ray cluster that this process is connected to.

    Results are those of the verifier itself, ``seconds`` apart. Batches whose node is lost are judged again on another
    one; what no node can judge is an ERROR, without a score. The judges are started at the first use; copies of this
    object in the processes of one Ray job share them.

    For code there is a choice: ``RayVerifier(CodeVerifier(), cpus=None)`` judges whole completions on the nodes, while
    ``CodeVerifier(sandbox="ray")`` only runs the programs there and compares here.

    Args:
        verifier: What judges; it must be picklable, and its package installed on the nodes.
        cpus: CPUs that one copy reserves. 1 for a verifier that computes in Python, such as ``MathVerifier``: each node
            then gets as many copies as it has CPUs, of which one is left over. None for one that spreads over the cores
            by itself, such as ``CodeVerifier``: one copy for each node.
        resources: What a node must have besides, as ``{"sandbox": 1}``; each copy takes it.
        in_flight: Batches under way to each copy.
        start_seconds: How long to wait for a first node; and, later, while there is none at all.

    Raises:
        InputError: An argument is not as described.
    """

    def __init__(
        self,
        verifier: Verifier[Any],
        cpus: int | None,
        *,
        resources: Mapping[str, float] | None = None,
        in_flight: int = 2,
        start_seconds: float = 60.0,
    ) -> None:
        super().__init__({"verifier": verifier})
        most = 1 if cpus is None else None
        name = f"verifier:{verifier.name}:{uuid.uuid4().hex}"
        make = partial(_engine, verifier)
        self._plan = Plan(name, make, cpus, most, checked_resources(resources), in_flight, start_seconds)
        self._start()

    def _start(self) -> None:
        """What a pickle does not carry."""
        self._fleet: Fleet | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_fleet", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    @property
    def name(self) -> str:
        """That of the verifier."""
        return self._answering.name  # type: ignore[no-any-return]

    @property
    def deciding(self) -> Verifier[Any]:
        """The verifier whose results these are."""
        return self._answering.deciding  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the judges that were started here; the next use starts others."""
        with self._lock:
            fleet, self._fleet = self._fleet, None
        if fleet is not None:
            fleet.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _verify_batch(
        self, completions: list[str], references: list[Any], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        packer = Packer()
        used = Counter(id(reference) for reference in references)
        for reference in {id(reference): reference for reference in references}.values():
            if used[id(reference)] > 1 and size_of(reference) >= LARGE:
                packer.share(reference)
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(completions)
        work = Work("verify", lambda: {"columns": list(columns)}, lambda item: _ANY, _failed, Result.error)
        items = list(zip(completions, references, rows, strict=True))
        return Scatter(self._opened(), work, items, packer).run()

    def _opened(self) -> Fleet:
        with self._lock:
            if self._fleet is None:
                self._fleet = Fleet(self._plan)
            return self._fleet

    def _combine(self, results: Mapping[str, Result]) -> Result:
        return results["verifier"]  # there is but one


def _engine(verifier: Verifier[Any], cpus: int) -> VerifierEngine:
    return VerifierEngine(verifier)


def _failed(result: Result) -> bool:
    return result.verdict is Verdict.ERROR
