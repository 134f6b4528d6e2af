"""Angles in degrees and in radians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tree import PI, Node, holds, number, product, walk
from ..unit_table import UNITS, Unit

if TYPE_CHECKING:
    from ..compare import Judge

_DEGREE, _RADIAN = UNITS["degree"], UNITS["radian"]
_ANGLES = frozenset(["arcsin", "arccos", "arctan"])


def same_angle(mine: tuple[Node, Unit | None], theirs: tuple[Node, Unit | None], judge: Judge) -> bool:
    """Whether one is an angle in degrees and the other the same in radians: so many radians, or a multiple of pi."""
    (left, unit), (right, other_unit) = mine, theirs
    if unit == _DEGREE and _is_in_radians(right, other_unit):
        return judge.same_value(_radians(left), right).equal
    if other_unit == _DEGREE and _is_in_radians(left, unit):
        return judge.same_value(left, _radians(right)).equal
    return False


def in_one_measure(left: Node, right: Node) -> tuple[Node, Node] | None:
    """Two expressions in radians, where degrees occur in one and pi in the other; None for any other two."""
    degrees = holds(left, "deg"), holds(right, "deg")
    if degrees[0] == degrees[1] or not any(found == PI for found in walk(left if degrees[1] else right)):
        return None
    return _without_degrees(left), _without_degrees(right)


def _without_degrees(node: Node) -> Node:
    if node.op == "deg":
        return _radians(node.args[0])
    return Node(node.op, tuple(map(_without_degrees, node.args)), node.value) if node.args else node


def _is_in_radians(node: Node, unit: Unit | None) -> bool:
    if unit is not None:
        return unit == _RADIAN
    return any(found == PI or (found.op == "fn" and found.value in _ANGLES) for found in walk(node))


def _radians(node: Node) -> Node:
    return Node("div", (product(node, PI), number(180)))
