"""``Report``: what an evaluation found, as data, as a table, as JSON and as Markdown."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .files import write_lines, write_text, writing
from .intervals import UNKNOWN, Estimate, rate_interval
from .jackknife import benchmark_intervals
from .notes import notes_of
from .outcomes import METRICS, MORE_METRICS, TaskOutcome, outcome, powers_of_two
from .samples import Config, Sample, SampleFolder
from .tables import markdown, rich_table
from .voting import Votes, Voting

if TYPE_CHECKING:
    from rich.table import Table

Curves = Mapping[str, Mapping[int, Estimate]]


@dataclass(frozen=True)
class Report:
    """What an evaluation found. Everything is computed from ``outcomes``.

    Attributes:
        config: What was asked for, as in ``config.json``.
        outcomes: One a task, in the order of the tasks.
        voting: How answers were clustered: "verifier", or "text" where the verifier was not at hand.
        folder: Where the samples are; None for a report that was never on disk.
        confidence: Nominal coverage of every interval.
    """

    config: Config
    outcomes: tuple[TaskOutcome, ...]
    voting: str = "verifier"
    folder: Path | None = None
    confidence: float = 0.95

    @property
    def samples(self) -> int:
        """Samples asked for, per task."""
        return int(self.config["samples"])

    @property
    def complete(self) -> bool:
        """Whether every task has all its samples."""
        return all(item.samples == self.samples for item in self.outcomes)

    @property
    def measured(self) -> bool:
        """Whether any sample could be judged; there is no estimate otherwise."""
        return any(item.samples > item.failures for item in self.outcomes)

    @property
    def ks(self) -> tuple[int, ...]:
        """1, 2, 4, ... and the number of samples."""
        return powers_of_two(self.samples)

    @property
    def title(self) -> str:
        """Model and environment in a few words."""
        split = f" ({self.config['split']})" if self.config.get("split") else ""
        return f"{self.model} on {self.config['environment']}{split}"

    @property
    def model(self) -> str:
        """The name of what was sampled."""
        sampler = self.config["sampler"]
        return str(sampler.get("model") or sampler.get("kind") or "sampler")

    @cached_property
    def _majority(self) -> NDArray[np.float64]:
        """maj@k of each task for k = 1 ... ``samples``, NaN where a task has fewer samples."""
        table = np.full((len(self.outcomes), self.samples), math.nan)
        for row, item in zip(table, self.outcomes, strict=True):
            row[: item.samples] = item.majority()
        return table

    def values(self, metric: str, k: int) -> NDArray[np.float64]:
        """A metric of each task for any k up to ``samples``, in the order of ``outcomes``.

        Args:
            metric: "pass@k", "maj@k", or one of ``outcomes.MORE_METRICS``.
            k: Draws.

        Raises:
            InputError: No such metric, or k is out of range.
        """
        if not 1 <= k <= self.samples:
            raise InputError(f"no {metric} at k = {k}; there are {self.samples} samples of each task")
        if metric == "maj@k":
            return self._majority[:, k - 1]
        return np.array([item.at(metric, k) for item in self.outcomes])

    def estimate(self, metric: str, k: int) -> Estimate:
        """The mean of ``values`` with its population interval; unknown where nothing was judged."""
        values = self.values(metric, k)
        return rate_interval(values, confidence=self.confidence) if self.measured else UNKNOWN

    @cached_property
    def curves(self) -> Curves:
        """``curves["pass@k"][8]`` and ``curves["maj@k"][8]``: mean over tasks with its population interval."""
        return {metric: {k: self.estimate(metric, k) for k in self.ks} for metric in METRICS}

    @cached_property
    def more_curves(self) -> Curves:
        """The metrics that are not compared, with their population intervals."""
        return {metric: {k: self.estimate(metric, k) for k in self.ks} for metric in MORE_METRICS}

    @cached_property
    def benchmark_curves(self) -> Curves:
        """The same means with an interval for other samples on these very tasks (``jackknife.py``)."""
        if not self.measured:
            return self.curves
        return {
            metric: benchmark_intervals(
                self.outcomes,
                self.ks,
                metric=metric,
                confidence=self.confidence,
                values=np.column_stack([self.values(metric, k) for k in self.ks]),
            )
            for metric in METRICS
        }

    @property
    def rates(self) -> dict[str, float]:
        """What else a reader must know, as shares: of all samples, or (``tied``, ``mixed``, ...) of all tasks.

        Where nothing was judged these are not known, and only the share of failures is there.
        """
        taken = max(1, sum(item.samples for item in self.outcomes))
        tasks = max(1, len(self.outcomes))
        if not self.measured:
            return {"failed": sum(item.failures for item in self.outcomes) / taken}
        return {
            "mean_score": sum(item.score * item.samples for item in self.outcomes if item.samples) / taken,
            "failed": sum(item.failures for item in self.outcomes) / taken,
            "missing_answer": sum(item.votes.missing - item.failures for item in self.outcomes) / taken,
            "truncated": sum(item.truncated for item in self.outcomes) / taken,
            "solved_by_none": sum(item.correct == 0 for item in self.outcomes) / tasks,
            "solved_by_all": sum(item.correct == item.samples for item in self.outcomes) / tasks,
            "tied_votes": sum(item.votes.tied for item in self.outcomes) / tasks,
            "mixed_classes": sum(item.votes.mixed > 0 for item in self.outcomes) / tasks,
            "intransitive": sum(item.votes.intransitive > 0 for item in self.outcomes) / tasks,
            "unchecked_pairs": sum(item.votes.unchecked > 0 for item in self.outcomes) / tasks,
        }

    @property
    def notes(self) -> list[str]:
        """Sentences about what limits these numbers; none where nothing does."""
        return notes_of(self)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "title": self.title,
            "complete": self.complete,
            "tasks": len(self.outcomes),
            "samples": self.samples,
            "confidence": self.confidence,
            "voting": self.voting,
            "curves": curves_to_json(self.curves),
            "benchmark_curves": curves_to_json(self.benchmark_curves),
            "more_curves": curves_to_json(self.more_curves),
            "rates": self.rates,
            "notes": self.notes,
            "config": self.config,
        }

    def to_markdown(self) -> str:
        """The report as Markdown."""
        return markdown(self)

    def table(self, ks: Sequence[int] = ()) -> Table:
        """The curves as a rich table, at ``ks`` where given."""
        return rich_table(self, ks or self.ks)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write ``report.json``, ``report.md`` and ``votes.jsonl``.

        Raises:
            StorageFailed: The folder cannot be written.
        """
        path = Path(folder)
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
        write_lines(path / "votes.jsonl", ({"task": item.id, **_votes_row(item.votes)} for item in self.outcomes))
        write_text(path / "report.json", json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n")
        write_text(path / "report.md", self.to_markdown())


def curves_to_json(curves: Curves) -> dict[str, dict[str, Any]]:
    """Curves as JSON values; each k becomes a text, as JSON demands."""
    return {metric: {str(k): estimate.to_json() for k, estimate in curve.items()} for metric, curve in curves.items()}


def load_report(folder: str | os.PathLike[str], *, verifier: Any = None) -> Report:
    """Recompute the report of a run from its samples; a run that is not finished gives an incomplete report.

    Args:
        folder: Where ``evaluate`` wrote.
        verifier: Whose equivalence of answers decides who votes together. None takes the classes that ``evaluate``
            stored, and the answers' text for tasks where there are none.

    Raises:
        InputError: The folder holds no run, or a line of it cannot be read.
    """
    store = SampleFolder(folder)
    config = store.config()
    rows: dict[str, list[Sample]] = {}
    for sample in sorted(store.samples(texts=False), key=lambda sample: sample.sample):
        rows.setdefault(sample.task, []).append(sample)
    stored = {} if verifier is not None else _stored_votes(store, rows)
    voting = Voting(verifier)
    tasks = store.tasks()
    outcomes = tuple(outcome(task, rows.get(task["id"], []), voting, stored.get(task["id"])) for task in tasks)
    by_text = verifier is None and any(task["id"] in rows and task["id"] not in stored for task in tasks)
    return Report(config, outcomes, "text" if by_text else "verifier", Path(folder))


def _votes_row(votes: Votes) -> dict[str, Any]:
    return {"groups": votes.groups, "intransitive": votes.intransitive, "unchecked": votes.unchecked}


def _stored_votes(store: SampleFolder, rows: Mapping[str, Sequence[Sample]]) -> dict[str, Votes]:
    """The classes stored with a report, of tasks that have as many samples as then."""
    found = {}
    for row in store.votes():
        samples = rows.get(row["task"], [])
        if samples and len(row["groups"]) == len(samples):
            correct = [sample.is_correct for sample in samples]
            counts = {name: int(row[name]) for name in ("intransitive", "unchecked")}
            found[row["task"]] = Votes.of(row["groups"], correct, **counts)
    return found
