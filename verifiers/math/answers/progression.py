"""Arithmetic progressions in both directions: all ``a + b k`` for integers k."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpq

from ..equality.exact import rational
from ..tree import PI, Node, is_arithmetic, number, product, substitute

if TYPE_CHECKING:
    from ..compare import Judge

MAX_SHIFT = 3  # periods by which irrational offsets are tried to be moved


class _Progression(NamedTuple):
    offset: Node
    period: Node


def same_progression(left: Node, right: Node, name: str, judge: Judge) -> bool:
    """Whether two expressions, linear in ``name``, take the same values over the integers."""
    first, second = (_progression(node, name, judge) for node in (left, right))
    if first is None or second is None:
        return False
    backwards = Node("neg", (second.period,))
    if not any(judge.same_value(first.period, period).equal for period in (second.period, backwards)):
        return False
    difference = Node("add", (first.offset, Node("neg", (second.offset,))))
    steps = _exact_ratio(difference, first.period)
    if steps is not None:
        return bool(steps.q == 1)
    for shift in range(-MAX_SHIFT, MAX_SHIFT + 1):
        if judge.same_value(difference, product(number(shift), first.period)).equal:
            return True
    return False


def _progression(node: Node, name: str, judge: Judge) -> _Progression | None:
    if not is_arithmetic(node):
        return None
    values = [substitute(node, {name: number(at)}) for at in (0, 1, 2)]
    steps = [Node("add", (after, Node("neg", (before,)))) for before, after in pairwise(values)]
    linear = judge.same_value(*steps).equal and not judge.same_value(steps[0], number(0)).equal
    return _Progression(values[0], steps[0]) if linear else None


def _exact_ratio(top: Node, bottom: Node) -> fmpq | None:
    """The quotient of two rational multiples of one, or of two of pi; None for anything else."""
    quotients = set()
    for at in (1, 2):
        first, second = rational(_with_pi(top, at)), rational(_with_pi(bottom, at))
        if first is None or second is None or second == 0:
            return None
        quotients.add(first / second)
    return quotients.pop() if len(quotients) == 1 else None


def _with_pi(node: Node, value: int) -> Node:
    """The expression with a number instead of pi, and degrees as their numbers."""
    if node == PI:
        return number(value)
    if node.op == "deg":
        return _with_pi(node.args[0], value)
    return Node(node.op, tuple(_with_pi(arg, value) for arg in node.args), node.value) if node.args else node
