"""Quadratic inequalities in one name, solved: a reference may state one where its answer is an interval."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from ..equality.exact import Exact, NotExact
from ..tree import TWO, Node, number, symbols
from .intervals import EVERYTHING, Piece, complement, piece
from .realset import RealSet

_CHECKED = (2, 3, 7)


def solved(greater: Node, relation: str, less: Node) -> RealSet | None:
    """The solutions of ``greater > less`` or ``greater >= less``; None where it is not quadratic over the rationals."""
    difference = Node("add", (greater, Node("neg", (less,))))
    names = symbols(difference)
    if len(names) != 1 or relation not in (">", ">="):
        return None
    (name,) = names
    try:
        values = {at: Exact({name: fmpq(at)}).value(difference) for at in (-1, 0, 1, *_CHECKED)}
    except NotExact:
        return None
    c = values[0]
    a, b = (values[1] + values[-1]) / 2 - c, (values[1] - values[-1]) / 2
    if a == 0 or any(a * at * at + b * at + c != values[at] for at in _CHECKED):
        return None
    pieces = _outside(a, b, c, closed=relation == ">=") if a > 0 else _inside(a, b, c, closed=relation == ">=")
    return RealSet(pieces, name)


def _outside(a: fmpq, b: fmpq, c: fmpq, *, closed: bool) -> tuple[Piece, ...]:
    """Where a parabola that opens upwards is positive."""
    between = _between(a, b, c, "()" if closed else "[]")
    return complement(between) if between else (EVERYTHING,)


def _inside(a: fmpq, b: fmpq, c: fmpq, *, closed: bool) -> tuple[Piece, ...]:
    """Where one that opens downwards is positive."""
    return _between(a, b, c, "[]" if closed else "()")


def _between(a: fmpq, b: fmpq, c: fmpq, brackets: str) -> tuple[Piece, ...]:
    """From root to root."""
    square = b * b - 4 * a * c
    if square < 0 or (square == 0 and brackets == "()"):
        return ()
    middle, half = -b / (2 * a), abs(1 / (2 * a))
    if square == 0:
        return (piece(_leaf(middle), _leaf(middle), brackets),)
    shift = Node("mul", (_leaf(half), Node("root", (_leaf(square), TWO))))
    return (piece(Node("add", (_leaf(middle), Node("neg", (shift,)))), Node("add", (_leaf(middle), shift)), brackets),)


def _leaf(value: fmpq) -> Node:
    return number(Fraction(int(value.p), int(value.q)))
