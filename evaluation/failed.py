"""Whether samples that failed, for which nobody knows what they are worth, could explain what a comparison finds.

A failed sample stands in the denominator as not correct. That is honest about one run, but two runs of which one failed
more often differ by it whatever the models do. So each comparison is made again with the failed samples of either side
counted as right, and as wrong votes: what is said of the change must hold under all of these (Manski 1990 calls such
ends the worst-case bounds of what is missing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..environments.wording import counted
from .majority import VoteClass, majority_curve
from .outcomes import METRICS, TaskOutcome

#: For each metric the values of all tasks at each k, shape (len(ks), tasks).
Values = Mapping[str, NDArray[np.float64]]


def alternatives(
    before: Sequence[TaskOutcome], after: Sequence[TaskOutcome], ks: Sequence[int], values: tuple[Values, Values]
) -> list[Values]:
    """The paired differences after - before as they would be, had the failed samples come out otherwise.

    A task of which every sample failed on both sides, as by a broken reference, says nothing of the change and is left
    as it is.

    Args:
        before: The tasks of one side.
        after: The same tasks of the other.
        ks: Draws.
        values: Both sides as counted, failed samples not correct.

    Returns:
        Up to four: failed samples of each side right, or wrong and voting; none where nothing failed.
    """
    lost = [a.failures == a.samples and b.failures == b.samples for a, b in zip(before, after, strict=True)]
    sides = []
    for outcomes, counted_values in zip((before, after), values, strict=True):
        rows = [i for i, item in enumerate(outcomes) if item.failures and not lost[i]]
        fills = [_filled(outcomes, rows, ks, counted_values, right=right) for right in (True, False)]
        sides.append(fills if rows else [counted_values])
    if len(sides[0]) == len(sides[1]) == 1:
        return []
    return [{metric: b[metric] - a[metric] for metric in METRICS} for a in sides[0] for b in sides[1]]


def failure_counts(before: Sequence[TaskOutcome], after: Sequence[TaskOutcome]) -> str:
    """How many samples failed on either side, in words."""
    sides = []
    for outcomes, when in ((before, "before"), (after, "after")):
        failed, taken = sum(item.failures for item in outcomes), sum(item.samples for item in outcomes)
        sides.append(f"{failed} of {counted(taken, 'sample')} {when}")
    return f"{' and '.join(sides)} could not be sampled or judged"


def _filled(
    outcomes: Sequence[TaskOutcome], rows: Sequence[int], ks: Sequence[int], values: Values, *, right: bool
) -> Values:
    """The values with the failed samples of the tasks in ``rows`` counted as right, or as wrong votes."""
    found = {metric: values[metric].copy() for metric in METRICS}
    for row in rows:
        item = outcomes[row]
        if right:
            item = replace(item, correct=item.correct + item.failures)
        found["pass@k"][:, row] = [item.at("pass@k", k) for k in ks]
        curve = majority_curve(_joined(item, right=right), missing=item.votes.missing - item.failures)
        found["maj@k"][:, row] = [curve[k - 1] for k in ks]
    return found


def _joined(item: TaskOutcome, *, right: bool) -> list[VoteClass]:
    """The task's classes of answers, with its failed samples among the largest right, or wrong, one."""
    classes = list(item.votes.classes)
    alike = [place for place, one in enumerate(classes) if (one.score > 0.5) == right]
    if not alike:
        return [*classes, VoteClass(item.failures, float(right))]
    place = max(alike, key=lambda i: classes[i].size)
    size, score = classes[place]
    total = size + item.failures
    classes[place] = VoteClass(total, (size * score + item.failures * right) / total)
    return classes
