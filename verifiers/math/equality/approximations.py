"""Decimals that stand for numbers which no decimal can write: irrational ones, and fractions without an end.

The purpose is narrow on purpose. A decimal beside another decimal, beside an integer or a fraction that ends, and
inside an expression with names is the number that it says and no other.
"""

from __future__ import annotations

from typing import Any

from flint import acb, ctx, fmpq

from ..tree import I_UNIT, Node
from .balls import Balls, precision
from .exact import rational
from .functions import NoValue

COUNTED_DIGITS = 15  # what a decimal says beyond its fifteenth significant digit is not held against it


def approximated(left: Node, right: Node, digits: int) -> tuple[Any, Node] | None:
    """One unit of the last digit that counts, where one side is a decimal of ``digits`` digits or more; the other side.

    Returns:
        None where neither side is such a decimal, where the other side holds a long decimal too, and where the decimal
        is only a part of an expression.
    """
    for decimal, exact in ((left, right), (right, left)):
        if _is_long(decimal, digits) and not _is_long(exact, digits):
            unit = _unit(decimal, digits)
            return (unit, exact) if unit else None
    return None


def is_close(left: Node, right: Node) -> bool:
    """Whether two numbers are within a tenth of each other, as the sides of an approximation have to be."""
    with precision():
        ctx.prec = 64
        try:
            first, second = (acb(Balls({}, acb).value(node)) for node in (left, right))
        except (NoValue, ValueError, ZeroDivisionError, OverflowError):
            return False
        return bool(10 * abs(first - second) <= abs(first) + abs(second) * fmpq(1, 10**6) + fmpq(1, 10**9))


def is_endless(value: Any) -> bool:
    """Whether a fraction has no decimal of at most fifteen digits, and is no integer.

    >>> is_endless(fmpq(1, 3)), is_endless(fmpq(1, 8)), is_endless(fmpq(10**20 + 1))
    (True, False, False)
    """
    bottom = int(value.q)
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    if bottom > 1:
        return True
    return value.q > 1 and len(str(int(value.p * fmpq(10) ** int(value.q).bit_length())).strip("-0")) > COUNTED_DIGITS


def is_artefact(printed: Node, meant: Node) -> bool:
    """Whether one decimal is another of at most fifteen digits as a computer prints it: 0.30000000000000004 for 0.3."""
    if printed.op != "dec" or meant.op != "dec" or not printed.value[1] > COUNTED_DIGITS >= meant.value[1]:
        return False
    value, count, last = printed.value
    unit = fmpq(10) ** (last + count - COUNTED_DIGITS)
    difference = abs(value - meant.value[0])
    return bool(fmpq(difference.numerator, difference.denominator) < unit) and meant.value[0].denominator > 1


def _is_long(node: Node, digits: int) -> bool:
    if node.op == "dec":
        return bool(node.value[1] >= digits)
    for arg in node.args:  # noqa: SIM110 - a loop is faster, and this is asked of every pair of numbers
        if _is_long(arg, digits):
            return True
    return False


def _unit(node: Node, digits: int) -> Any | None:
    """How far a decimal may be away from what it stands for; 0 for exact parts, None for what is no decimal.

    A decimal may have a sign, a factor that is a fraction (a unit, a power of ten), and an imaginary part.
    """
    op, args = node.op, node.args
    if op == "dec":
        _, count, last = node.value
        return fmpq(10) ** (last + max(0, count - COUNTED_DIGITS)) if count >= digits else fmpq(0)
    if node == I_UNIT:
        return fmpq(0)
    if op in ("neg", "group"):
        return _unit(args[0], digits)
    if op == "pct":
        unit = _unit(args[0], digits)
        return None if unit is None else unit / 100
    if op == "add":
        total = fmpq(0)
        for arg in args:
            if (unit := _unit(arg, digits)) is None:
                return None
            total += unit
        return total
    if op in ("mul", "div"):
        return _scaled(node, digits)
    return fmpq(0) if rational(node) is not None and not _is_long(node, digits) else None


def _scaled(node: Node, digits: int) -> Any | None:
    """The unit of a product or a quotient of fractions in which one factor at most is a long decimal."""
    scale = fmpq(1)
    unit: Any = fmpq(0)
    for place, factor in enumerate(node.args):
        own = _unit(factor, digits)
        if own is None or (own and (unit or (node.op == "div" and place))):
            return None
        if own:
            unit = own
        elif factor != I_UNIT:
            value = rational(factor)
            if value is None or (value == 0 and node.op == "div" and place):
                return None
            scale = scale / value if node.op == "div" and place else scale * value
    return unit * abs(scale)
