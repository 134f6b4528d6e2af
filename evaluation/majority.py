"""Exact expected maj@k: the plurality answer of k draws, over all k-subsets of n samples, for every k in one pass.

A task has n samples: classes of equivalent answers with counts c_1 ... c_m and scores s_1 ... s_m, and u samples
without an answer. Class j wins a draw with t votes and r others tied at t; it takes the share 1 / (r + 1). As
``1 / (r + 1)`` is the integral of ``y**r`` over [0, 1],

    maj@k C(n, k) = sum_j s_j sum_t C(c_j, t) integral_0^1 [x^(k - t)] (1 + x)^u prod_{l != j} P_l(x; y) dy
    P_l(x; y)     = sum_{i < t} C(c_l, i) x^i + y C(c_l, t) x^t

(the second term where c_l >= t). A class that cannot reach t votes contributes all of ``(1 + x)^c_l``, so only the
classes that can need a polynomial of their own; the integrand is a polynomial in y, which Gauss-Legendre nodes
integrate exactly. All terms are positive: nothing cancels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from .polynomials import Array, binomials, gauss, integral, multiply, power, staggered

# C(1000, 500) is 2.7e299: beyond about 1020 samples a float no longer holds the number of subsets.
MOST_SAMPLES = 1000


class VoteClass(NamedTuple):
    """Samples with equivalent answers.

    Attributes:
        size: How many.
        score: Their mean score in [0, 1]; 1 for a class judged correct.
    """

    size: int
    score: float


def majority_curve(
    classes: Iterable[VoteClass | tuple[int, float]], *, missing: int = 0, missing_votes: bool = False
) -> Array:
    """maj@k for k = 1 ... n; see ``metrics.maj_at_k``, whose arguments these are.

    Returns:
        n numbers in [0, 1], that of k at index k - 1.
    """
    voting = [VoteClass(*item) for item in classes]
    _check(voting, missing)
    if missing_votes and missing:
        voting, missing = [*voting, VoteClass(missing, 0.0)], 0
    counts = Counter(item.size for item in voting if item.size)
    n = sum(count * times for count, times in counts.items()) + missing
    if n > MOST_SAMPLES:
        raise InputError(f"{n} samples of one task; maj@k handles up to {MOST_SAMPLES}")
    scores: dict[int, float] = {}
    for item in voting:
        if item.size:
            scores[item.size] = scores.get(item.size, 0.0) + item.score
    wins = np.zeros(n + 1)
    for count, score in scores.items():
        if score:  # classes of equal size win equally often: their scores add up
            others = counts - Counter({count: 1})
            wins += score * _wins(count, others, missing, n)
    return np.clip(wins[1:] / binomials(n)[1:], 0.0, 1.0)


def _wins(count: int, others: Counter[int], missing: int, n: int) -> Array:
    """For each size of draw, in how many subsets a class of ``count`` wins, shared wins in part."""
    own = binomials(count)
    total = np.zeros(n + 1)
    # Between two sizes of other classes the set of those that can reach t stays the same, and with it (1 + x)^rest.
    steps = [0, *sorted({size for size in others if size < count}), count]
    for low, high in pairwise(steps):
        able = {size: times for size, times in others.items() if size > low}
        rest = missing + sum(size * times for size, times in others.items() if size <= low)
        votes = range(low + 1, high + 1)
        part = staggered(own[low + 1 : high + 1, None] * _shared(able, votes))
        product = np.convolve(part, binomials(rest))
        total[votes.start : votes.start + len(product)] += product
    return total


def _shared(able: Mapping[int, int], votes: range) -> Array:
    """The integral over y of the product of ``P_l`` over classes that all can reach ``votes``.

    Returns:
        By votes t and by power of x: shape (votes, degree + 1).
    """
    classes = sum(able.values())
    if not classes:
        return np.ones((len(votes), 1))
    nodes, weights = gauss(classes // 2 + 1)
    degree = sum(size * times for size, times in able.items())
    found = terms(able, votes, nodes)
    product, *others = (power(found[size], times, degree) for size, times in able.items())
    for factor in others:
        product = multiply(product, factor, degree)
    return integral(weights, product)


def terms(sizes: Iterable[int], votes: range, nodes: Array) -> dict[int, Array]:
    """``P_l`` by the size of the class, at each t of ``votes``, which it can reach, and each node of y.

    Returns:
        Arrays of shape (votes * nodes, largest t + 1); the nodes of the smallest t come first.
    """
    powers, t = np.arange(votes.stop), np.arange(votes.start, votes.stop)[:, None, None]
    kept = ((powers < t) + (powers == t) * nodes[:, None]).reshape(-1, votes.stop)
    return {size: binomials(size)[: votes.stop] * kept for size in sizes}


def _check(classes: Sequence[VoteClass], missing: int) -> None:
    if missing < 0:
        raise InputError(f"{missing} samples are without an answer; expected 0 or more")
    for size, score in classes:
        if size < 0:
            raise InputError(f"a class has {size} votes; expected 0 or more")
        if not 0.0 <= score <= 1.0:
            raise InputError(f"a class has the score {score!r}; expected a number in [0, 1]")
