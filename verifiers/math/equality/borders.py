r"""Where expressions that are made of pieces have to be looked at: on both sides of every border between two pieces.

``|x + 100|`` is ``x + 100`` at every point that is not far out. The borders of a piece are zeros of an expression: of
what stands in a modulus, under a root or in a logarithm, of the difference of two values of which the greater one is
taken. Along one name at a time, with the others fixed, most of them are zeros of a polynomial, which are isolated
exactly; for the rest points of very different magnitude are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpq_poly

from ..tree import Node, number, substitute, symbols, walk
from .balls import Balls
from .exact import NotExact
from .functions import NoValue
from .points import far, fraction
from .polynomials import RationalFunctions

_PIECES = frozenset(
    "abs norm sgn floor ceil ln arcsin arccos arctan arccot arcsec arccsc conjugate arg gcd lcm".split()
)
_SETTLED = frozenset("abs norm sgn ln".split())
MAX_BORDERS = 12  # arguments whose zeros are looked for
MAX_DEGREE = 24
MAX_BITS = 4000
MAX_NAMES = 8  # along which zeros are looked for
MAX_POINTS = 48
LARGEST_POWER = 500  # of ten, beyond which a number is not looked at as a fraction


def has_pieces(node: Node) -> bool:
    """Whether an expression may be made of pieces that meet anywhere but at zero."""
    return any(True for _ in _borders(node))


def has_fixed_pieces(node: Node) -> bool:
    """Whether an expression of integers is made of pieces at all; bare names matter there, as in ``gcd(n, 60)``."""
    return any(found.op == "fn" and (found.value in _PIECES or found.value in ("max", "min")) for found in walk(node))


def beyond_borders(nodes: Sequence[Node], names: Sequence[str], seed: str) -> Iterator[dict[str, Any]]:
    """Points on all sides of the borders of several expressions, then far out and close to zero.

    Args:
        nodes: The expressions.
        names: Their names.
        seed: Usually the text of the reference.
    """
    borders = list(dict.fromkeys(border for node in nodes for border in _borders(node)))
    if not borders:
        return
    settled = len(names) == 1 and len(borders) <= MAX_BORDERS and not any(map(_has_many_borders, nodes))
    count = 0
    for place, name in enumerate(names[:MAX_NAMES]):
        fixed = next(iter(far([other for other in names if other != name], f"{seed}{place}", near=True)))
        found = [zeros_along(border, name, fixed) for border in borders[:MAX_BORDERS]]
        settled = settled and None not in found
        zeros = sorted({zero for some in found for zero in some or ()})
        for value in _between(zeros, f"{seed}\0{name}"):
            count += 1
            if count > MAX_POINTS:
                return
            yield {**fixed, name: value}
    if not settled:
        yield from far(names, seed)


def _has_many_borders(node: Node) -> bool:
    """Whether pieces repeat without end, or meet where nothing vanishes: floors, inverse functions."""
    return any(found.op == "fn" and found.value not in _SETTLED and found.value in _PIECES for found in walk(node))


def _borders(node: Node) -> Iterator[Node]:
    """The expressions that vanish where two pieces meet; bare names, whose signs are tried anyway, are left out."""
    for found in walk(node):
        for border in _of(found):
            if border.op != "sym" and symbols(border):
                yield border


def _of(node: Node) -> Iterator[Node]:
    op, args = node.op, node.args
    if op == "root" or (op == "pow" and is_fractional(args[1])):
        yield args[0]
        if args[0].op == "pow":
            yield args[0].args[0]
    elif op == "fn" and node.value in ("max", "min"):
        for left, right in combinations(args[:6], 2):
            yield Node("add", (left, Node("neg", (right,))))
    elif op == "fn" and node.value in _PIECES:
        yield args[0]
        if args[0].op == "pow":
            yield args[0].args[0]
        if node.value in ("floor", "ceil"):
            yield Node("add", (args[0], number(-1)))
            yield Node("add", (args[0], number(1)))


def is_fractional(exponent: Node) -> bool:
    """Whether an exponent is a fraction by its form."""
    if exponent.op in ("neg", "group"):
        return is_fractional(exponent.args[0])
    if exponent.op == "num":
        return bool(exponent.value.denominator > 1)
    return exponent.op in ("div", "dec") and not symbols(exponent)


def zeros_along(border: Node, name: str, fixed: dict[str, Any]) -> list[Any] | None:
    """The real zeros and poles along one name as fractions near them; None where the border is no rational function."""
    try:
        line = _numeric(substitute(border, {other: _number(value) for other, value in fixed.items()}), name)
        top, bottom = RationalFunctions([name]).quotient(line)
        return [zero for polynomial in (top, bottom) for zero in _roots(polynomial)]
    except (NotExact, NoValue, ValueError, ZeroDivisionError, OverflowError):
        return None


def _fraction_near(ball: Any) -> Any:
    """A fraction near a ball of ordinary magnitude; FLINT ends the process when asked for one near e^(e^50)."""
    middle = ball.real.mid()
    size = abs(middle)
    if not ball.is_finite() or not (middle == 0 or arb(10) ** -LARGEST_POWER < size < arb(10) ** LARGEST_POWER):
        raise NoValue("too large, too small or no number")
    return middle.fmpq()


def _number(value: Any) -> Node:
    from fractions import Fraction

    return number(Fraction(int(value.p), int(value.q)))


def _numeric(node: Node, name: str) -> Node:
    """The tree with parts that do not hold the name as fractions close to their values."""
    if name not in symbols(node):
        if node.op == "num":
            return node
        ball = acb(Balls({}, arb).value(node))
        exact = _fraction_near(ball)
        if max(exact.p.bit_length(), exact.q.bit_length()) > MAX_BITS:
            raise NoValue("too large")
        return _number(exact)
    return Node(node.op, tuple(_numeric(arg, name) for arg in node.args), node.value) if node.args else node


def _roots(polynomial: Any) -> list[Any]:
    coefficients = {exponents[0]: value for exponents, value in polynomial.to_dict().items()}
    degree = max(coefficients, default=0)
    if degree < 1:
        return []
    if degree > MAX_DEGREE:
        raise NotExact("degree")
    poly = fmpq_poly([coefficients.get(power, fmpq(0)) for power in range(degree + 1)])
    if max(int(value.p.bit_length() + value.q.bit_length()) for value in poly.coeffs()) > MAX_BITS:
        raise NotExact("too large")
    before, ctx.prec = ctx.prec, 64
    try:
        roots: Any = poly.numer().complex_roots()
        return [_fraction_near(root) for root, _ in roots if root.imag.contains(0)]
    finally:
        ctx.prec = before


def _between(zeros: list[Any], seed: str) -> Iterator[Any]:
    """One value in every gap of sorted zeros, and beyond the first and the last."""
    if not zeros:
        return
    size = max(abs(zeros[0]), abs(zeros[-1]), fmpq(1))
    ends = [zeros[0] - size * 2, *zeros, zeros[-1] + size * 2]
    for index, (low, high) in enumerate(pairwise(ends)):
        if high > low:
            yield low + (high - low) * fraction(f"{seed}\0{index}")
