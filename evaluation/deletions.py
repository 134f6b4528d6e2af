"""maj@k with one sample of a task taken away, for every kind of sample in one pass: what the jackknife needs.

Let S(k) be the sum of the vote's score over all k-subsets of n samples. The subsets without sample i have the sum
S(k) - S_i(k), where S_i sums over those that hold it. Samples of one class are alike, so that S_i is the sum of
``votes of the class * score`` over the size of the class; in the generating functions of ``majority.py`` that marks one
class: its polynomial P_l becomes x dP_l/dx. The difference loses at most a factor n of precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .majority import VoteClass, terms
from .polynomials import Array, binomials, gauss, integral, multiply, power, staggered


class _Wins(NamedTuple):
    """Sums over the subsets of each size that a class wins, shared wins in part.

    Attributes:
        number: Of the subsets.
        own: Of its votes in them.
        marked: By size, of the votes of another class of that size.
        loose: Of the votes of one sample that cannot win: without an answer.
    """

    number: Array
    own: Array
    marked: dict[int, Array]
    loose: Array


def deletion_curves(
    classes: Sequence[VoteClass], *, missing: int, most: int
) -> tuple[Array, dict[VoteClass | None, Array]]:
    """maj@k for k = 1 ... ``most``, and the same after one sample is taken away.

    Args:
        classes: As for ``majority_curve``.
        missing: Samples without an answer, which abstain.
        most: The largest k, less than the number of samples.

    Returns:
        The curve, and the curves by the kind of the sample that is taken away; None is one without an answer.
    """
    kinds = Counter(item for item in classes if item.size)
    sizes = Counter(item.size for item in kinds.elements())
    n = sum(size * times for size, times in sizes.items()) + missing
    scores: dict[int, float] = {}
    for item in kinds.elements():
        scores[item.size] = scores.get(item.size, 0.0) + item.score
    wins = {size: _wins(size, sizes - Counter([size]), missing, most) for size, score in scores.items() if score}
    total = sum((scores[size] * found.number for size, found in wins.items()), np.zeros(most + 1))
    curves: dict[VoteClass | None, Array] = {}
    for item in kinds:
        held = sum((scores[size] * _marked(found, item.size) for size, found in wins.items()), np.zeros(most + 1))
        if item.score:  # where it wins itself, its own votes count, and not those of a class beside it
            held = held + item.score * (wins[item.size].own - _marked(wins[item.size], item.size))
        curves[item] = _rates(total - held / item.size, n - 1)
    if missing:
        held = sum((scores[size] * found.loose for size, found in wins.items()), np.zeros(most + 1))
        curves[None] = _rates(total - held, n - 1)
    return _rates(total, n), curves


def _marked(wins: _Wins, size: int) -> Array:
    return wins.marked.get(size, np.zeros(len(wins.number)))


def _rates(sums: Array, n: int) -> Array:
    most = len(sums) - 1
    rates: Array = np.clip(sums[1:] / binomials(n)[1 : most + 1], 0.0, 1.0)
    return rates


def _wins(count: int, others: Counter[int], missing: int, most: int) -> _Wins:
    """What a class of ``count`` samples wins against ``others``, numbers of classes by size."""
    own = binomials(count)
    blank = np.zeros(most + 1)
    found = _Wins(blank.copy(), blank.copy(), {size: blank.copy() for size in others}, blank.copy())
    # Between two sizes of other classes the set of those that can reach t stays the same, and with it (1 + x)^rest.
    steps = [0, *sorted({size for size in others if size < count}), count]
    for low, high in pairwise(steps):
        able = {size: times for size, times in others.items() if size > low}
        loose = [size for size in others if size <= low]
        rest = missing + sum(size * others[size] for size in loose)
        reached = range(low + 1, min(high, most) + 1)
        if not reached:
            break
        shared, by_size = _shared(able, reached, most)
        weight = own[reached.start : reached.stop, None]
        number = _shifted(weight * shared, reached.start, most)
        votes = _shifted(np.array(reached)[:, None] * weight * shared, reached.start, most)
        marked = {size: _shifted(weight * held, reached.start, most) for size, held in by_size.items()}
        around = binomials(rest)[: most + 1]
        _add(found.number, np.convolve(number, around))
        _add(found.own, np.convolve(votes, around))
        for size, held in marked.items():
            _add(found.marked[size], np.convolve(held, around))
        if rest:
            one = np.convolve(number, binomials(rest - 1)[:most])
            _add(found.loose, one, 1)
            for size in loose:
                _add(found.marked[size], size * one, 1)
    return found


def _shared(able: Mapping[int, int], votes: range, degree: int) -> tuple[Array, dict[int, Array]]:
    """The integral over y of the product of ``P_l``, and by size that with one class of the size marked.

    Each by the number t of ``votes`` and by power of x, up to ``degree``: shape (votes, degree + 1) or less.
    """
    classes = sum(able.values())
    if not classes:
        return np.ones((len(votes), 1)), {}
    nodes, weights = gauss(classes // 2 + 1)
    single = terms(able, votes, nodes)
    without = {size: power(single[size], times - 1, degree) for size, times in able.items()}
    factors = [multiply(without[size], single[size], degree) for size in able]
    ones = np.ones((len(nodes) * len(votes), 1))
    before, after = _running(factors, ones, degree), _running(factors[::-1], ones, degree)
    by_size = {}
    for place, size in enumerate(able):
        mark = multiply(without[size], single[size] * np.arange(votes.stop), degree)
        around = multiply(before[place], after[len(able) - 1 - place], degree)
        by_size[size] = integral(weights, multiply(around, mark, degree))
    return integral(weights, multiply(before[-1], factors[-1], degree)), by_size


def _running(factors: Sequence[Array], first: Array, degree: int) -> list[Array]:
    """The products of the first 0, 1, ... factors, without that of all."""
    products = [first]
    for factor in factors[:-1]:
        products.append(multiply(products[-1], factor, degree))
    return products


def _shifted(rows: Array, least: int, most: int) -> Array:
    """The sum of the rows times ``x**t``, for t from ``least`` on, by power of x up to ``most``."""
    total = np.zeros(most + 1)
    _add(total, staggered(rows), least)
    return total


def _add(total: Array, part: Array, shift: int = 0) -> None:
    """Add a polynomial times ``x**shift``, without the powers that ``total`` has no place for."""
    length = max(0, min(len(part), len(total) - shift))
    total[shift : shift + length] += part[:length]
