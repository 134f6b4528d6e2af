"""Intervals: against published numbers, and at the edges where the usual ones fail."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from assay.errors import InputError
from assay.evaluation import difference_interval, rate_interval
from assay.evaluation.intervals import wilson


def test_the_rate_interval_is_that_of_student() -> None:
    values = [0.1, 0.4, 0.5, 0.9, 0.3]
    found = rate_interval(values)
    want = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx(want)
    assert (found.method, found.tasks) == ("student-t", 5)


def test_the_rate_interval_stays_between_0_and_1() -> None:
    found = rate_interval([0.0, 0.0, 0.0, 1.0])
    assert found.low == 0.0
    assert found.high <= 1.0


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_rate_without_spread_at_an_end_gets_wilsons_interval(value: float) -> None:
    found = rate_interval([value] * 20)
    assert found.method == "wilson"
    assert 0.1 < found.high - found.low < 0.2
    assert found.estimate == value


def test_wilsons_interval_agrees_with_scipy() -> None:
    for successes, trials in [(0, 10), (3, 10), (10, 10), (40, 97)]:
        want = stats.binomtest(successes, trials).proportion_ci(method="wilson")
        assert wilson(successes=successes, trials=trials) == pytest.approx((want.low, want.high), abs=1e-12)


def test_one_task_has_no_interval_and_no_task_no_mean() -> None:
    assert rate_interval([0.5]).method == "none"
    assert math.isnan(rate_interval([0.5]).low)
    assert math.isnan(rate_interval([]).estimate)
    assert json.loads(json.dumps(rate_interval([]).to_json()))["estimate"] is None


def test_numbers_that_could_not_be_measured_are_never_a_rate() -> None:
    found = rate_interval([0.5, math.nan])
    assert math.isnan(found.estimate)
    assert math.isnan(found.low)


def test_no_changed_task_is_not_proof_that_none_would_change() -> None:
    found = difference_interval([0.0] * 30)
    assert found.estimate == 0.0
    assert not found.excludes_zero
    assert found.high == -found.low == pytest.approx(0.1135, abs=1e-4)


def test_a_difference_of_equal_gains_excludes_zero() -> None:
    assert difference_interval([0.5, 0.4, 0.6]).excludes_zero
    assert difference_interval([-0.5, -0.4, -0.6]).excludes_zero
    assert not difference_interval([0.5, -0.4, 0.1]).excludes_zero


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_no_share_is_refused(confidence: float) -> None:
    with pytest.raises(InputError, match=r"expected a number in \(0, 1\), such as 0.95"):
        rate_interval([0.1, 0.2], confidence=confidence)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(InputError, match="3 successes in 2 trials"):
        wilson(successes=3, trials=2)
