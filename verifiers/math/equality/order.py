"""Which of two real numbers is greater."""

from __future__ import annotations

from flint import arb, ctx

from ..tree import ZERO, Node, symbols
from .balls import Balls, precision
from .exact import rational
from .functions import NoValue
from .points import sample
from .values import CONFIRMING_BITS, FIRST_BITS, same_value


def compare(left: Node, right: Node) -> int | None:
    """-1, 0 or 1 as ``left`` is less, equal or greater; None where either is no real number or they are too close."""
    first = rational(left)
    second = rational(right) if first is not None else None
    if first is not None and second is not None:
        return int(first > second) - int(first < second)
    for bits in (FIRST_BITS, *CONFIRMING_BITS):
        with precision():
            ctx.prec = bits
            try:
                balls = [Balls({}, arb).value(node) for node in (left, right)]
            except (NoValue, ValueError, ZeroDivisionError, OverflowError):
                return None
            if balls[0] < balls[1]:
                return -1
            if balls[0] > balls[1]:
                return 1
        if bits == FIRST_BITS and same_value(left, right, digits=99, seed="order").equal:
            return 0
    return None


def sign(node: Node) -> int | None:
    """-1, 0 or 1; None where it cannot be told."""
    return compare(node, ZERO)


def sign_at(node: Node, *, seed: str, names: tuple[Node, Node]) -> int | None:
    """The sign of an expression at a sample point; None where it cannot be told."""
    values = sample(sorted(symbols(names[0]) | symbols(names[1])), seed, 0)
    with precision():
        ctx.prec = FIRST_BITS
        try:
            ball = Balls(values, arb).value(node)
        except (NoValue, ValueError, ZeroDivisionError, OverflowError):
            return None
        return 1 if ball > 0 else -1 if ball < 0 else None
