"""Set-builder notation: an interval, the integers in one, a family, or a set with its condition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..equality.exact import rational
from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node, number, substitute, symbol, symbols
from .base import Answer
from .family import Family, is_membership
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge
    from .realset import RealSet

MAX_INTEGERS = 200
_POSITIVE = frozenset(["Z^+", "Z_+", "N^*", "N^+", "N_+", "Z_>0", "N_>0"])


@dataclass(frozen=True)
class Described(Answer):
    """A set whose conditions are compared by their shape, in any order."""

    element: Node
    conditions: tuple[Node, ...]
    label: ClassVar[str] = "a set given by a condition"

    def equals(self, other: Described, judge: Judge) -> Outcome:
        mine, others = (_numbered(answer) for answer in (self, other))
        return EQUAL if mine == others else unequal("another condition")


def _numbered(answer: Described) -> tuple[Node, list[Node]]:
    names = {name: symbol(f"parameter {index}") for index, name in enumerate(sorted(symbols(answer.element)))}
    conditions = [canonical(substitute(condition, names)) for condition in answer.conditions]
    return canonical(substitute(answer.element, names)), sorted(conditions, key=repr)


def built(element: Node, condition: Node) -> Answer:
    """The set of all ``element`` for which ``condition`` holds."""
    conditions = list(condition.args) if condition.op == "list" and condition.value in (",", "and") else [condition]
    if element.op == "chain" and element.value == ("in",):
        conditions.insert(0, element)
        element = element.args[0]
    if element.op == "sym":
        found = _of_name(element, conditions)
        if found is not None:
            return found
    memberships = [one for one in conditions if is_membership(one)]
    others = [one for one in conditions if not is_membership(one)]
    if memberships and len(others) == 1 and others[0].op == "chain" and others[0].value == ("=",):
        name, value = others[0].args
        if name == element and (family := Family.of(value, memberships)):
            return family  # x = k pi, k in Z
    if len(memberships) == len(conditions) and (family := Family.of(element, memberships)):
        return family
    return Described(element, tuple(conditions))


def _of_name(element: Node, conditions: list[Node]) -> Answer | None:
    """The numbers of a set that meet conditions on the name itself."""
    from .realset import RealSet

    domain: str | None = None
    allowed: RealSet | None = None
    for condition in conditions:
        if is_membership(condition) and condition.args[0] == element and condition.args[1].op == "numbers":
            domain = condition.args[1].value.replace("{", "").replace("}", "")
            continue
        found = _numbers(condition)
        if found is None or found.name != element.value:
            return None
        allowed = found if allowed is None else allowed.intersection(found)
        if allowed is None:
            return None
    if allowed is None:
        return interpret(Node("numbers", (), domain)) if domain else None
    return RealSet(allowed.pieces) if domain in (None, "R") else _integers(allowed, domain)


def _numbers(condition: Node) -> RealSet | None:
    from .lists import combined_conditions
    from .realset import RealSet

    if condition.op == "chain":
        return RealSet.from_condition(condition)
    found = combined_conditions(condition) if condition.op == "list" and condition.value in ("and", "or") else None
    return found if isinstance(found, RealSet) else None


def _integers(allowed: RealSet, domain: str | None) -> Answer | None:
    """The integers among real numbers, where they are few; None where 0 may or may not be one of N."""
    from .collection import Collection
    from .scalar import Scalar

    values: list[int] = []
    for low, low_closed, high, high_closed in allowed.pieces:
        ends = rational(low), rational(high)
        if domain in _POSITIVE and (ends[0] is None or ends[0] < 0):
            ends, low_closed = (rational(number(0)), ends[1]), False
        if ends[0] is None or ends[1] is None:
            return None
        start, stop = (Fraction(int(end.p), int(end.q)) for end in ends if end is not None)
        first = start.__ceil__() + (start.denominator == 1 and not low_closed)
        last = stop.__floor__() - (stop.denominator == 1 and not high_closed)
        if last - first >= MAX_INTEGERS:
            return None
        values += range(first, last + 1)
    if (domain == "N" and any(value <= 0 for value in values)) or domain not in ("Z", "N", *_POSITIVE):
        return None
    return Collection(tuple(Scalar(number(value)) for value in values), True)
