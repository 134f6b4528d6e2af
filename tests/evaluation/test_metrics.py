"""pass@k and its kin against enumeration of every subset."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.evaluation import (
    average_at_n,
    best_of_k,
    dead_group_probability,
    g_pass_at_k,
    pass_all_at_k,
    pass_at_k,
)

CASES = [(n, c, k) for n in range(1, 9) for c in range(n + 1) for k in range(1, n + 1)]


def share(n: int, correct: int, k: int, hit: object) -> float:
    """The share of all k-subsets of n samples, ``correct`` of them 1, on which ``hit`` of their sum holds."""
    subsets = [sum(subset) for subset in combinations([1] * correct + [0] * (n - correct), k)]
    return float(Fraction(sum(map(hit, subsets)), len(subsets)))  # type: ignore[call-overload]


@pytest.mark.parametrize("k", range(1, 9))
def test_the_count_metrics_agree_with_enumeration(k: int) -> None:
    for n, c, kk in CASES:
        if kk != k:
            continue
        assert pass_at_k(n=n, correct=c, k=k) == pytest.approx(share(n, c, k, lambda s: s > 0), abs=1e-12)
        assert pass_all_at_k(n=n, correct=c, k=k) == pytest.approx(share(n, c, k, lambda s: s == k), abs=1e-12)
        dead = share(n, c, k, lambda s: s in (0, k))
        if k > 1:
            assert dead_group_probability(n=n, correct=c, group=k) == pytest.approx(dead, abs=1e-12)
        for tau in (0.1, 0.25, 0.5, 0.7, 1.0):
            want = share(n, c, k, lambda s, tau=tau: s >= max(1, math.ceil(round(tau * k, 9))))
            assert g_pass_at_k(n=n, correct=c, k=k, tau=tau) == pytest.approx(want, abs=1e-12)


def test_fewer_samples_than_k_give_no_number() -> None:
    assert math.isnan(pass_at_k(n=3, correct=3, k=4))
    assert math.isnan(pass_all_at_k(n=3, correct=3, k=4))
    assert math.isnan(g_pass_at_k(n=3, correct=3, k=4, tau=0.5))
    assert math.isnan(best_of_k([1.0], k=2))
    assert math.isnan(dead_group_probability(n=3, correct=3, group=4))
    assert math.isnan(average_at_n([]))


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=8), st.integers(1, 8))
def test_the_best_of_k_agrees_with_enumeration(scores: list[float], k: int) -> None:
    if k > len(scores):
        return
    best = [max(subset) for subset in combinations(scores, k)]
    assert best_of_k(scores, k=k) == pytest.approx(math.fsum(best) / len(best), abs=1e-12)


@given(st.integers(1, 300), st.data())
def test_pass_at_k_rises_with_k_and_the_best_of_binary_scores_is_pass_at_k(n: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    here = pass_at_k(n=n, correct=correct, k=k)
    assert here == pytest.approx(best_of_k([1.0] * correct + [0.0] * (n - correct), k=k), abs=1e-12)
    assert 0.0 <= here <= 1.0
    if k < n:
        assert here <= pass_at_k(n=n, correct=correct, k=k + 1) + 1e-12


def test_pass_at_k_is_exact_at_a_thousand_samples() -> None:
    for correct, k in [(1, 1), (3, 500), (500, 7), (999, 1), (1, 1000)]:
        want = 1 - Fraction(math.comb(1000 - correct, k), math.comb(1000, k))
        assert pass_at_k(n=1000, correct=correct, k=k) == pytest.approx(float(want), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_at_k(n=3, correct=4, k=1), "4 of 3 samples are correct; expected 0 <= correct <= n"),
        (lambda: pass_at_k(n=3, correct=-1, k=1), "-1 of 3 samples are correct"),
        (lambda: pass_all_at_k(n=3, correct=1, k=0), "k is 0; expected a whole number of at least 1"),
        (lambda: g_pass_at_k(n=3, correct=1, k=1, tau=0.0), "tau is 0.0; expected a share in (0, 1]"),
    ],
)
def test_impossible_counts_are_refused(call: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert message in str(caught.value)
