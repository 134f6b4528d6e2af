"""Assignments and equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, undecided, unequal
from ..equality.structure import canonical
from ..tree import ZERO, Node, is_arithmetic, product, substitute, symbol, symbols
from .base import Answer
from .interpret import interpret
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge

_SETS = frozenset(["set", "bracket", "setop", "matrix"])
_NAMING = frozenset("abs norm sin cos tan cot sec csc ln arcsin arccos arctan".split())
_INVERTED = frozenset(["f", "g", "h", "F", "G"])


@dataclass(frozen=True)
class Assignment(Answer):
    """A name and what it stands for: ``x = 5``, ``f(x) = 2x + 3``, ``AB = 12``, ``x in [0, 1)``."""

    name: Node
    value: Answer
    label: ClassVar[str] = "an assignment"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        operands, relations = _without_approximations(node)
        if len(operands) == 1:
            return interpret(operands[0])
        if relations == ("in",):
            return cls(operands[0], interpret(operands[1])) if is_name(operands[0]) else None
        if any(relation != "=" for relation in relations):
            return None
        if not is_name(operands[0]) and all(map(_is_number, operands)):
            return _consistent(operands) if len(set(operands)) > 1 else None  # 5 = 5 states nothing
        if len(operands) == 2:
            return cls._of_two(*operands)
        rest = operands[1:] if is_name(operands[0]) else operands
        value = _consistent(rest)
        return cls(operands[0], value) if value is not None and is_name(operands[0]) else value

    @classmethod
    def _of_two(cls, left: Node, right: Node) -> Answer | None:
        from .lists import Record

        if left.op == "bracket" and (record := Record.of_brackets(left, right)):
            return record
        if is_name(left):
            return cls(left, interpret(right))
        if left.op in _SETS and right.op in _SETS:
            return _consistent((left, right))
        if is_name(right) and not symbols(left) & symbols(right):
            return cls(right, interpret(left))
        return None

    def equals(self, other: Assignment, judge: Judge) -> Outcome:
        value = _renamed(self.name, other)
        if value is not None:
            outcome = judge.same(self.value, value)
            if outcome.equal or not isinstance(self.value, Scalar):
                return outcome
        else:
            outcome = unequal("another name")
        mine, others = self.equation(), other.equation()
        if mine is None or others is None:
            return outcome
        return EQUAL if mine.equals(others, judge).equal else outcome

    def equation(self) -> Equation | None:
        """The same as an equation, where the value is an expression in names."""
        if not isinstance(self.value, Scalar) or not is_arithmetic(self.name):
            return None
        return Equation(self.name, self.value.node)

    def views(self) -> Iterator[Answer]:
        yield self.value
        if (equation := self.equation()) is not None:
            yield equation


@dataclass(frozen=True)
class Equation(Answer):
    """An equation that solves for nothing: its solutions are what counts."""

    left: Node
    right: Node
    label: ClassVar[str] = "an equation"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(*node.args) if node.value == ("=",) else None

    @property
    def difference(self) -> Node:
        """The left side less the right one."""
        return Node("add", (self.left, Node("neg", (self.right,))))

    def equals(self, other: Equation, judge: Judge) -> Outcome:
        sides = [self.left, self.right, other.left, other.right]
        if not all(map(is_arithmetic, sides)):
            mine, others = [[canonical(side) for side in pair] for pair in (sides[:2], sides[2:])]
            return EQUAL if mine in (others, others[::-1]) else unequal("another equation")
        return proportional(self.difference, other.difference, judge)

    def key(self) -> str | None:
        from ..equality.keys import equation_key

        return equation_key(self.difference)


def proportional(left: Node, right: Node, judge: Judge) -> Outcome:
    """Whether two expressions agree up to a factor that is not zero, so that they vanish together."""
    from ..equality.polynomials import same_zeros

    left, right = judge.opened(left), judge.opened(right)
    names = sorted(symbols(left) | symbols(right))
    if not names:
        return judge.same_value(left, right)
    exact = same_zeros(left, right, names)
    if exact is not None:
        return EQUAL if exact else unequal("another equation")
    if symbols(left) != symbols(right):
        return unequal("an equation in other names")
    if judge.same_value(right, ZERO).equal or judge.same_value(left, ZERO).equal:
        return unequal("an equation that always holds")
    others = {name: symbol(f"{name}°") for name in names}
    crossed = judge.same_value(product(left, substitute(right, others)), product(substitute(left, others), right))
    return crossed if crossed.equal else undecided("another equation")


def is_name(node: Node) -> bool:
    """Whether a side of an equation merely names what the other side is."""
    op, args = node.op, node.args
    if op in ("sym", "text") or (op == "const" and node.value in ("e", "i")):
        return True
    if op == "apply":
        return all(arg.op in ("sym", "num", "const", "given", "chain", "text") for arg in args)
    if op in ("div", "ratio", "setop"):
        return all(map(is_name, args))
    if op == "fn":
        return node.value in _NAMING and all(map(is_name, args)) and bool(symbols(node))
    if op == "bracket":
        return all(arg.op == "sym" for arg in args)
    return op == "mul" and _is_compound_name(args)


def _is_compound_name(factors: tuple[Node, ...]) -> bool:
    """Whether factors name one thing together: a segment, an inverse function, a change, the measure of an angle."""
    first = factors[0]
    if first.op == "pow" and first.args[0].value in _INVERTED:
        return all(factor.op == "sym" for factor in factors[1:])
    if any(factor.op != "sym" for factor in factors):
        return False
    marks = [factor.value[:1] for factor in factors]
    if first.value == "Delta" or (first.value == "m" and marks[1] == "∠"):
        return True
    return all(mark.isupper() or mark in "∠△" for mark in marks)


def _is_number(node: Node) -> bool:
    return is_arithmetic(node) and not symbols(node) and not _applies(node)


def _applies(node: Node) -> bool:
    return node.op == "apply" or any(map(_applies, node.args))


def _without_approximations(node: Node) -> tuple[tuple[Node, ...], tuple[str, ...]]:
    """Operands and relations up to the first approximation; ``x ~ 3`` says what x is, ``A ~ 0.3`` is A."""
    operands, relations = node.args, node.value
    if "~" not in relations:
        return operands, relations
    at = relations.index("~")
    if at == 0 and is_name(operands[0]):
        return operands[:2], ("=",)
    return operands[: at + 1], relations[:at]


def _consistent(operands: Sequence[Node]) -> Answer | None:
    """The last of several operands that all have to be equal; an opaque chain where they differ."""
    from ..compare import Judge

    judge = Judge()
    answers = [interpret(operand) for operand in operands]
    if all(judge.same(answers[0], answer).equal for answer in answers[1:]):
        return answers[-1]
    from .opaque import Opaque

    return Opaque(Node("chain", tuple(operands), ("=",) * (len(operands) - 1)))


def _renamed(name: Node, other: Assignment) -> Answer | None:
    """The other's value under this name: the variable of a function is renamed, y may stand for f(x)."""
    if canonical(name) == canonical(other.name):
        return other.value
    mine, theirs = name, other.name
    if (theirs.op == "sym" and mine.op == "apply") or (mine.op == "sym" and theirs.op == "apply"):
        plain = theirs if theirs.op == "sym" else mine
        applied = mine if mine.op == "apply" else theirs
        return other.value if plain.value in ("y", applied.value) else None
    if mine.op != "apply" or theirs.op != "apply" or mine.value != theirs.value or len(mine.args) != len(theirs.args):
        return None
    if not isinstance(other.value, Scalar) or any(arg.op != "sym" for arg in (*mine.args, *theirs.args)):
        return None
    names = {theirs_arg.value: mine_arg for mine_arg, theirs_arg in zip(mine.args, theirs.args, strict=True)}
    return Scalar(substitute(other.value.node, names), other.value.unit, other.value.percent)
