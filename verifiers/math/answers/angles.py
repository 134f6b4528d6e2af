"""Angles in degrees and in radians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tree import PI, Node, number, product, walk
from ..unit_table import UNITS, Unit

if TYPE_CHECKING:
    from ..compare import Judge

_DEGREE, _RADIAN = UNITS["degree"], UNITS["radian"]


def same_angle(mine: tuple[Node, Unit | None], theirs: tuple[Node, Unit | None], judge: Judge) -> bool:
    """Whether one is an angle in degrees and the other the same in radians: so many radians, or a multiple of pi."""
    (left, unit), (right, other_unit) = mine, theirs
    if unit == _DEGREE and _is_in_radians(right, other_unit):
        return judge.same_value(_radians(left), right).equal
    if other_unit == _DEGREE and _is_in_radians(left, unit):
        return judge.same_value(left, _radians(right)).equal
    return False


def _is_in_radians(node: Node, unit: Unit | None) -> bool:
    return unit == _RADIAN or (unit is None and any(found == PI for found in walk(node)))


def _radians(node: Node) -> Node:
    return Node("div", (product(node, PI), number(180)))
