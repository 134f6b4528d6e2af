"""Whether two expressions have one value, tier by tier; each tier either settles it or passes it on.

1. The same tree.
2. Exact rational numbers.
3. Exact rational functions of the names.
4. Balls at rising precision. A ball of the difference without zero proves it. A ball with zero counts only when its
   radius is below 2^-60 of the magnitude at 512 bits or more, and when nothing on the way was too small to be seen: so
   a wide ball, ``1 + e^{-10^6}`` and ``(x+1)^{10000} - (x+1)^{10000}`` prove nothing. Where both sides are rational
   numbers too large to be written down, their remainders modulo secret primes have to agree as well.
5. The same shape. Whatever is left is undecided, and undecided is not equal.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from flint import acb, arb, ctx, fmpq

from ..tree import Node, symbols, walk
from .balls import Balls
from .exact import Exact, NotExact, rational
from .functions import NoValue
from .outcome import EQUAL, Outcome, undecided, unequal
from .points import sample
from .polynomials import same_function
from .residues import residues
from .structure import canonical

FIRST_BITS = 128
CONFIRMING_BITS = (512, 2048)
GOOD_POINTS = 3
TRIED_POINTS = 12
_PRECISION = threading.Lock()  # python-flint keeps one precision for the whole process
DISCRETE = frozenset(["factorial", "doublefactorial", "binomial", "permutations", "gcd", "lcm"])
_ALGEBRAIC = frozenset(["num", "dec", "sym", "add", "mul", "div", "neg", "pow", "pct", "deg", "group"])


@contextmanager
def precision() -> Iterator[None]:
    """Hold python-flint's precision for this thread, and give it back as it was."""
    with _PRECISION:
        before = ctx.prec
        try:
            yield
        finally:
            ctx.prec = before


def same_value(left: Node, right: Node, *, digits: int, seed: str) -> Outcome:
    """Compare two arithmetic expressions.

    Args:
        left: The reference's.
        right: The answer's.
        digits: See ``Balls``: literals with so many significant digits are approximations.
        seed: Where the sample points come from, usually the reference's text.
    """
    if left == right:
        return EQUAL
    names = sorted(symbols(left) | symbols(right))
    if not names:
        return _numbers(left, right, digits, seed)
    if _is_algebraic(left) and _is_algebraic(right):
        if _differ_at_a_point(left, right, sample(names, seed, 1, integers=False)) and not _has_long_decimal(
            (left, right), digits
        ):
            return unequal("another expression")
        same = same_function(left, right, names)
        if same is not None and (same or not _has_long_decimal((left, right), digits)):
            return EQUAL if same else unequal("another expression")
    return _sampled(left, right, names, digits, seed)


def _differ_at_a_point(left: Node, right: Node, values: Mapping[str, Any]) -> bool:
    """Whether exact values at one point prove a difference, which costs less than expanding polynomials."""
    try:
        return bool(Exact(values).value(left) != Exact(values).value(right))
    except NotExact:
        return False


def _numbers(left: Node, right: Node, digits: int, seed: str) -> Outcome:
    first = rational(left)
    second = rational(right) if first is not None else None
    if first is None or second is None:
        return _sampled(left, right, [], digits, seed)
    if first == second:
        return EQUAL
    places = [place for place in (_place(left, digits), _place(right, digits)) if place is not None]
    if places:
        return EQUAL if abs(first - second) < fmpq(10) ** max(places) else unequal("another number")
    if _has_long_decimal((left, right), digits):
        return _sampled(left, right, [], digits, seed)
    return unequal("another number")


def _has_long_decimal(nodes: tuple[Node, ...], digits: int) -> bool:
    return any(found.op == "dec" and found.value[1] >= digits for node in nodes for found in walk(node))


def _place(node: Node, digits: int) -> int | None:
    """The exponent of the last digit that counts of a long decimal literal, its fifteenth at most."""
    if node.op == "neg":
        return _place(node.args[0], digits)
    if node.op != "dec" or node.value[1] < digits:
        return None
    _, count, last = node.value
    return int(last + max(0, count - 15))


def _is_algebraic(node: Node) -> bool:
    return node.op in _ALGEBRAIC and all(map(_is_algebraic, node.args))


def _sampled(left: Node, right: Node, names: list[str], digits: int, seed: str) -> Outcome:
    """Balls at sample points: over the reals first, over the complex numbers where that gives no point."""
    nodes = (left, right)
    complex_only = discrete = False
    for node in nodes:
        for found in walk(node):
            if found.op == "const":
                complex_only = complex_only or found.value == "i"
            elif found.op == "fn":
                complex_only = complex_only or found.value in ("cis", "arg")
                discrete = discrete or found.value in DISCRETE
            elif found.op == "big":
                discrete = True
    discrete = discrete and bool(names)
    with precision():
        outcome = None if complex_only else _over(arb, nodes, names, digits, seed, discrete)
        if outcome is None:
            outcome = _over(acb, nodes, names, digits, seed, discrete)
    if outcome is not None and outcome.decided:
        return outcome
    if canonical(left) == canonical(right):
        return EQUAL
    return outcome or undecided("neither could be computed")


def _over(
    ring: type, nodes: tuple[Node, Node], names: list[str], digits: int, seed: str, discrete: bool
) -> Outcome | None:
    """The outcome over one ring; None where no point is good there."""
    good = 0
    wanted = GOOD_POINTS + discrete if names else 1
    for index in range(TRIED_POINTS if names else 1):
        values = sample(names, seed, index, integers=discrete)
        bits = CONFIRMING_BITS if good else (FIRST_BITS, *CONFIRMING_BITS)  # most differences show at the first point
        outcome = _at_point(ring, nodes, values, digits, bits)
        if outcome is None:
            continue
        if not outcome.equal:
            return outcome
        good += 1
        if good == wanted:
            return EQUAL
    return undecided("too few points where both are defined") if good else None


def _at_point(
    ring: type, nodes: tuple[Node, Node], values: Mapping[str, Any], digits: int, bits: tuple[int, ...]
) -> Outcome | None:
    """One point at rising precision: None where either side has no value there."""
    for precision_bits in bits:
        ctx.prec = precision_bits
        left, right = Balls(values, ring, digits), Balls(values, ring, digits)
        try:
            first, second = left.value(nodes[0]), right.value(nodes[1])
        except (NoValue, ValueError, ZeroDivisionError, OverflowError):
            return None
        difference = first - second
        if not difference.is_finite():
            if precision_bits == CONFIRMING_BITS[-1] or not values:
                return None
            continue
        if not difference.contains(0):
            return unequal("another value")
        if left.inexact or right.inexact:
            return _agrees(first, second, difference, digits)
        sharp = precision_bits > FIRST_BITS and not (left.lossy or right.lossy)
        if sharp and _is_tight(first, second, difference, precision_bits):
            return _confirmed(nodes, values)
    return undecided("too close to tell")


def _agrees(first: Any, second: Any, difference: Any, digits: int) -> Outcome:
    """Balls of long decimals that meet: equal where they are narrow beside the value."""
    size = max(abs(first).abs_upper(), abs(second).abs_upper())
    narrow = _radius(difference) <= size * arb(10) ** (2 - digits)
    return EQUAL if narrow else undecided("too few digits")


def _is_tight(first: Any, second: Any, difference: Any, bits: int) -> bool:
    """Whether a ball around zero is so narrow that it counts as zero."""
    if difference == 0:
        return True
    radius = _radius(difference)
    if radius <= max(abs(first).abs_lower(), abs(second).abs_lower()) * arb(2) ** -60:
        return True
    return bool(radius <= arb(2) ** (-bits // 2) and (first == 0 or second == 0 or _both_small(first, second, bits)))


def _both_small(first: Any, second: Any, bits: int) -> bool:
    limit = arb(2) ** (-bits // 2)
    return bool(abs(first).abs_upper() < limit and abs(second).abs_upper() < limit)


def _radius(ball: Any) -> Any:
    return max(ball.real.rad(), ball.imag.rad()) if isinstance(ball, acb) else ball.rad()


def _confirmed(nodes: tuple[Node, Node], values: Mapping[str, Any]) -> Outcome:
    """Equality of balls; of rational numbers too large to be written down the remainders have to agree too."""
    if values:
        return EQUAL
    if all(found.op in _ALGEBRAIC for node in nodes for found in walk(node)) and not _has_roots(nodes):
        first, second = residues(nodes[0]), residues(nodes[1])
        if first is None or second is None:
            return undecided("too large to tell")
        return EQUAL if first == second else unequal("another number")
    return EQUAL


def _has_roots(nodes: tuple[Node, Node]) -> bool:
    """Whether a fractional exponent makes an expression irrational."""
    for node in nodes:
        for found in walk(node):
            if found.op == "pow":
                exponent = rational(found.args[1])
                if exponent is not None and exponent.q != 1:
                    return True
    return False
