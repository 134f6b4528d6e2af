"""One band around many differences at once: true for all of them together, not for each alone.

Bootstrap-t (Hall 1988; Romano and Wolf 2005): tasks are drawn with replacement, each difference is studentised in each
draw, and the band is as many standard errors wide as the largest of them reaches in 95 % of the draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .intervals import difference_interval

Array = NDArray[np.float64]

# Few tasks that differ give draws with hardly any spread, whose t explodes. The floor keeps such draws from deciding:
# chosen by the simulation in benchmarks/evaluation.py, which measures the coverage that it leaves.
_FLOOR = 0.4


@dataclass(frozen=True, slots=True)
class Band:
    """A simultaneous band.

    Attributes:
        low: Lower ends, one for each difference.
        high: Upper ends.
        critical: How many standard errors wide; NaN where no difference varies.
        errors: The standard error of each mean.
    """

    low: Array
    high: Array
    critical: float
    errors: Array


def simultaneous_band(differences: Array, *, confidence: float = 0.95, draws: int = 4000, seed: int = 0) -> Band:
    """A band that covers all means together with the given probability.

    Args:
        differences: Paired differences, shape (tasks, M), each in [-1, 1].
        confidence: Nominal joint coverage.
        draws: Bootstrap draws.
        seed: Of the draws; equal input and seed, equal band.

    Returns:
        M ends each way, cut at -1 and 1. Columns without any change get the interval of ``difference_interval``, with
        the error shared among all M columns (Bonferroni).
    """
    tasks, columns = differences.shape
    means = differences.mean(axis=0)
    errors = differences.std(axis=0, ddof=1) / np.sqrt(tasks) if tasks > 1 else np.full(columns, np.nan)
    low, high = np.full(columns, np.nan), np.full(columns, np.nan)
    varies = errors > 1e-12
    critical = float("nan")
    if varies.any():
        reached = _largest_t(differences[:, varies], means[varies], errors[varies], draws, seed)
        critical = float(np.quantile(reached, confidence))
        low[varies] = np.maximum(-1.0, means[varies] - critical * errors[varies])
        high[varies] = np.minimum(1.0, means[varies] + critical * errors[varies])
    for column in np.flatnonzero(~varies & ~differences.any(axis=0)):
        ends = difference_interval(differences[:, column], confidence=1 - (1 - confidence) / columns)
        low[column], high[column] = ends.low, ends.high
    return Band(low, high, critical, errors)


def _largest_t(values: Array, means: Array, errors: Array, draws: int, seed: int) -> Array:
    """For each draw of the tasks the largest studentised distance from the means, over all columns."""
    tasks = len(values)
    random = np.random.Generator(np.random.Philox(key=seed))
    weights = random.multinomial(tasks, np.full(tasks, 1.0 / tasks), size=draws).astype(np.float64) / tasks
    centred = values - means
    shift = weights @ centred
    spread = np.sqrt(np.maximum(weights @ centred**2 - shift**2, 0.0) / (tasks - 1))
    found: Array = np.max(np.abs(shift) / np.maximum(spread, _FLOOR * errors), axis=1)
    return found
