r"""Whether every piece that an answer brings along has been looked at.

An answer may hide its border where no point is: ``\max(x, -10^{10^{10}})`` is ``x`` wherever one could look. What
decides between its pieces must then have been seen with both signs, be the reference's own, or provably never change
its sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, cast

from flint import arb

from ..tree import Node, number, symbols, walk
from .balls import Balls
from .borders import is_fractional, zeros_along
from .functions import NoValue
from .structure import canonical

_SIGNED = frozenset(["abs", "norm", "sgn"])
_SWINGING = frozenset(["sin", "cos", "tanh"])  # between -1 and 1
_POSITIVE = frozenset(["exp", "cosh", "abs", "norm"])


def has_unseen_piece(reference: Node, answer: Node, names: Sequence[str], points: Iterable[Mapping[str, Any]]) -> bool:
    """Whether some piece of the answer may differ where neither the points nor a proof reach."""
    known = {canonical(decider) for decider in _deciders(reference)}
    unknown = [decider for decider in dict.fromkeys(_deciders(answer)) if canonical(decider) not in known]
    seen = list(points) if unknown else []
    return not all(_is_settled(decider, names, seen) for decider in unknown)


def _deciders(node: Node) -> Iterator[Node]:
    """The expressions whose signs decide between pieces; bare names, which are sampled with both signs, left out."""
    for found in walk(node):
        for decider in _of(found):
            if decider.op != "sym" and symbols(decider):
                yield decider


def _of(node: Node) -> Iterator[Node]:
    op, args = node.op, node.args
    if op == "fn" and node.value in _SIGNED:
        yield args[0]
    elif op == "fn" and node.value in ("max", "min"):
        for left, right in combinations(args[:6], 2):
            yield Node("add", (left, Node("neg", (right,))))
    elif (op == "root" or (op == "pow" and is_fractional(args[1]))) and _is_even_power(args[0]):
        yield args[0].args[0]


def _is_settled(decider: Node, names: Sequence[str], points: Iterable[Mapping[str, Any]]) -> bool:
    if (
        _never_negative(decider)
        or _least(decider) >= 0
        or (len(names) == 1 and zeros_along(decider, names[0], {}) == [])
    ):
        return True
    signs = set()
    for values in points:
        try:
            ball = Balls(values, arb).value(decider)
        except (NoValue, ValueError, ZeroDivisionError, OverflowError):
            continue
        signs.add(1 if ball > 0 else -1 if ball < 0 else 0)
        if {1, -1} <= signs:
            return True
    return False


def _is_even_power(node: Node) -> bool:
    exponent = node.args[1] if node.op == "pow" else None
    return exponent is not None and exponent.op == "num" and exponent.value % 2 == 0


def _never_negative(node: Node) -> bool:
    """Whether an expression is a sum, product or quotient of squares, moduli, exponentials and numbers, by its form."""
    op = node.op
    if op in ("num", "dec"):
        return bool((node.value if op == "num" else node.value[0]) >= 0)
    if op == "const":
        return node.value in ("pi", "e")
    if op == "fn":
        return node.value in _POSITIVE
    if op == "pow":
        return _is_even_power(node) or _never_negative(node.args[0])
    if op == "root":
        return bool(node.args[1].op == "num" and node.args[1].value % 2 == 0)
    return op in ("add", "mul", "div", "group") and all(map(_never_negative, node.args))


def _least(node: Node) -> float | Fraction:
    """A lower bound of an expression by its form, for what swings between two numbers: 0 for ``1 + sin x``."""
    op, args = node.op, node.args
    if op in ("num", "dec"):
        return cast(Fraction, node.value if op == "num" else node.value[0])
    if op == "fn" and node.value in _SWINGING:
        return Fraction(-1)
    if op == "neg" and args[0].op == "fn" and args[0].value in _SWINGING:
        return Fraction(-1)
    if op == "add":
        return sum(map(_least, args))
    if op == "neg" and args[0].op == "mul":
        return _least(Node("mul", (number(-1), *args[0].args)))
    if op == "mul":
        factors = [arg.value for arg in args if arg.op == "num"]
        others = [arg for arg in args if arg.op != "num"]
        if len(others) == 1 and others[0].op == "fn" and others[0].value in _SWINGING:
            size: Fraction = abs(math.prod(factors, start=Fraction(1)))
            return -size
    return Fraction(0) if _never_negative(node) else -math.inf
