"""How sure the numbers are on these very tasks: the delete-1 jackknife over each task's samples.

For one task with n samples, each metric is computed again without sample i, and the variance of the metric is
``(n - 1) / n sum_i (theta_i - theta)^2`` (Efron and Stein 1981). Samples of one class are alike, so that one deletion
for each class is enough. The tasks' samples are independent: the variance of the mean over N tasks is the sum of theirs
over N squared. At k = n nothing can be deleted, and there is no interval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .deletions import deletion_curves
from .intervals import Estimate
from .majority import VoteClass
from .metrics import pass_at_k
from .outcomes import TaskOutcome

Array = NDArray[np.float64]


def pass_variances(*, n: int, correct: int, ks: Sequence[int]) -> Array:
    """The jackknife variance of pass@k of one task for each of ``ks``; NaN where k >= n."""
    out = np.full(len(ks), math.nan)
    for index, k in enumerate(ks):
        if k < n:
            whole = pass_at_k(n=n, correct=correct, k=k)
            right = pass_at_k(n=n - 1, correct=correct - 1, k=k) if correct else whole
            wrong = pass_at_k(n=n - 1, correct=correct, k=k) if correct < n else whole
            spread = correct * (right - whole) ** 2 + (n - correct) * (wrong - whole) ** 2
            out[index] = (n - 1) / n * spread
    return out


def majority_variances(classes: Sequence[VoteClass], *, missing: int, ks: Sequence[int]) -> Array:
    """The jackknife variance of maj@k of one task for each of ``ks``; NaN where k >= n."""
    kinds = Counter(item for item in classes if item.size)
    n = sum(item.size * times for item, times in kinds.items()) + missing
    most = max((k for k in ks if k < n), default=0)
    whole, curves = deletion_curves(classes, missing=missing, most=most)
    spread = np.zeros(most)
    for item, curve in curves.items():
        alike = missing if item is None else item.size * kinds[item]
        spread += alike * (curve - whole) ** 2
    return np.array([(n - 1) / n * spread[k - 1] if k < n else math.nan for k in ks])


def benchmark_intervals(
    outcomes: Sequence[TaskOutcome],
    ks: Sequence[int],
    *,
    metric: str,
    confidence: float = 0.95,
    values: Array | None = None,
) -> dict[int, Estimate]:
    """The mean over these tasks with an interval for other samples on them, for each of ``ks``.

    Args:
        outcomes: One a task.
        ks: Draws.
        metric: "pass@k" or "maj@k".
        confidence: Nominal coverage.
        values: The metric of each task at each of ``ks``, shape (tasks, ks), where it is known already.

    Where the jackknife sees no spread at all (every subset of every task gives the same), it has nothing to say and no
    interval is given.
    """
    from scipy.stats import norm

    z = float(norm.ppf(0.5 + confidence / 2.0))
    means = np.array([_means(item, metric, ks) for item in outcomes]) if values is None else values
    variances = np.array([_variances(item, metric, ks) for item in outcomes])
    found = {}
    for index, k in enumerate(ks):
        mean = float(means[:, index].mean())
        half = z * math.sqrt(float(variances[:, index].sum())) / len(outcomes)
        if half > 0.0:
            found[k] = Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), "jackknife", len(outcomes))
        else:  # zero or NaN
            found[k] = Estimate(mean, math.nan, math.nan, "none", len(outcomes))
    return found


def _means(item: TaskOutcome, metric: str, ks: Sequence[int]) -> list[float]:
    if metric == "pass@k":
        return [pass_at_k(n=item.samples, correct=item.correct, k=k) for k in ks]
    curve = item.majority()
    return [float(curve[k - 1]) if k <= len(curve) else math.nan for k in ks]


def _variances(item: TaskOutcome, metric: str, ks: Sequence[int]) -> Array:
    if metric == "pass@k":
        return pass_variances(n=item.samples, correct=item.correct, ks=ks)
    return majority_variances(item.votes.classes, missing=item.votes.missing, ks=ks)
