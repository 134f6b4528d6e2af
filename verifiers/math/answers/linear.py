"""Solving for the one name of an expression that is linear in it."""

from __future__ import annotations

from flint import fmpq

from ..equality.exact import Exact, NotExact, rational
from ..equality.order import sign
from ..equality.structure import canonical
from ..tree import Node, number, symbols


def solved(left: Node, right: Node) -> tuple[str, Node, bool] | None:
    """Solve ``left = right`` for the name in ``left``.

    Args:
        left: A name, an applied function such as ``f(x)``, or an expression with rational coefficients, linear in one
            name.
        right: An expression without names.

    Returns:
        The name, its value, and whether an inequality between the sides turns round; None where ``left`` is not linear.
    """
    if left.op == "sym":
        return left.value, right, False
    if left.op == "apply":
        return repr(canonical(left)), right, False
    if left.op == "neg":
        inner = solved(left.args[0], Node("neg", (right,)))
        return (inner[0], inner[1], not inner[2]) if inner else None
    names = symbols(left)
    if len(names) != 1:
        return None
    (name,) = names
    try:
        at = [Exact({name: fmpq(x)}).value(left) for x in (0, 1, 2, 7)]
    except NotExact:
        return _scaled(left, right, name)
    slope = at[1] - at[0]
    if slope == 0 or at[2] - at[0] != 2 * slope or at[3] - at[0] != 7 * slope:
        return None
    value = rational(right)
    if value is not None:
        return name, _leaf((value - at[0]) / slope), bool(slope < 0)
    shifted = Node("add", (right, Node("neg", (_leaf(at[0]),)))) if at[0] != 0 else right
    return name, shifted if slope == 1 else Node("div", (shifted, _leaf(slope))), bool(slope < 0)


def _scaled(left: Node, right: Node, name: str) -> tuple[str, Node, bool] | None:
    """``c x`` and ``x / c`` with an irrational constant."""
    if left.op != "mul":
        return None
    others = [arg for arg in left.args if not (arg.op == "sym" and arg.value == name)]
    if len(others) != len(left.args) - 1 or any(symbols(arg) for arg in others):
        return None
    factor = others[0] if len(others) == 1 else Node("mul", tuple(others))
    turn = sign(factor)
    return None if not turn else (name, Node("div", (right, factor)), turn < 0)


def _leaf(value: fmpq) -> Node:
    from fractions import Fraction

    return number(Fraction(int(value.p), int(value.q)))
