"""Names and what they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node, is_arithmetic, substitute, symbol, symbols
from .base import Answer
from .equation import Equation, is_number
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
        if operands[-1].op == "unit" and all(map(is_number, (*operands[:-1], operands[-1].args[0]))):
            plain = _consistent((*operands[:-1], operands[-1].args[0]))  # 3 + 5 = 8 apples
            return interpret(operands[-1]) if isinstance(plain, Scalar) else plain
        if not is_name(operands[0]) and all(map(is_number, operands)):
            return _consistent(operands) if len(set(operands)) > 1 else None  # 5 = 5 states nothing
        if len(operands) == 2:
            return cls._of_two(*operands)
        worked = not is_name(operands[0]) and all(map(is_number, operands[1:]))  # a + b = 2 + 3 = 5
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
            if outcome.decided and _is_solved(self) and _is_solved(other) and self.name == other.name:
                return outcome  # y = a and y = b are one equation only where a is b
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


def _is_solved(assignment: Assignment) -> bool:
    """Whether the value does without the name, which is a plain one."""
    value, name = assignment.value, assignment.name
    return isinstance(value, Scalar) and name.op == "sym" and name.value not in symbols(value.node)


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
    return all(relation != "~" or not (is_number(a) and is_number(b)) or is_close(a, b) for a, b, relation in sides)


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
