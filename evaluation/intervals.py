"""Intervals around means over tasks, each labelled with the question that it answers.

``population``: would other tasks of the same kind give this mean? Student t over tasks. ``benchmark``: would other
samples on these very tasks? The delete-1 jackknife over samples (``jackknife.py``). The first is the wider one, and the
default. A rate at 0 or 1 shows no spread at all; Wilson's interval stands in there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with an interval.

    Attributes:
        estimate: The mean; NaN where nothing was measured.
        low: Lower end; NaN where no interval can be given.
        high: Upper end.
        method: How the interval was made: "student-t", "wilson", "no-change", "jackknife" or "none".
        tasks: How many tasks went in.
    """

    estimate: float
    low: float
    high: float
    method: str
    tasks: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval lies on one side of zero; False without an interval."""
        return self.low > 0.0 or self.high < 0.0

    def to_json(self) -> dict[str, Any]:
        """A JSON object; NaN becomes null."""
        numbers = {"estimate": self.estimate, "low": self.low, "high": self.high}
        return {
            **{name: None if math.isnan(number) else number for name, number in numbers.items()},
            "method": self.method,
            "tasks": self.tasks,
        }


#: Of what was not measured.
UNKNOWN = Estimate(math.nan, math.nan, math.nan, "none", 0)


def rate_interval(values: Sequence[float] | NDArray[np.float64], *, confidence: float = 0.95) -> Estimate:
    """The mean of one number in [0, 1] per task, with its population interval.

    Student t over tasks, cut at 0 and 1. Where every value is 0, or every value is 1, the spread says nothing and
    Wilson's interval for 0 or N of N is given (Wilson 1927).

    Args:
        values: N numbers in [0, 1], one a task.
        confidence: Nominal coverage, in (0, 1).

    Raises:
        InputError: The confidence is out of range.

    >>> rate_interval([0.0, 1.0, 1.0]).estimate
    0.6666666666666666
    >>> rate_interval([1.0] * 10).low
    0.7224672001371107
    """
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean()) if len(array) else math.nan
    if len(array) and mean in (0.0, 1.0):
        low, high = wilson(successes=round(mean * len(array)), trials=len(array), confidence=confidence)
        return Estimate(mean, low, high, "wilson", len(array))
    half = _half_width(array, confidence)
    method = "none" if math.isnan(half) else "student-t"
    # max(0.0, nan) is 0.0 in Python, so NaN is kept by hand
    low, high = (math.nan, math.nan) if math.isnan(half) else (max(0.0, mean - half), min(1.0, mean + half))
    return Estimate(mean, low, high, method, len(array))


def difference_interval(
    values: Sequence[float] | NDArray[np.float64], *, confidence: float = 0.95, largest: float = 1.0
) -> Estimate:
    """The mean of one paired difference per task, with its population interval.

    Student t over tasks. Where no task changed at all, the interval is plus and minus the largest share of changed
    tasks that Wilson's interval for 0 of N allows: a change of no task among N does not prove that none would change.

    Args:
        values: N differences, one a task.
        confidence: Nominal coverage, in (0, 1).
        largest: What no difference can exceed in size; the interval is cut there.

    >>> difference_interval([0.0, 0.5, 0.25]).estimate
    0.25
    >>> difference_interval([0.0] * 30).excludes_zero
    False
    """
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean()) if len(array) else math.nan
    if len(array) and not array.any():
        _, high = wilson(successes=0, trials=len(array), confidence=confidence)
        return Estimate(0.0, -high * largest, high * largest, "no-change", len(array))
    half = _half_width(array, confidence)
    if math.isnan(half):
        return Estimate(mean, math.nan, math.nan, "none", len(array))
    return Estimate(mean, max(-largest, mean - half), min(largest, mean + half), "student-t", len(array))


def wilson(*, successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a share of ``trials`` (Wilson 1927, JASA 22).

    Raises:
        InputError: There is no trial, more successes than trials, or the confidence is out of range.

    >>> [round(end, 6) for end in wilson(successes=0, trials=10)]
    [0.0, 0.277533]
    """
    from scipy.stats import norm

    _check(confidence)
    if not 0 <= successes <= trials or trials == 0:
        raise InputError(
            f"{successes} successes in {trials} trials; expected 0 <= successes <= trials, at least 1 trial"
        )
    z = float(norm.ppf(0.5 + confidence / 2.0))
    share = successes / trials
    scale = 1.0 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def _half_width(values: NDArray[np.float64], confidence: float) -> float:
    """Half the width of the Student t interval; NaN for fewer than two values or where one is NaN."""
    from scipy.stats import t

    _check(confidence)
    if len(values) < 2:
        return math.nan
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return error * float(t.ppf(0.5 + confidence / 2.0, len(values) - 1))


def _check(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise InputError(f"the confidence is {confidence!r}; expected a number in (0, 1), such as 0.95")
