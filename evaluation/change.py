"""``Change``: two reports on the same tasks, paired (``pairing.py``), and what may be said of them in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..environments.wording import counted
from .failed import Values
from .intervals import Estimate
from .outcomes import METRICS
from .report import Curves

_WORDS = {"pass@k": "Pass@K", "maj@k": "Maj@K"}


@dataclass(frozen=True)
class Change:
    """What lies between two reports, over the tasks that both hold.

    Attributes:
        tasks: How many tasks were paired, by id.
        samples: Samples of each task on either side.
        ks: The k at which both can be measured.
        before: Curves of the first report.
        after: Curves of the second.
        differences: after - before, paired by task: ``differences["maj@k"][8]``.
        paired: The differences of each task: ``paired["maj@k"]`` has the shape (len(ks), tasks).
        trends: For each metric the difference at the largest k minus that at k = 1, paired by task.
        solved: Tasks solved at least once by "both", "only_before", "only_after" or "neither"; "neither" alone where
            the two sides have different numbers of samples, of which the larger finds more.
        signs: For each metric and k whether the difference is a gain (1), a loss (-1) or neither (0), by its own
            interval and whatever the failed samples would have been.
        trend_signs: The same of the trends.
        others: ``paired`` with the failed samples counted otherwise (``failed.py``); empty where nothing failed.
        failed: How many samples failed, in words; empty where none did.
        notes: What limits the comparison: settings that differ, tasks left out.
        files: The files that ``before_after`` wrote, by kind.
    """

    tasks: int
    samples: tuple[int, int]
    ks: tuple[int, ...]
    before: Curves
    after: Curves
    differences: Curves
    paired: Mapping[str, NDArray[np.float64]]
    trends: Mapping[str, Estimate]
    solved: Mapping[str, int]
    signs: Mapping[str, Mapping[int, int]]
    trend_signs: Mapping[str, int]
    others: tuple[Values, ...] = field(default=(), repr=False)
    failed: str = ""
    notes: tuple[str, ...] = ()
    files: Mapping[str, Path] | None = None

    @property
    def ceiling(self) -> float:
        """The share of tasks that either side solved at least once: nothing measured here can rise above it."""
        return 1.0 - self.solved["neither"] / self.tasks

    @property
    def measured(self) -> bool:
        """Whether both sides have a sample that could be judged; nothing can be said of a change otherwise."""
        return not np.isnan(self.differences["pass@k"][1].estimate)

    @property
    def sentences(self) -> list[str]:
        """What the numbers say, and no more."""
        if not self.measured:
            return [f"Nothing can be said of a change: {self.failed}."]
        said = [*(_sentence(self, metric) for metric in METRICS), _ceiling(self)]
        failures = f"{self.failed}; a gain or a loss is told only where it holds however these count."
        return [failures, *said] if self.failed else said

    def to_json(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        curves = {"before": self.before, "after": self.after, "difference": self.differences}
        return {
            "tasks": self.tasks,
            "samples": list(self.samples),
            **{
                name: {metric: {str(k): curve[metric][k].to_json() for k in self.ks} for metric in METRICS}
                for name, curve in curves.items()
            },
            "trend": {metric: trend.to_json() for metric, trend in self.trends.items()},
            "solved": dict(self.solved),
            "ceiling": self.ceiling,
            "sentences": self.sentences,
            "notes": list(self.notes),
        }

    def to_markdown(self) -> str:
        """One row for each k: before, after and the paired difference in points, of Pass@K and Maj@K."""
        lines = [
            "| K | Pass@K before | after | difference [95 %] | Maj@K before | after | difference [95 %] |",
            "|---|---|---|---|---|---|---|",
        ]
        for k in self.ks:
            cells = [cell for metric in METRICS for cell in self.row(metric, k)]
            lines.append(f"| {k} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"

    def row(self, metric: str, k: int) -> tuple[str, str, str]:
        """Before, after and difference at one k, in percent and points."""
        before, after = (_percent(curve[metric][k].estimate) for curve in (self.before, self.after))
        return before, after, points(self.differences[metric][k])


def points(estimate: Estimate) -> str:
    """A difference in percentage points with its interval; "-" where it is not known."""
    if np.isnan(estimate.estimate):
        return "-"
    if np.isnan(estimate.low):
        return f"{100 * estimate.estimate:+.1f}"
    return f"{100 * estimate.estimate:+.1f} [{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.1f}"


def _sentence(change: Change, metric: str) -> str:
    """Where the difference of one metric excludes zero, and how it goes with k."""
    curve, word = change.differences[metric], _WORDS[metric]
    gains = [k for k in change.ks if change.signs[metric][k] > 0]
    losses = [k for k in change.ks if change.signs[metric][k] < 0]
    undecided = [k for k in change.ks if k not in gains and k not in losses]
    parts = []
    for name, ks in (("gain", gains), ("loss", losses)):
        if ks:
            parts.append(f"the {name} excludes zero at {_list(ks, change.ks)}")
    if undecided:
        parts.append(f"no change can be told from zero at {_list(undecided, change.ks)}")
    ends = [f"{points(curve[k])} points at K = {k}" for k in dict.fromkeys((change.ks[0], change.ks[-1]))]
    return f"{word}: {', '.join(parts)} ({', '.join(ends)}). {_trend(change, metric, gains)}".strip()


def _trend(change: Change, metric: str, gains: Sequence[int]) -> str:
    """Whether a gain at k = 1 fades, persists or grows; nothing where there is none to follow."""
    first, last = change.ks[0], change.ks[-1]
    if first == last or first not in gains:
        return ""
    trend, everywhere = change.trends[metric], len(gains) == len(change.ks)
    moved = f"(difference of the two gains {points(trend)})"
    if change.trend_signs[metric] < 0:
        end = "but excludes zero at every K" if everywhere else f"and cannot be told from zero at K = {last}"
        return f"The gain fades as K grows {moved}{'' if last in gains and not everywhere else f', {end}'}."
    if change.trend_signs[metric] > 0:
        return f"The gain grows with K {moved}."
    if everywhere:
        return f"The gain persists at every K; whether it changes with K is not decided {moved}."
    return f"Whether the gain fades as K grows is not decided {moved}."


def _ceiling(change: Change) -> str:
    solved = change.solved
    sides = ""
    if "both" in solved and not change.failed:
        sides = f"; {solved['only_before']} were solved only before and {solved['only_after']} only after"
    return (
        f"Of {counted(change.tasks, 'task')} {solved['neither']} were solved by no sample before or after, so "
        f"{change.ceiling:.1%} is the ceiling of every number here{sides}."
    )


def _list(ks: Sequence[int], all_ks: Sequence[int]) -> str:
    """``ks`` in words: "every K", or "K = 1, 2 and 4"."""
    if len(ks) == len(all_ks) > 1:
        return "every K"
    *rest, last = map(str, ks)
    return f"K = {', '.join(rest)} and {last}" if rest else f"K = {last}"
