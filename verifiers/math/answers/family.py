"""Sets given by a rule: ``k pi, k in Z`` and set-builder notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node, substitute, symbol, symbols
from .base import Answer
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge

_FREE = re.compile(r"(?:\\text\s*\{)?\s*(?:for|where|with|such|given|as)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Family(Answer):
    """An expression for every choice of its parameters.

    Attributes:
        element: The expression, its parameters numbered so that their names do not count.
        domains: The set of each parameter.
    """

    element: Node
    domains: tuple[Node, ...]
    label: ClassVar[str] = "a family of values"
    ops: ClassVar[tuple[str, ...]] = ("cond", "builder")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        element, condition = node.args
        if node.op == "builder":
            return _built(element, condition)
        if is_membership(condition):
            return cls.of(element, [condition])
        if condition.op == "text" and _FREE.match(condition.value):
            return interpret(element)
        return None

    @classmethod
    def of(cls, element: Node, memberships: Sequence[Node]) -> Family | None:
        """A family from ``element, k in Z``; None where a parameter does not occur in it."""
        if element.op == "chain" and element.value in (("=",), ("in",)) and element.args[0].op == "sym":
            element = element.args[1]
        names: dict[str, Node] = {}
        domains: list[Node] = []
        for membership in memberships:
            name, domain = membership.args
            if name.value not in symbols(element):
                return None
            names[name.value] = symbol(f"parameter {len(names)}")
            domains.append(domain)
        return cls(substitute(element, names), tuple(domains))

    def equals(self, other: Family, judge: Judge) -> Outcome:
        if [canonical(domain) for domain in self.domains] != [canonical(domain) for domain in other.domains]:
            return unequal("parameters from other sets")
        return EQUAL if judge.same(interpret(self.element), interpret(other.element)).equal else unequal("another rule")

    def views(self) -> Iterator[Answer]:
        yield from ()


@dataclass(frozen=True)
class Described(Answer):
    """A set whose condition is compared by its shape."""

    element: Node
    condition: Node
    label: ClassVar[str] = "a set given by a condition"

    def equals(self, other: Described, judge: Judge) -> Outcome:
        mine, others = (_numbered(answer) for answer in (self, other))
        return EQUAL if mine == others else unequal("another condition")


def _numbered(answer: Described) -> tuple[Node, Node]:
    names = {name: symbol(f"parameter {index}") for index, name in enumerate(sorted(symbols(answer.element)))}
    return canonical(substitute(answer.element, names)), canonical(substitute(answer.condition, names))


def _built(element: Node, condition: Node) -> Answer:
    """Set-builder notation: an interval, a family, or a set with its condition."""
    from .realset import RealSet

    if element.op == "chain" and element.value == ("in",) and element.args[1] == Node("numbers", (), "R"):
        element = element.args[0]
    if element.op == "sym" and condition.op == "chain":
        found = RealSet.from_condition(condition)
        if found is not None and found.name == element.value:
            return RealSet(found.pieces)
    if is_membership(condition) and (family := Family.of(element, [condition])):
        return family
    return Described(element, condition)


def is_membership(node: Node) -> bool:
    """Whether a tree says which set a name is from."""
    return node.op == "chain" and node.value == ("in",) and node.args[0].op == "sym" and node.args[1].op == "numbers"
