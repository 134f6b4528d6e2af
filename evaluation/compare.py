"""Compare two checkpoints on the same tasks: a simultaneous band, a verdict with its reason, what would settle it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .band import Band, simultaneous_band
from .change import Change, points
from .failed import Values
from .intervals import UNKNOWN, Estimate
from .outcomes import METRICS
from .pairing import pair
from .report import Curves, Report, curves_to_json


class Shift(StrEnum):
    """What training did. The first that the band supports, from the top."""

    EXPANSION = "EXPANSION"
    SHARPENING = "SHARPENING"
    COLLAPSE = "COLLAPSE"
    NARROWING = "NARROWING"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True)
class Comparison:
    """Two reports, paired, with a band that holds for all metrics and k together.

    Attributes:
        change: The paired numbers with their pointwise intervals.
        band: Differences with simultaneous ends: ``band["maj@k"][8]``.
        shift: The verdict.
        reason: Why, in one sentence.
        wins: For each metric the tasks that got better, worse and stayed, at the largest k; empty where the sides have
            different numbers of samples, or where failed samples decide.
        detectable: For each metric at the largest k the smallest true difference that these tasks would show in 80 % of
            repetitions, pointwise at 5 %; NaN where nothing tells the spread, or failed samples decide.
        tasks_needed: For each metric at the largest k, how many tasks would show the difference found here in 80 % of
            repetitions; None where it is zero, there is one task, or failed samples decide.
        undecided: Whether the verdict hangs on what the failed samples would have been; it is INCONCLUSIVE then.
    """

    change: Change
    band: Curves
    shift: Shift
    reason: str
    wins: Mapping[str, tuple[int, int, int]]
    detectable: Mapping[str, float]
    tasks_needed: Mapping[str, int | None]
    undecided: bool = False

    @property
    def first_loss(self) -> int | None:
        """The smallest k at which pass@k is lower after than before, by the band; None where it never is."""
        if self.undecided:
            return None
        return next((k for k in self.change.ks if self.band["pass@k"][k].high < 0.0), None)

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "shift": self.shift,
            "reason": self.reason,
            "first_loss": self.first_loss,
            "band": curves_to_json(self.band),
            "wins": {metric: list(counts) for metric, counts in self.wins.items()},
            "detectable": {metric: None if math.isnan(size) else size for metric, size in self.detectable.items()},
            "tasks_needed": dict(self.tasks_needed),
            "undecided": self.undecided,
            **self.change.to_json(),
        }


def compare(before: Report, after: Report) -> Comparison:
    """Compare two reports on the tasks that both hold.

    Args:
        before: The earlier checkpoint.
        after: The later one.

    Raises:
        InputError: They share no task, or none that has all its samples.
    """
    change = pair(before, after)
    columns, values, found = _simultaneous(change.paired, change.ks)
    band = _band(columns, values, found, change.ks)
    shift, reason = _verdict(change.ks, band)
    others = {_shift_of(paired, change.ks) for paired in change.others}
    undecided = not (change.measured and others <= {shift})
    if undecided:
        reason = _failures(change, shift, others)
        shift = Shift.INCONCLUSIVE
    last = {metric: _last(columns, metric, change) for metric in METRICS}
    comparable = change.samples[0] == change.samples[1] and not undecided
    return Comparison(
        change=change,
        band=band if change.measured else {metric: dict.fromkeys(change.ks, UNKNOWN) for metric in METRICS},
        shift=shift,
        reason=reason,
        wins={metric: _wins(values[:, index]) for metric, index in last.items()} if comparable else {},
        detectable={
            metric: math.nan if undecided else _detectable(found, index, change.tasks) for metric, index in last.items()
        },
        tasks_needed={metric: None if undecided else _needed(values[:, index]) for metric, index in last.items()},
        undecided=undecided,
    )


def _simultaneous(paired: Values, ks: tuple[int, ...]) -> tuple[list[tuple[str, int]], NDArray[np.float64], Band]:
    """What the band is about, (metric, k) each; the differences, shape (tasks, these); and the band."""
    # pass@1 and maj@1 are the same number, one column for both, unless the verifier names no answer for a right sample
    first = 1 if np.allclose(*(paired[metric][0] for metric in METRICS)) else 0
    columns = [("pass@k", k) for k in ks] + [("maj@k", k) for k in ks if k > first]
    values = np.column_stack([paired[metric][ks.index(k)] for metric, k in columns])
    return columns, values, simultaneous_band(values)


def _band(
    columns: list[tuple[str, int]], values: NDArray[np.float64], found: Band, ks: tuple[int, ...]
) -> dict[str, dict[int, Estimate]]:
    band: dict[str, dict[int, Estimate]] = {metric: {} for metric in METRICS}
    for index, (metric, k) in enumerate(columns):
        mean = float(values[:, index].mean())
        band[metric][k] = Estimate(mean, float(found.low[index]), float(found.high[index]), "bootstrap-t", len(values))
    band["maj@k"] = {k: band["maj@k"].get(k, band["pass@k"][k]) for k in ks}
    return band


def _shift_of(paired: Values, ks: tuple[int, ...]) -> Shift:
    return _verdict(ks, _band(*_simultaneous(paired, ks), ks))[0]


def _failures(change: Change, shift: Shift, others: set[Shift]) -> str:
    """Why nothing can be concluded from runs of which so much failed."""
    if not change.measured:
        return f"Nothing can be said of a change: {change.failed}."
    could = " or ".join(other for other in Shift if other in others - {shift})
    return (
        f"The failed samples decide: {change.failed}. Counted as not correct they give {shift}, counted otherwise "
        f"{could}. The same `assay evaluate` again takes those that could not be sampled."
    )


def _verdict(ks: tuple[int, ...], band: Curves) -> tuple[Shift, str]:
    """The verdict from the band alone, with the numbers that carry it."""
    last = ks[-1]
    top = band["pass@k"][last]
    accuracy = [("Pass", 1, band["pass@k"][1])] + [("Maj", k, band["maj@k"][k]) for k in ks if k > 1]
    up = max(accuracy, key=lambda item: item[2].low)
    down = min(accuracy, key=lambda item: item[2].high)
    coverage = f"Pass@{last} {points(top)}"
    best, worst = (f"{name}@{k} {points(estimate)}" for name, k, estimate in (up, down))
    if last > 1 and top.low > 0.0:
        return Shift.EXPANSION, f"More tasks can be solved at all: {coverage} points."
    if up[2].low > 0.0:
        loss = "falls" if top.high < 0.0 else "cannot be told from unchanged"
        return Shift.SHARPENING, f"Answers became surer ({best} points) while coverage {loss} ({coverage})."
    if down[2].high < 0.0:
        return Shift.COLLAPSE, f"Answers became worse: {worst} points; {coverage}."
    if top.high < 0.0:
        return (
            Shift.NARROWING,
            f"Fewer tasks can be solved at all ({coverage} points), and answers did not become surer.",
        )
    return (
        Shift.INCONCLUSIVE,
        f"No difference lies outside the band, which holds for all K together: {coverage} points.",
    )


def _last(columns: list[tuple[str, int]], metric: str, change: Change) -> int:
    last = change.ks[-1]
    return columns.index((metric, last)) if (metric, last) in columns else columns.index(("pass@k", last))


def _wins(values: Any) -> tuple[int, int, int]:
    better, worse = int((values > 1e-12).sum()), int((values < -1e-12).sum())
    return better, worse, len(values) - better - worse


def _detectable(band: Band, column: int, tasks: int) -> float:
    """(t_0.975 + t_0.8) standard errors (Cohen 1988)."""
    from scipy.stats import t

    if tasks < 2 or not band.errors[column] > 0.0:
        return math.nan  # where no task changed, the spread is not known
    return float((t.ppf(0.975, tasks - 1) + t.ppf(0.8, tasks - 1)) * band.errors[column])


def _needed(values: Any) -> int | None:
    """The number of tasks at which the mean would be (z_0.975 + z_0.8) standard errors; at least two."""
    mean, spread = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else math.nan
    if mean == 0.0 or math.isnan(spread):
        return None
    return max(2, math.ceil(((1.959964 + 0.841621) * spread / mean) ** 2))
