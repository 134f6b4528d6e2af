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

from collections.abc import Mapping
from itertools import chain
from typing import Any

from flint import acb, arb, ctx

from ..tree import Node, symbols, walk
from .approximations import approximated, is_artefact, is_endless
from .balls import Balls, precision
from .borders import beyond_borders, has_fixed_pieces
from .exact import Exact, NotExact, rational
from .functions import NoValue
from .integers import integer_names
from .outcome import EQUAL, Outcome, undecided, unequal
from .pieces import has_unseen_piece
from .points import large_integers, sample, small_integers
from .polynomials import same_function
from .residues import residues
from .structure import canonical

FIRST_BITS = 128
CONFIRMING_BITS = (512, 2048)
GOOD_POINTS = 3
TRIED_POINTS = 12
_ALGEBRAIC = frozenset(["num", "dec", "sym", "add", "mul", "div", "neg", "pow", "pct", "deg", "group"])


def same_value(left: Node, right: Node, *, digits: int, seed: str) -> Outcome:
    """Compare two arithmetic expressions.

    Args:
        left: The reference's.
        right: The answer's.
        digits: A decimal with at least so many significant digits may approximate an endless number.
        seed: Where the sample points come from, usually the reference's text.
    """
    if left == right:
        return EQUAL
    names = sorted(symbols(left) | symbols(right))
    if not names:
        return _numbers(left, right, digits, seed)
    if _is_algebraic(left) and _is_algebraic(right):
        if _differ_at_a_point(left, right, sample(names, seed, 1)):
            return unequal("another expression")
        same = same_function(left, right, names)
        if same is not None:
            return EQUAL if same else unequal("another expression")
    return _sampled(left, right, names, seed)


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
        found = approximated(left, right, digits)
        return _sampled(left, right, [], seed) if found is None else _within(left, right, found[0])
    if first == second or is_artefact(left, right) or is_artefact(right, left):
        return EQUAL
    found = approximated(left, right, digits)
    if found is not None and abs(first - second) < found[0] and is_endless(first if found[1] is left else second):
        return EQUAL
    return unequal("another number")


def _within(left: Node, right: Node, unit: Any) -> Outcome:
    """Whether a decimal is less than one unit of its last digit away from a number that has no such end."""
    with precision():
        for bits in (FIRST_BITS, *CONFIRMING_BITS):
            ctx.prec = bits
            try:
                difference = abs(Balls({}, acb).value(left) - Balls({}, acb).value(right))
            except (NoValue, ValueError, ZeroDivisionError, OverflowError):
                return undecided("neither could be computed")
            if difference < unit:
                return EQUAL
            if difference > unit:
                return unequal("another number")
    return undecided("too close to tell")


def _is_algebraic(node: Node) -> bool:
    return node.op in _ALGEBRAIC and all(map(_is_algebraic, node.args))


def _sampled(left: Node, right: Node, names: list[str], seed: str) -> Outcome:
    """Balls at sample points: over the reals first, over the complex numbers where that gives no point."""
    nodes = (left, right)
    complex_only = False
    for node in nodes:
        for found in walk(node):
            if found.op == "const":
                complex_only = complex_only or found.value == "i"
            elif found.op == "fn":
                complex_only = complex_only or found.value in ("cis", "arg")
    discrete = integer_names(left, right) if names else frozenset()
    with precision():
        outcome = None if complex_only else _over(arb, nodes, names, seed, discrete)
        if outcome is None:
            outcome = _over(acb, nodes, names, seed, discrete)
    if outcome is not None and outcome.decided:
        return outcome
    if canonical(left) == canonical(right):
        return EQUAL
    return outcome or undecided("neither could be computed")


def _over(
    ring: type, nodes: tuple[Node, Node], names: list[str], seed: str, discrete: frozenset[str]
) -> Outcome | None:
    """The outcome over one ring; None where no point is good there."""
    good = 0
    wanted = GOOD_POINTS + bool(discrete) if names else 1
    for index in range(TRIED_POINTS if names else 1):
        values = sample(names, seed, index, integers=discrete)
        bits = CONFIRMING_BITS if good else (FIRST_BITS, *CONFIRMING_BITS)  # most differences show at the first point
        outcome = _at_point(ring, nodes, values, bits)
        if outcome is None:
            continue
        if not outcome.equal:
            return outcome
        good += 1
        if good == 1 and names and canonical(nodes[0]) == canonical(nodes[1]):
            return EQUAL  # the same but for the order of summands and factors: no other point can tell them apart
        if good == wanted:
            return _everywhere(ring, nodes, names, seed, discrete) if names else EQUAL
    return undecided("too few points where both are defined") if good else None


def _everywhere(ring: type, nodes: tuple[Node, Node], names: list[str], seed: str, discrete: frozenset[str]) -> Outcome:
    """Equality at the usual points, unless a piece of either expression differs elsewhere."""
    points = beyond_borders(nodes, names, seed)
    if discrete:
        others = sample([name for name in names if name not in discrete], seed, 0)
        found = large_integers(sorted(discrete), seed)
        if any(map(has_fixed_pieces, nodes)):
            found = chain(found, small_integers(sorted(discrete), _literals(nodes)))
        points = ({**others, **values} for values in found)
    looked_at = [sample(names, seed, index) for index in range(GOOD_POINTS)]
    for values in points:
        looked_at.append(values)
        if discrete and _differ_at_a_point(*nodes, values):
            return unequal("another value")
        outcome = _at_point(ring, nodes, values, CONFIRMING_BITS[:1])
        if outcome is not None and outcome.decided and not outcome.equal:
            return outcome
    ctx.prec = FIRST_BITS
    return undecided("a piece that was never seen") if has_unseen_piece(*nodes, names, looked_at) else EQUAL


def _literals(nodes: tuple[Node, Node]) -> list[int]:
    """The integers that occur in two expressions, and twice and thrice each: where their divisors matter."""
    found = {int(part.value) for node in nodes for part in walk(node) if part.op == "num" and 1 < part.value < 10**9}
    return [factor * value for value in sorted(found)[:8] for factor in (1, 2, 3)]


def _at_point(ring: type, nodes: tuple[Node, Node], values: Mapping[str, Any], bits: tuple[int, ...]) -> Outcome | None:
    """One point at rising precision: None where either side has no value there."""
    for precision_bits in bits:
        ctx.prec = precision_bits
        left, right = Balls(values, ring), Balls(values, ring)
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
        sharp = precision_bits > FIRST_BITS and not (left.lossy or right.lossy)
        if sharp and _is_tight(first, second, difference, precision_bits):
            return _confirmed(nodes, values)
    return undecided("too close to tell")


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
