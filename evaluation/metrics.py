"""What n judged samples of one task say about k draws: pure functions of counts.

Every number is the exact expectation over all k-subsets of the n samples, an unbiased estimate of what k fresh samples
would do (a U-statistic, Hoeffding 1948). Where n < k no such subset exists and the answer is NaN, never 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from ..bounds import at_least, share
from ..errors import InputError
from .majority import VoteClass, majority_curve


def pass_at_k(*, n: int, correct: int, k: int) -> float:
    """P(at least one of k draws is correct): ``1 - C(n - c, k) / C(n, k)`` (Chen et al. 2021, arXiv 2107.03374).

    Args:
        n: Samples taken.
        correct: Those that are correct, 0 to n.
        k: Draws without replacement, at least 1.

    Returns:
        A number in [0, 1]; NaN when n < k.

    Raises:
        InputError: A count is negative, k is 0, or more are correct than were taken.

    >>> pass_at_k(n=16, correct=3, k=4)
    0.6071428571428572
    >>> pass_at_k(n=3, correct=3, k=4)
    nan
    """
    _check(n, correct, k)
    return math.nan if n < k else 1.0 - _none_drawn(n, correct, k)


def pass_all_at_k(*, n: int, correct: int, k: int) -> float:
    """P(all k draws are correct), written pass^k: ``C(c, k) / C(n, k)`` (Yao et al. 2024, arXiv 2406.12045).

    Takes, returns and raises what ``pass_at_k`` does.

    >>> pass_all_at_k(n=4, correct=3, k=2)
    0.5
    """
    _check(n, correct, k)
    return math.nan if n < k else _none_drawn(n, n - correct, k)


def g_pass_at_k(*, n: int, correct: int, k: int, tau: float) -> float:
    """P(at least ``ceil(tau k)`` of k draws are correct), G-Pass@k_tau (Liu et al. 2024, arXiv 2412.13147).

    Args:
        n: Samples taken.
        correct: Those that are correct, 0 to n.
        k: Draws without replacement, at least 1.
        tau: The share that must be correct, in (0, 1]; tau = 1 is pass^k, a tau of at most 1/k is pass@k.

    Returns:
        A number in [0, 1]; NaN when n < k.

    Raises:
        InputError: As for ``pass_at_k``, or tau lies outside (0, 1].

    >>> g_pass_at_k(n=4, correct=3, k=2, tau=0.5) == pass_at_k(n=4, correct=3, k=2)
    True
    """
    _check(n, correct, k)
    share(tau=tau)
    if n < k:
        return math.nan
    # tau k lies a rounding error beside the whole number it stands for: 0.7 * 10 is 7.000000000000001
    needed = max(1, math.ceil(tau * k - 1e-9))
    hits = sum(math.comb(correct, i) * math.comb(n - correct, k - i) for i in range(needed, min(k, correct) + 1))
    return hits / math.comb(n, k)


def average_at_n(scores: Sequence[float]) -> float:
    """The mean score of all n samples, avg@n; NaN where there is none.

    >>> average_at_n([1.0, 0.0, 0.5, 0.5])
    0.5
    """
    return math.fsum(scores) / len(scores) if scores else math.nan


def best_of_k(scores: Sequence[float], *, k: int) -> float:
    """The expected largest score of k draws without replacement; for scores 0 and 1 this is pass@k.

    With the scores in ascending order, the i-th is the largest of ``C(i - 1, k - 1)`` of the ``C(n, k)`` subsets.

    Args:
        scores: The n scores of one task, any finite numbers.
        k: Draws, at least 1.

    Returns:
        A number between the smallest and the largest score; NaN when n < k.

    Raises:
        InputError: k is 0.

    >>> best_of_k([0.0, 0.5, 1.0], k=2)
    0.8333333333333333
    """
    _check(len(scores), 0, k)
    if len(scores) < k:
        return math.nan
    total = math.comb(len(scores), k)
    return math.fsum(score * (math.comb(i, k - 1) / total) for i, score in enumerate(sorted(scores)))


def maj_at_k(
    classes: Sequence[VoteClass | tuple[int, float]], *, k: int, missing: int = 0, missing_votes: bool = False
) -> float:
    """The expected score of the plurality answer of k draws, exact over all k-subsets, ties shared evenly.

    Args:
        classes: Each class of equivalent answers as (count, score): how many samples gave it, and its score in [0, 1].
        k: Draws without replacement, at least 1.
        missing: Samples without an answer. They abstain; a draw without any answer scores 0.
        missing_votes: Whether the missing vote as one wrong class instead.

    Returns:
        A number in [0, 1]; NaN when there are fewer than k samples. maj@1 is the mean score.

    Raises:
        InputError: A count is negative, a score lies outside [0, 1], k is 0, or there are more than 1,000 samples.

    >>> maj_at_k([(3, 1.0), (2, 0.0)], k=3)
    0.7
    >>> maj_at_k([(1, 1.0)], k=2, missing=1)
    1.0
    """
    curve = majority_curve(classes, missing=missing, missing_votes=missing_votes)
    _check(len(curve), 0, k)
    return math.nan if len(curve) < k else float(curve[k - 1])


def dead_group_probability(*, n: int, correct: int, group: int) -> float:
    """P(a group of ``group`` draws is all correct or all wrong): no gradient in GRPO. NaN when n < group.

    >>> round(dead_group_probability(n=4, correct=2, group=2), 6)
    0.333333
    """
    _check(n, correct, group)
    if n < group:
        return math.nan
    return _none_drawn(n, correct, group) + _none_drawn(n, n - correct, group)


@lru_cache(maxsize=1 << 16)
def _none_drawn(n: int, marked: int, k: int) -> float:
    """P(k draws of n hit none of ``marked``): ``C(n - m, k) / C(n, k)``, a product of min(m, k) factors."""
    if n - marked < k:
        return 0.0
    few, many = sorted((marked, k))
    return math.prod((n - many - i) / (n - i) for i in range(few))


def _check(n: int, correct: int, k: int) -> None:
    at_least(1, k=k)
    if not 0 <= correct <= n:
        raise InputError(f"{correct} of {n} samples are correct; expected 0 <= correct <= n")
