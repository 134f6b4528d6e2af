"""The jackknife against deleting every sample by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from assay.evaluation import VoteClass, Votes, maj_at_k, pass_at_k
from assay.evaluation.jackknife import benchmark_intervals, majority_variances, pass_variances
from assay.evaluation.outcomes import TaskOutcome


@pytest.mark.parametrize(("n", "correct"), [(6, 2), (6, 0), (6, 6), (9, 4)])
def test_pass_variances_agree_with_deleting_each_sample(n: int, correct: int) -> None:
    ks = list(range(1, n + 1))
    found = pass_variances(n=n, correct=correct, ks=ks)
    labels = [1] * correct + [0] * (n - correct)
    for k in ks[:-1]:
        left_out = np.array([pass_at_k(n=n - 1, correct=correct - label, k=k) for label in labels])
        assert found[k - 1] == pytest.approx((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2), abs=1e-14)
    assert math.isnan(found[-1])


def test_majority_variances_agree_with_deleting_each_sample() -> None:
    draw = random.Random(5)
    for _ in range(40):
        classes = [VoteClass(draw.randint(1, 4), draw.choice([0.0, 0.5, 1.0])) for _ in range(draw.randint(1, 4))]
        missing = draw.randint(0, 3)
        n = sum(item.size for item in classes) + missing
        if n < 2:
            continue
        ks = list(range(1, n + 1))
        found = majority_variances(classes, missing=missing, ks=ks)
        for k in ks[:-1]:
            whole = maj_at_k(classes, k=k, missing=missing)
            squares = missing and missing * (maj_at_k(classes, k=k, missing=missing - 1) - whole) ** 2
            for index, item in enumerate(classes):
                less = [*classes[:index], VoteClass(item.size - 1, item.score), *classes[index + 1 :]]
                squares += item.size * (maj_at_k(less, k=k, missing=missing) - whole) ** 2
            assert found[k - 1] == pytest.approx((n - 1) / n * squares, abs=1e-14)
        assert math.isnan(found[-1])


def test_at_one_draw_the_variance_is_that_of_a_mean() -> None:
    assert pass_variances(n=10, correct=3, ks=[1])[0] == pytest.approx(0.3 * 0.7 / 9)


def outcome(correct: int, n: int = 8) -> TaskOutcome:
    sizes = [VoteClass(size, score) for size, score in ((correct, 1.0), (n - correct, 0.0)) if size]
    groups = tuple(index for index, item in enumerate(sizes) for _ in range(item.size))
    return TaskOutcome("t", n, correct, 0, 0, correct / n, Votes(groups, tuple(sizes)))


def test_the_interval_of_a_benchmark_adds_up_the_tasks_variances() -> None:
    outcomes = [outcome(c) for c in (1, 3, 5, 8)]
    found = benchmark_intervals(outcomes, [1, 2, 8], metric="pass@k")
    spread = sum(pass_variances(n=8, correct=c, ks=[2])[0] for c in (1, 3, 5, 8))
    assert found[2].high - found[2].estimate == pytest.approx(1.959964 * math.sqrt(spread) / 4, abs=1e-6)
    assert found[2].method == "jackknife"
    assert math.isnan(found[8].low)
    assert found[8].method == "none"


def test_no_spread_at_all_gives_no_interval_rather_than_an_empty_one() -> None:
    found = benchmark_intervals([outcome(8), outcome(0)], [1, 2], metric="maj@k")
    assert found[1].estimate == 0.5
    assert math.isnan(found[1].low)
