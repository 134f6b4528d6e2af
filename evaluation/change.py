"""``Change``: two reports on the same tasks, paired, and what may be said of them in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..environments.wording import counted
from ..errors import InputError
from .intervals import Estimate, difference_interval, rate_interval
from .outcomes import METRICS, TaskOutcome
from .report import Curves, Report

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
        solved: Tasks solved at least once by "both", "only_before", "only_after" or "neither".
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
    notes: tuple[str, ...] = ()
    files: Mapping[str, Path] | None = None

    @property
    def ceiling(self) -> float:
        """The share of tasks that either side solved at least once: nothing measured here can rise above it."""
        return 1.0 - self.solved["neither"] / self.tasks

    @property
    def sentences(self) -> list[str]:
        """What the numbers say, and no more."""
        return [*(_sentence(self, metric) for metric in METRICS), _ceiling(self)]

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
        before, after = (curve[metric][k].estimate for curve in (self.before, self.after))
        return f"{100 * before:.1f}", f"{100 * after:.1f}", points(self.differences[metric][k])


def pair(before: Report, after: Report) -> Change:
    """Pair two reports by task; a task that lacks samples on either side, in a run that was interrupted, is left out.

    Raises:
        InputError: They share no task, or none that has all its samples.
    """
    shared, unfinished = _shared_tasks(before, after)
    places = [{item.id: index for index, item in enumerate(report.outcomes)} for report in (before, after)]
    first, second = ([place[task] for task in shared] for place in places)
    sides = [(before, first), (after, second)]
    ks = tuple(k for k in before.ks if k in after.ks)
    values = {m: [[r.values(m, k)[i] for k in ks] for r, i in sides] for m in METRICS}
    changes: dict[str, NDArray[np.float64]] = {m: np.array(b) - np.array(a) for m, (a, b) in values.items()}
    return Change(
        tasks=len(shared),
        samples=(before.samples, after.samples),
        ks=ks,
        before={m: {k: rate_interval(v) for k, v in zip(ks, a, strict=True)} for m, (a, _) in values.items()},
        after={m: {k: rate_interval(v) for k, v in zip(ks, b, strict=True)} for m, (_, b) in values.items()},
        differences={
            m: {k: difference_interval(d) for k, d in zip(ks, rows, strict=True)} for m, rows in changes.items()
        },
        paired=changes,
        trends={m: difference_interval(rows[-1] - rows[0], largest=2.0) for m, rows in changes.items()},
        solved=_solved([before.outcomes[i] for i in first], [after.outcomes[i] for i in second]),
        notes=tuple(_notes(before, after, len(shared) + unfinished, unfinished)),
    )


def _shared_tasks(before: Report, after: Report) -> tuple[list[str], int]:
    """The tasks that have all their samples in both reports, and how many more are in both."""
    others = {item.id for item in after.outcomes}
    common = [item.id for item in before.outcomes if item.id in others]
    if not common:
        raise InputError(
            f"{before.title} and {after.title} share no task, so nothing can be paired; evaluate both on the same tasks"
        )
    unfinished = {item.id for report in (before, after) for item in report.outcomes if item.samples < report.samples}
    shared = [task for task in common if task not in unfinished]
    if not shared:
        raise InputError(
            f"no task of {before.title} and {after.title} has all its samples on both sides, so nothing can be paired; "
            "finish them: the same `assay evaluate` again goes on where it was interrupted"
        )
    return shared, len(common) - len(shared)


def points(estimate: Estimate) -> str:
    """A difference in percentage points with its interval."""
    if np.isnan(estimate.low):
        return f"{100 * estimate.estimate:+.1f}"
    return f"{100 * estimate.estimate:+.1f} [{100 * estimate.low:+.1f}, {100 * estimate.high:+.1f}]"


def _sentence(change: Change, metric: str) -> str:
    """Where the difference of one metric excludes zero, and how it goes with k."""
    curve, word = change.differences[metric], _WORDS[metric]
    gains = [k for k in change.ks if curve[k].low > 0.0]
    losses = [k for k in change.ks if curve[k].high < 0.0]
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
    if trend.high < 0.0:
        end = "but excludes zero at every K" if everywhere else f"and cannot be told from zero at K = {last}"
        return f"The gain fades as K grows {moved}{'' if last in gains and not everywhere else f', {end}'}."
    if trend.low > 0.0:
        return f"The gain grows with K {moved}."
    if everywhere:
        return f"The gain persists at every K; whether it changes with K is not decided {moved}."
    return f"Whether the gain fades as K grows is not decided {moved}."


def _ceiling(change: Change) -> str:
    solved = change.solved
    return (
        f"Of {counted(change.tasks, 'task')} {solved['neither']} were solved by no sample before or after, so "
        f"{change.ceiling:.1%} is the ceiling of every number here; {solved['only_before']} were solved only before "
        f"and {solved['only_after']} only after."
    )


def _solved(before: Sequence[TaskOutcome], after: Sequence[TaskOutcome]) -> dict[str, int]:
    names = {(True, True): "both", (True, False): "only_before", (False, True): "only_after", (False, False): "neither"}
    counts = dict.fromkeys(names.values(), 0)
    for left, right in zip(before, after, strict=True):
        counts[names[left.correct > 0, right.correct > 0]] += 1
    return counts


def _notes(before: Report, after: Report, common: int, unfinished: int) -> list[str]:
    """What a reader must know before trusting the comparison."""
    notes = []
    left_out = len(before.outcomes) + len(after.outcomes) - 2 * common
    if left_out:
        notes.append(f"{counted(left_out, 'task')} in one report only: left out.")
    if unfinished:
        notes.append(f"{counted(unfinished, 'task')} without all samples on both sides: left out.")
    for key in ("assay", "environment", "verifier", "split", "samples"):
        if before.config.get(key) != after.config.get(key):
            notes.append(f"{key} differs: {before.config.get(key)!r} before, {after.config.get(key)!r} after.")
    sampler = [report.config["sampler"] for report in (before, after)]
    for key in sorted({*sampler[0], *sampler[1]} - {"model", "weights"}):
        if sampler[0].get(key) != sampler[1].get(key):
            notes.append(f"The sampler's {key} differs: {sampler[0].get(key)!r} before, {sampler[1].get(key)!r} after.")
    notes += [f"{when}: {note}" for when, report in (("Before", before), ("After", after)) for note in report.notes]
    return notes


def _list(ks: Sequence[int], all_ks: Sequence[int]) -> str:
    """``ks`` in words: "every K", or "K = 1, 2 and 4"."""
    if len(ks) == len(all_ks) > 1:
        return "every K"
    *rest, last = map(str, ks)
    return f"K = {', '.join(rest)} and {last}" if rest else f"K = {last}"
