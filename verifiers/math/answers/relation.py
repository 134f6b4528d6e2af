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
from .naming import is_name, without_bars
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge

_SETS = frozenset(["set", "bracket", "setop", "matrix"])


@dataclass(frozen=True)
class Assignment(Answer):
    """A name and what it stands for: ``x = 5``, ``f(x) = 2x + 3``, ``AB = 12``, ``x in [0, 1)``."""

    name: Node
    value: Answer
    label: ClassVar[str] = "an assignment"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if "mapsto" in node.value:
            return _mapping(node)
        if "~" in node.value and not _is_approximation(node):
            return None  # 4 is not about 5
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
        worked = not is_name(operands[0]) and all(map(_is_number, operands[1:]))  # a + b = 2 + 3 = 5
        rest = operands[1:] if is_name(operands[0]) or worked else operands
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
        value = self.value
        if not isinstance(value, Scalar) or value.unit is not None or value.percent or not is_arithmetic(self.name):
            return None
        return Equation(self.name, value.node, solved=not symbols(value.node))

    def excludes(self, other: Answer) -> bool:
        """Several values of one name are no values of several: ``a = 1 or a = -2`` is not ``a = 1, b = -2``."""
        from .collection import Collection
        from .lists import Record

        if isinstance(other, Collection):
            return any(isinstance(item, Assignment) and _differs(self.name, item.name) for item in other.items)
        if not isinstance(other, Record) or not isinstance(self.value, Collection):
            return False
        return self.name.op != "sym" or any(name.partition("_")[0] != self.name.value for name in other.names)

    def views(self) -> Iterator[Answer]:
        yield self.value
        if (equation := self.equation()) is not None:
            yield equation


@dataclass(frozen=True)
class Equation(Answer):
    """An equation that solves for nothing: its solutions are what counts.

    Attributes:
        left: One side.
        right: The other side.
        solved: Whether it is an assignment of a number, which no equation that is yet to be solved can stand for.
    """

    left: Node
    right: Node
    solved: bool = False
    label: ClassVar[str] = "an equation"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(node.args[0], node.args[1]) if node.value == ("=",) else None

    @property
    def difference(self) -> Node:
        """The left side less the right one."""
        return Node("add", (self.left, Node("neg", (self.right,))))

    def equals(self, other: Equation, judge: Judge) -> Outcome:
        if self.solved and not other.solved and not _is_normal_form(other):
            return unequal("an equation that is yet to be solved")
        sides = [self.left, self.right, other.left, other.right]
        if not all(map(is_arithmetic, sides)):
            mine, others = [[canonical(side) for side in pair] for pair in (sides[:2], sides[2:])]
            return EQUAL if mine in (others, others[::-1]) else unequal("another equation")
        return proportional(self.difference, other.difference, judge)

    def key(self) -> str | None:
        from ..equality.keys import equation_key

        return equation_key(self.difference)


def _is_normal_form(equation: Equation) -> bool:
    """Whether an equation is ``x - 2 = 0``, as lines are written."""
    left = equation.left
    if equation.right != ZERO or left.op != "add" or len(left.args) != 2:
        return False
    return left.args[0].op == "sym" and _is_number(left.args[1]) and left.args[1] not in (ZERO, Node("neg", (ZERO,)))


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


def _is_number(node: Node) -> bool:
    return is_arithmetic(node) and not symbols(node) and not _applies(node)


def _applies(node: Node) -> bool:
    return node.op == "apply" or any(map(_applies, node.args))


def _mapping(node: Node) -> Answer | None:
    r"""``f: x \mapsto x^2`` as ``f(x) = x^2``, and without a name as its value."""
    if node.value != ("mapsto",):
        return None
    source, value = node.args
    if source.op == "ratio" and len(source.args) == 2 and all(arg.op == "sym" for arg in source.args):
        name, variable = source.args
        return Assignment(Node("apply", (variable,), name.value), interpret(value))
    return interpret(value) if source.op == "sym" else None


def _is_approximation(node: Node) -> bool:
    """Whether all numbers on both sides of an approximation are close to each other."""
    from ..equality.approximations import is_close

    sides = zip(node.args, node.args[1:], node.value, strict=False)
    return all(relation != "~" or not (_is_number(a) and _is_number(b)) or is_close(a, b) for a, b, relation in sides)


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


def _differs(name: Node, other: Node) -> bool:
    """Whether two plain names are not the same, a subscript aside."""
    return name.op == other.op == "sym" and name.value.partition("_")[0] != other.value.partition("_")[0]


def _renamed(name: Node, other: Assignment) -> Answer | None:
    """The other's value under this name: the variable of a function is renamed, y may stand for f(x)."""
    mine, theirs = without_bars(name), without_bars(other.name)
    if canonical(mine) == canonical(theirs):
        return other.value
    if {theirs.op, mine.op} == {"sym", "mul"} and symbol("y") in (mine, theirs):
        inverse = mine if mine.op == "mul" else theirs
        return other.value if inverse.args[0].op == "pow" and is_name(inverse) else None  # f^{-1}(x)
    if (theirs.op == "sym" and mine.op == "apply") or (mine.op == "sym" and theirs.op == "apply"):
        plain = theirs if theirs.op == "sym" else mine
        applied = mine if mine.op == "apply" else theirs
        primes = "'" * applied.value.count("'")
        return other.value if plain.value in (f"y{primes}", applied.value) else None
    if mine.op != "apply" or theirs.op != "apply" or mine.value != theirs.value or len(mine.args) != len(theirs.args):
        return None
    if any(arg.op != "sym" or arg.value[0].isupper() for arg in (*mine.args, *theirs.args)):
        return None  # E[X] is not E[Y], nor P(A) P(B)
    names = {theirs_arg.value: mine_arg for mine_arg, theirs_arg in zip(mine.args, theirs.args, strict=True)}
    from .cases import Piecewise

    bound = {arg.value for arg in mine.args} - {arg.value for arg in theirs.args}
    if isinstance(other.value, Scalar) and bound & symbols(other.value.node):
        return None  # f(y) = 2x + 3 is no function of y
    if isinstance(other.value, Piecewise):
        return other.value.renamed(names)
    if not isinstance(other.value, Scalar):
        return None
    return Scalar(substitute(other.value.node, names), other.value.unit, other.value.percent)
