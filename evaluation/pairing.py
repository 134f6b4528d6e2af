"""Pair two reports task by task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..environments.wording import counted
from ..errors import InputError
from .change import Change
from .failed import Values, alternatives, failure_counts
from .intervals import UNKNOWN, Estimate, difference_interval, rate_interval
from .outcomes import METRICS, TaskOutcome
from .report import Curves, Report


def pair(before: Report, after: Report) -> Change:
    """Pair two reports by task; a task that lacks samples on either side, in a run that was interrupted, is left out.

    Raises:
        InputError: They share no task, or none that has all its samples.
    """
    shared, unfinished = _shared_tasks(before, after)
    places = [{item.id: index for index, item in enumerate(report.outcomes)} for report in (before, after)]
    ks = tuple(k for k in before.ks if k in after.ks)
    sides, values = [], []
    for report, place in zip((before, after), places, strict=True):
        rows = [place[task] for task in shared]
        sides.append([report.outcomes[row] for row in rows])
        values.append({m: np.array([report.values(m, k)[rows] for k in ks]) for m in METRICS})
    judged = [any(item.samples > item.failures for item in side) for side in sides]
    changes = {m: values[1][m] - values[0][m] for m in METRICS}
    others = tuple(alternatives(sides[0], sides[1], ks, (values[0], values[1])))
    trends = [{m: difference_interval(v[m][-1] - v[m][0], largest=2.0) for m in METRICS} for v in (changes, *others)]
    differences = [_curves(v, ks, difference_interval) for v in (changes, *others)]
    return Change(
        tasks=len(shared),
        samples=(before.samples, after.samples),
        ks=ks,
        before=_curves(values[0], ks, rate_interval, known=judged[0]),
        after=_curves(values[1], ks, rate_interval, known=judged[1]),
        differences=differences[0] if all(judged) else _curves(changes, ks, difference_interval, known=False),
        paired=changes,
        trends=trends[0] if all(judged) else dict.fromkeys(METRICS, UNKNOWN),
        solved=_solved(*sides, comparable=before.samples == after.samples),
        signs={m: {k: _sign([found[m][k] for found in differences]) for k in ks} for m in METRICS},
        trend_signs={m: _sign([found[m] for found in trends]) for m in METRICS},
        others=others,
        failed=failure_counts(*sides) if any(item.failures for side in sides for item in side) else "",
        notes=tuple(_notes(before, after, len(shared) + unfinished, unfinished)),
    )


def _curves(values: Values, ks: Sequence[int], interval: Callable[..., Estimate], *, known: bool = True) -> Curves:
    """Estimates of both metrics at each k; unknown ones where nothing was judged."""
    return {m: {k: interval(row) if known else UNKNOWN for k, row in zip(ks, values[m], strict=True)} for m in METRICS}


def _sign(estimates: Sequence[Estimate]) -> int:
    """1 or -1 where all of these intervals lie above, or all below, zero."""
    return int(all(one.low > 0.0 for one in estimates)) - int(all(one.high < 0.0 for one in estimates))


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


def _solved(before: Sequence[TaskOutcome], after: Sequence[TaskOutcome], *, comparable: bool) -> dict[str, int]:
    names = {(True, True): "both", (True, False): "only_before", (False, True): "only_after", (False, False): "neither"}
    counts = dict.fromkeys(names.values(), 0)
    for left, right in zip(before, after, strict=True):
        counts[names[left.correct > 0, right.correct > 0]] += 1
    return counts if comparable else {"neither": counts["neither"]}


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
    if before.samples != after.samples:
        notes.append(
            "Tasks that got better or worse, or that one side alone solved, are not counted: more samples solve more. "
            "Take as many on either side."
        )
    sampler = [report.config["sampler"] for report in (before, after)]
    for key in sorted({*sampler[0], *sampler[1]} - {"model", "weights"}):
        if sampler[0].get(key) != sampler[1].get(key):
            notes.append(f"The sampler's {key} differs: {sampler[0].get(key)!r} before, {sampler[1].get(key)!r} after.")
    notes += [f"{when}: {note}" for when, report in (("Before", before), ("After", after)) for note in report.notes]
    return notes
