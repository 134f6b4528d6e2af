"""Exact maj@k against every subset, against rationals, and by its identities."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.evaluation import VoteClass, maj_at_k, majority_curve

CLASSES = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.25, 1.0])).map(lambda item: VoteClass(*item)), max_size=6
)


def brute(classes: list[tuple[int, Fraction]], missing: int, k: int, *, missing_votes: bool) -> Fraction:
    """The mean over every k-subset of the score of its plurality, ties shared."""
    samples: list[int | None] = [index for index, (size, _) in enumerate(classes) for _ in range(size)]
    samples += [None] * missing
    total, subsets = Fraction(0), 0
    for subset in combinations(samples, k):
        subsets += 1
        votes = Counter(vote for vote in subset if vote is not None or missing_votes)
        winners = [vote for vote, count in votes.items() if count == max(votes.values())]
        for winner in winners:
            total += (classes[winner][1] if winner is not None else 0) / Fraction(len(winners))
    return total / subsets


def rational(classes: list[tuple[int, Fraction]], missing: int, k: int) -> Fraction:
    """The same by exact arithmetic on counts: (votes so far, classes tied) -> subsets."""
    total = Fraction(0)
    for j, (own, score) in enumerate(classes):
        for t in range(1, min(own, k) + 1):
            ways = {(i, 0): math.comb(missing, i) for i in range(min(missing, k - t) + 1)}
            for other, (size, _) in enumerate(classes):
                if other == j:
                    continue
                grown: dict[tuple[int, int], int] = {}
                for (votes, tied), count in ways.items():
                    for i in range(min(size, t, k - t - votes) + 1):
                        key = (votes + i, tied + (i == t))
                        grown[key] = grown.get(key, 0) + count * math.comb(size, i)
                ways = grown
            for (votes, tied), count in ways.items():
                if votes == k - t:
                    total += score * math.comb(own, t) * count / Fraction(tied + 1)
    return total / math.comb(sum(size for size, _ in classes) + missing, k)


@pytest.mark.parametrize("missing_votes", [False, True])
def test_the_curve_agrees_with_every_subset(missing_votes: bool) -> None:
    draw, checked = random.Random(1), 0
    while checked < 1500:
        classes = [(draw.randint(1, 4), Fraction(draw.randint(0, 2), 2)) for _ in range(draw.randint(0, 4))]
        missing = draw.randint(0, 3)
        n = sum(size for size, _ in classes) + missing
        if not 1 <= n <= 9:
            continue
        curve = majority_curve([(s, float(f)) for s, f in classes], missing=missing, missing_votes=missing_votes)
        assert len(curve) == n
        for k in range(1, n + 1):
            want = brute(classes, missing, k, missing_votes=missing_votes)
            assert curve[k - 1] == pytest.approx(float(want), abs=1e-12)
            checked += 1


def test_the_curve_agrees_with_rationals_at_256_samples() -> None:
    classes = [(90, Fraction(0)), (80, Fraction(1)), (30, Fraction(1, 2)), (30, Fraction(0)), (6, Fraction(0))]
    curve = majority_curve([(size, float(score)) for size, score in classes], missing=20)
    for k in (1, 2, 3, 8, 17):
        assert curve[k - 1] == pytest.approx(float(rational(classes, 20, k)), abs=1e-12)


@given(CLASSES, st.integers(0, 4))
def test_one_draw_is_the_mean_score(classes: list[VoteClass], missing: int) -> None:
    n = sum(item.size for item in classes) + missing
    if n:
        want = math.fsum(item.size * item.score for item in classes) / n
        assert maj_at_k(classes, k=1, missing=missing) == pytest.approx(want, abs=1e-12)


@given(CLASSES)
def test_two_draws_are_no_better_than_one_when_nothing_is_missing(classes: list[VoteClass]) -> None:
    if sum(item.size for item in classes) >= 2:
        assert maj_at_k(classes, k=2) == pytest.approx(maj_at_k(classes, k=1), abs=1e-12)


@given(CLASSES, st.integers(0, 4), st.randoms(use_true_random=False))
def test_the_order_of_the_classes_does_not_matter(classes: list[VoteClass], missing: int, draw: random.Random) -> None:
    shuffled = list(classes)
    draw.shuffle(shuffled)
    assert majority_curve(shuffled, missing=missing) == pytest.approx(
        majority_curve(classes, missing=missing), abs=1e-12
    )


@given(CLASSES, st.integers(0, 4))
def test_all_draws_are_plain_plurality_with_ties_shared(classes: list[VoteClass], missing: int) -> None:
    sized = [item for item in classes if item.size]
    if sized:
        n = sum(item.size for item in sized) + missing
        top = [item.score for item in sized if item.size == max(other.size for other in sized)]
        assert maj_at_k(classes, k=n, missing=missing) == pytest.approx(sum(top) / len(top), abs=1e-12)


@given(CLASSES, st.integers(0, 4))
def test_the_chances_of_winning_add_up_to_the_chance_of_any_answer(classes: list[VoteClass], missing: int) -> None:
    n = sum(item.size for item in classes) + missing
    curve = majority_curve([(item.size, 1.0) for item in classes], missing=missing)
    for k in range(1, n + 1):
        assert curve[k - 1] == pytest.approx(1 - math.comb(missing, k) / math.comb(n, k), abs=1e-12)


def test_missing_answers_abstain_unless_they_vote() -> None:
    assert maj_at_k([(1, 1.0)], k=3, missing=2) == 1.0
    assert maj_at_k([(1, 1.0)], k=3, missing=2, missing_votes=True) == 0.0
    assert maj_at_k([], k=2, missing=2) == 0.0


def test_a_thousand_samples_are_handled_and_more_are_refused() -> None:
    curve = majority_curve([(400, 1.0), (300, 0.0), *[(1, 0.0)] * 200], missing=100)
    assert len(curve) == 1000
    assert curve[0] == pytest.approx(0.4)
    assert curve[-1] == 1.0
    with pytest.raises(InputError, match="1001 samples of one task; maj@k handles up to 1000"):
        majority_curve([(1001, 1.0)])


def test_fewer_samples_than_k_give_no_number() -> None:
    assert math.isnan(maj_at_k([(3, 1.0)], k=4))
    assert math.isnan(maj_at_k([], k=1))


@pytest.mark.parametrize(
    ("classes", "missing", "k", "message"),
    [
        ([(-1, 1.0)], 0, 1, "a class has -1 votes; expected 0 or more"),
        ([(1, 1.5)], 0, 1, "a class has the score 1.5; expected a number in [0, 1]"),
        ([(1, math.nan)], 0, 1, "a class has the score nan"),
        ([(1, 1.0)], -1, 1, "-1 samples are without an answer; expected 0 or more"),
        ([(1, 1.0)], 0, 0, "k is 0; expected a whole number of at least 1"),
    ],
)
def test_impossible_votes_are_refused(classes: list[tuple[int, float]], missing: int, k: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        maj_at_k(classes, k=k, missing=missing)
    assert message in str(caught.value)
