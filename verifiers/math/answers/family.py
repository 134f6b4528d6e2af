"""Sets given by a rule: ``k pi, k in Z`` and set-builder notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..phrases import distorts
from ..tree import PI, ZERO, Node, substitute, symbol, symbols, walk
from .angles import in_one_measure
from .base import Answer
from .interpret import interpret
from .progression import same_progression

if TYPE_CHECKING:
    from ..compare import Judge

_FREE = re.compile(r"(?:\\text\s*\{)?\s*(?:for|where|with|such|given|as)\b", re.IGNORECASE)
_INTEGER = re.compile(r"\binteger|整数", re.IGNORECASE)
_NATURAL = re.compile(r"\bnatural\b|\b(?:positive|non-?\s?negative)\s+integer|自然数|正整数", re.IGNORECASE)
_PARITY = re.compile(r"\b(?:even|odd)\b", re.IGNORECASE)  # for the other half the value is another
_LETTER = re.compile(r"\\mathbb\s*\{?\s*([NZQR])(?![\^_}]*[\^_])")
_PARAMETERS = frozenset("knml")  # what stands for any integer where nothing says so
INTEGERS = Node("numbers", (), "Z")
_REALS = Node("numbers", (), "R")
_PARAMETER = symbol("parameter 0")

_SECOND_CASE = re.compile(
    r"[,;]\s*(?:[-\\$]*\d|(?:else|otherwise)\b|(?!(?:for|if|when|where|with|and|such)\b)[^,;]+\b(?:for|if|when|where|otherwise)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Family(Answer):
    """An expression for every choice of its parameters.

    Attributes:
        element: The expression, its parameters numbered so that their names do not count.
        domains: The set of each parameter.
        name: What takes these values, where that was said.
        plain: The expression with its names.
        letter: The parameter's name where nothing said what it is from; empty where it was stated.
    """

    element: Node
    domains: tuple[Node, ...]
    letter: str = ""
    name: str = ""
    plain: Node = field(default=ZERO, compare=False)
    label: ClassVar[str] = "a family of values"
    ops: ClassVar[tuple[str, ...]] = ("cond", "builder")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        element, condition = node.args
        if node.op == "builder":
            from .builder import built

            return built(element, condition)
        if is_membership(condition):
            return cls.of(element, [condition])
        if condition.op == "text" and _FREE.match(condition.value):
            if _SECOND_CASE.search(condition.value) or (
                not symbols(element) and (distorts(condition.value) or _PARITY.search(condition.value))
            ):
                return None  # "12 for x=1, 13 for x=2", "4 for sure or 5"
            return interpret(element)
        return None

    @classmethod
    def of(cls, element: Node, memberships: Sequence[Node]) -> Family | None:
        """A family from ``element, k in Z``; None where a parameter does not occur in it."""
        called, element = _name(element), _named_value(element)
        names: dict[str, Node] = {}
        domains: list[Node] = []
        for membership in memberships:
            name, domain = membership.args
            if name.value not in symbols(element):
                return None
            names[name.value] = symbol(f"parameter {len(names)}")
            domains.append(Node("numbers", (), domain.value) if domain.op == "sym" else domain)
        return cls(substitute(element, names), tuple(domains), name=called, plain=element)

    def equals(self, other: Family, judge: Judge) -> Outcome:
        if [canonical(domain) for domain in self.domains] != [canonical(domain) for domain in other.domains]:
            return unequal("parameters from other sets")
        if self.name and other.name and self.name != other.name:
            return unequal("values of another name")
        if self.letter and other.letter and not self._are_angles(other):
            return unequal("expressions in other names")
        if judge.same(interpret(self.element), interpret(other.element)).equal:
            return EQUAL
        if self.domains == (INTEGERS,):
            measured = in_one_measure(self.element, other.element) or (self.element, other.element)
            if same_progression(*measured, "parameter 0", judge):
                return EQUAL
        return unequal("another rule")

    def views(self) -> Iterator[Answer]:
        if all(domain == _REALS for domain in self.domains):
            yield interpret(self.plain)  # any constant: x^2 + C, C in R

    def _are_angles(self, other: Family) -> bool:
        """Whether two expressions, of which neither says so, are families: solutions of trigonometric equations."""
        return self.letter != other.letter and _is_angle(self.element) and _is_angle(other.element)

    @classmethod
    def of_class(cls, value: Node, modulus: Node) -> Family:
        """All numbers of a residue class."""
        return cls(Node("add", (value, Node("mul", (modulus, _PARAMETER)))), (INTEGERS,))


def _is_angle(element: Node) -> bool:
    """Whether an expression is a sum of a constant and a multiple of the parameter, both of pi or of degrees."""
    if element.op != "add" or not any(node == PI or node.op == "deg" for node in walk(element)):
        return False
    return any(not symbols(arg) for arg in element.args) and any(symbols(arg) for arg in element.args)


def _name(element: Node) -> str:
    """What ``x = k pi`` gives the values of; empty where nothing is named."""
    named = element.op == "chain" and element.value in (("=",), ("in",)) and element.args[0].op == "sym"
    return str(element.args[0].value) if named else ""


def _named_value(element: Node) -> Node:
    """The right side of ``x = k pi``."""
    if element.op == "chain" and element.value in (("=",), ("in",)) and element.args[0].op == "sym":
        return element.args[1]
    return element


def families(node: Node) -> Answer | None:
    """What a tree stands for as families: ``x = pi/6 + 2 k pi or x = 5 pi/6 + 2 k pi, k in Z``.

    Returns:
        A family or several as a set; None where one of the parts has no parameter.
    """
    from .collection import Collection

    elements, memberships = _split(node)
    found: list[Answer] = []
    called = ""
    for element in elements:
        called = _name(element) or called  # "x = pi/6 or 5 pi/6" names both
        for branch in _branches(_named_value(element)):
            if branch.op in ("set", "builder", "text"):
                return None
            family = Family.of(branch, memberships) if memberships else _implied(branch)
            if family is None:
                return None
            found.append(replace(family, name=called))
    if not found:
        return None
    return found[0] if len(found) == 1 else Collection(tuple(found), True)


def _split(node: Node) -> tuple[list[Node], list[Node]]:
    """The elements of a list and what it says about its parameters."""
    if node.op == "list":
        elements: list[Node] = []
        memberships: list[Node] = []
        for arg in node.args:
            inner, said = _split(arg)
            elements += inner
            memberships += [one for one in said if one not in memberships]
        return elements, memberships
    if node.op == "cond":
        elements, memberships = _split(node.args[0])
        said = _said(node.args[1], elements)
        return (elements, memberships + said) if said or node.args[1].op == "text" else ([node], [])
    if node.op == "builder":
        elements, _ = _split(node.args[0])
        return (elements, [node.args[1]]) if is_membership(node.args[1]) else ([node], [])
    if is_membership(node):
        return [], [node]
    if node.op == "unit" and node.args[0].op == "sym" and _INTEGER.search(node.value.noun):
        return [], [_member(node.args[0].value)]
    return [node], []


def _said(condition: Node, elements: list[Node]) -> list[Node]:
    """``where n is an integer`` as a membership."""
    if is_membership(condition):
        return [condition]
    domain = _domain(condition.value) if condition.op == "text" else ""
    names = sorted(set().union(*(symbols(_named_value(element)) for element in elements)) & _PARAMETERS)
    return [_member(names[0], domain)] if domain and len(names) == 1 else []


def _domain(text: str) -> str:
    """Which numbers a condition in words is about; empty where it does not say."""
    if found := _LETTER.search(text):
        return found[1]
    if _NATURAL.search(text):
        return "N"
    return "Z" if _INTEGER.search(text) else ""


def _member(name: str, domain: str = "Z") -> Node:
    return Node("chain", (symbol(name), Node("numbers", (), domain)), ("in",))


def _branches(node: Node) -> tuple[Node, ...]:
    from .collection import branches, has_signs

    return branches(node) if has_signs(node) else (node,)


def _implied(element: Node) -> Family | None:
    """A family of which nothing says that it is one, by the letter of its parameter."""
    names = symbols(element)
    if len(names) != 1 or not names <= _PARAMETERS:
        return None
    (name,) = names
    return Family(substitute(element, {name: _PARAMETER}), (INTEGERS,), name)


def is_membership(node: Node) -> bool:
    """Whether a tree says which set of numbers a name is from."""
    if node.op != "chain" or node.value != ("in",) or node.args[0].op != "sym":
        return False
    return node.args[1].op == "numbers" or node.args[1] in (symbol("Z"), symbol("N"))
