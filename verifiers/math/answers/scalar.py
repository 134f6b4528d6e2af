"""Numbers and expressions, with a unit or a percent sign where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..phrases import MANY, ONE
from ..tree import ARITHMETIC, E_BASE, I_UNIT, Node, function, is_arithmetic, number, product, substitute, symbols
from ..unit_table import Unit
from ..units import ratio, read_unit
from .angles import in_one_measure, same_angle
from .base import Answer
from .constants import constants, same_but_for_constants

if TYPE_CHECKING:
    from ..compare import Judge

_DEGREE = read_unit("degree")
_CONSTANTS_OF_INTEGRATION = ("C", "c", "K", "k")
_COUNTING = {"C": "binomial", "A": "permutations", "P": "permutations"}


@dataclass(frozen=True)
class Scalar(Answer):
    """An expression that has a value.

    Attributes:
        node: The expression, without its unit or percent sign.
        unit: The unit it was given in.
        percent: Whether it is so many hundredths.
    """

    node: Node
    unit: Unit | None = None
    percent: bool = False
    label: ClassVar[str] = "a value"
    ops: ClassVar[tuple[str, ...]] = (*sorted(ARITHMETIC), "unit", "group")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op == "unit":
            inner = cls.from_tree(node.args[0])
            return replace(inner, unit=node.value) if isinstance(inner, Scalar) else None
        if node.op == "pct":
            inner = cls.from_tree(node.args[0])
            return replace(inner, percent=True) if isinstance(inner, Scalar) and not inner.percent else None
        if node.op == "deg":
            return cls(node.args[0], _DEGREE) if is_arithmetic(node.args[0]) else None
        if node.op == "group":
            return cls.from_tree(node.args[0]) if node.args[0].op in ARITHMETIC else None
        if node.op == "neg" and node.args[0].op in ("pct", "deg", "unit"):
            inner = cls.from_tree(node.args[0])
            return replace(inner, node=Node("neg", (inner.node,))) if isinstance(inner, Scalar) else None
        return cls(node) if is_arithmetic(node) else None

    def equals(self, other: Scalar, judge: Judge) -> Outcome:
        if judge.policy.simplified and not is_simplified(other.node):
            return unequal("not in lowest terms")
        if self.unit is None and other.unit is None and self.percent == other.percent:
            outcome = judge.same_value(self.node, other.node)
            return outcome if outcome.equal else self._in_other_words(other, judge) or outcome
        return self._with_units(other, judge)

    def _with_units(self, other: Scalar, judge: Judge) -> Outcome:
        """Compare where a unit or a percent sign takes part."""
        if None in (self.unit, other.unit) and same_angle((self.node, self.unit), (other.node, other.unit), judge):
            return EQUAL
        if self.unit is None and other.unit is not None and (peeled := _peeled(self)) is not self:
            return peeled.equals(other, judge)
        if self.unit is not None and other.unit is None:
            other = _peeled(other)
            if other.unit is None and judge.policy.units_required:
                return unequal("the unit is missing")
        if self.percent != other.percent and (other.unit if self.percent else self.unit) is not None:
            return unequal("a percentage against an amount")
        factor = Fraction(1)
        if self.unit is not None and other.unit is not None:
            if same_angle((self.node, self.unit), (other.node, other.unit), judge):
                return EQUAL
            found = ratio(other.unit, self.unit)
            if found is None:
                return unequal("another unit")
            factor = found
        elif self.unit is None and other.unit is not None and not _counts(other):
            return unequal(f"{other.unit.noun!r} is nothing that is counted")
        node = other.node if factor == 1 else product(number(factor), other.node)
        if self.percent == other.percent:
            return judge.same_value(self.node, node)
        if other.percent:
            return judge.same_value(self.node, Node("div", (node, number(100))))
        if judge.same_value(self.node, node).equal:
            return EQUAL
        if not judge.policy.percent_as_fraction:
            return unequal("another percentage")
        return judge.same_value(Node("div", (self.node, number(100))), node)

    def _in_other_words(self, other: Scalar, judge: Judge) -> Outcome | None:
        """The comparison once more with E, I, constants of integration and C_n^k read as their reference means them."""
        mine, theirs = symbols(self.node), symbols(other.node)
        if any(name[0] in "Cc" for name in mine | theirs) and same_but_for_constants(self.node, other.node, judge):
            return EQUAL
        if mine == theirs:
            measured = in_one_measure(self.node, other.node)
            return None if measured is None else judge.same_value(*measured)
        for left, right in ((self.node, other.node), (other.node, self.node)):
            rewritten = _rewritten(right, symbols(left))
            if rewritten is not None and (outcome := judge.same_value(left, rewritten)).equal:
                return outcome
        return None

    def views(self) -> Iterator[Answer]:
        if self.node.op == "big" or self.unit is not None or self.percent:
            return
        peeled = _peeled(self)
        if peeled is not self:
            yield peeled

    def key(self) -> str | None:
        from ..equality.keys import value_key

        if self.unit is not None or self.percent or _has_second_reading(self.node):
            return None
        return value_key(self.node)


def _counts(answer: Scalar) -> bool:
    """Whether what follows a number leaves it what it is: a unit, a plural, and after one or less a singular."""
    assert answer.unit is not None
    if not answer.unit.noun or answer.unit.form == MANY:
        return True
    if answer.unit.form != ONE or symbols(answer.node):
        return False
    from ..equality.exact import rational

    value = rational(answer.node)
    return value is not None and abs(value) <= 1


def _rewritten(node: Node, known: frozenset[str]) -> Node | None:
    """``node`` with names that the other side does not use replaced by what they may stand for; None for no change."""
    names: dict[str, Node] = {}
    unknown = symbols(node) - known
    missing = known - symbols(node)
    for name in unknown:
        if name == "E":
            names[name] = E_BASE
        elif name == "I":
            names[name] = I_UNIT
        elif name in _CONSTANTS_OF_INTEGRATION and _is_summand(node, name):
            for other in _CONSTANTS_OF_INTEGRATION:
                if other in missing:
                    names[name] = Node("sym", (), other)
    result = substitute(node, names) if names else node
    counted = _counted(result)
    return None if counted == node else counted


def _has_second_reading(node: Node) -> bool:
    """Whether other spellings, such as E for e or c for C, may be equal to the expression."""
    names = symbols(node)
    summand = any(_is_summand(node, name) for name in names.intersection(_CONSTANTS_OF_INTEGRATION))
    return bool(constants(node)) or not names.isdisjoint(("E", "I")) or summand or _counted(node) != node


def _is_summand(node: Node, name: str) -> bool:
    return node.op == "add" and any(arg.op == "sym" and arg.value == name for arg in node.args)


def _counted(node: Node) -> Node:
    """``C_{10}^{3}`` as the binomial coefficient and ``A_5^3`` as the number of arrangements."""
    if node.op == "pow" and node.args[0].op == "sym":
        letter, _, index = node.args[0].value.partition("_")
        if letter in _COUNTING and index.isdigit() and len(index) < 6:
            return function(_COUNTING[letter], number(int(index)), node.args[1])
    return Node(node.op, tuple(map(_counted, node.args)), node.value) if node.args else node


def _peeled(answer: Scalar) -> Scalar:
    """``144 m^3``, read as a product with names, as 144 with the unit that the names spell."""
    node, bottom = answer.node, ""
    if node.op == "div":
        spelled_bottom = _spelled(node.args[1])
        if spelled_bottom is None:
            return answer
        node, bottom = node.args[0], f"/{spelled_bottom}"
    if node.op != "mul":
        return answer
    spelled = [_spelled(factor) for factor in node.args]
    values = [factor for factor, name in zip(node.args, spelled, strict=True) if name is None]
    names = [name for name in spelled if name is not None]
    if not names or not values:
        return answer
    together = "".join(names) if all(len(name.partition("^")[0]) == 1 for name in names) else "*".join(names)
    for phrase in (together, "*".join(names)):
        unit = read_unit(phrase + bottom)
        if unit is not None and not unit.noun:
            return Scalar(product(*values), unit)
    return answer


def _spelled(node: Node) -> str | None:
    """Names and their quotients as they are written in a unit; None for anything else."""
    if node.op == "sym":
        return str(node.value)
    if node.op == "pow" and node.args[0].op == "sym" and node.args[1].op == "num":
        return f"{node.args[0].value}^{node.args[1].value}"
    if node.op == "div":
        parts = [_spelled(arg) for arg in node.args]
        return None if None in parts else "/".join(map(str, parts))
    return None


def is_simplified(node: Node) -> bool:
    """Whether a rational number is written as an integer, a decimal, a fraction in lowest terms or a mixed number."""
    import math

    if node.op == "neg":
        return is_simplified(node.args[0])
    if node.op == "div" and all(arg.op in ("num", "neg") for arg in node.args):
        parts = [arg.args[0] if arg.op == "neg" else arg for arg in node.args]
        if all(part.op == "num" and part.value.denominator == 1 for part in parts):
            return math.gcd(int(parts[0].value), int(parts[1].value)) == 1 and parts[1].value != 1
    if node.op in ("num", "dec", "sym", "const"):
        return True
    if node.op == "add" and len(node.args) == 2 and node.args[0].op == "num" and node.args[1].op == "div":
        return is_simplified(node.args[1])
    from ..equality.exact import rational

    return bool(symbols(node)) or rational(node) is None
