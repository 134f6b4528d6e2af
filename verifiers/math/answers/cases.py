"""What stands in rows behind a brace: piecewise functions and systems of relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import ZERO, Node, function, is_arithmetic, substitute
from .base import Answer
from .collection import Collection
from .interpret import interpret
from .intervals import complement, union
from .realset import RealSet
from .text import Text, normal

if TYPE_CHECKING:
    from ..compare import Judge

OTHERWISE = Node("text", (), "otherwise")
_FILLERS = frozenset("if is are when for an a number".split())


@dataclass(frozen=True)
class Piecewise(Answer):
    """Values, each under a condition, in any order.

    Attributes:
        branches: The value and the condition of each.
    """

    branches: tuple[tuple[Node, Node], ...]
    label: ClassVar[str] = "a piecewise function"
    ops: ClassVar[tuple[str, ...]] = ("cases",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        branches = []
        for row in node.args:
            cells = row.args[0].args if len(row.args) == 1 and row.args[0].op in ("list", "cond") else row.args
            if len(cells) != 2 or cells[0].op == "chain":
                return None
            branches.append((cells[0], cells[1]))
        return cls(tuple(branches)) if branches else None

    def renamed(self, names: dict[str, Node]) -> Piecewise:
        """The function with its variable called otherwise."""
        return Piecewise(tuple((substitute(value, names), substitute(cond, names)) for value, cond in self.branches))

    def equals(self, other: Piecewise, judge: Judge) -> Outcome:
        mine, rest = self._merged(judge), other._merged(judge)
        if len(mine) != len(rest):
            return unequal(f"{len(mine)} branches against {len(rest)}")
        for value, condition in mine:
            for index, (value_there, condition_there) in enumerate(rest):
                if judge.same(condition, condition_there).equal and judge.same(value, value_there).equal:
                    del rest[index]
                    break
            else:
                return unequal("a branch differs")
        return EQUAL

    def _merged(self, judge: Judge) -> list[tuple[Answer, Answer]]:
        """Values and conditions; one value under several conditions on numbers has all of them."""
        merged: list[tuple[Answer, Answer]] = []
        for value, condition in zip((value for value, _ in self.branches), self._conditions(), strict=True):
            answer = interpret(value)
            for index, (known, allowed) in enumerate(merged):
                if isinstance(allowed, RealSet) and isinstance(condition, RealSet) and judge.same(known, answer).equal:
                    merged[index] = (known, allowed.union(condition))
                    break
            else:
                merged.append((answer, condition))
        return merged

    def _conditions(self) -> list[Answer]:
        """The conditions; "otherwise" as what the others leave."""
        found = [_condition(node) for _, node in self.branches]
        numbers = [answer for answer in found if isinstance(answer, RealSet)]
        last = self.branches[-1][1]
        if last == OTHERWISE and len(numbers) == len(found) - 1 and len({answer.name for answer in numbers}) == 1:
            pieces = union(piece for answer in numbers for piece in answer.pieces)
            found[-1] = RealSet(complement(pieces), numbers[0].name)
        return found

    def views(self) -> Iterator[Answer]:
        if len(self.branches) == 2 and (inside := self._absolute()) is not None:
            yield interpret(function("abs", inside))

    def _absolute(self) -> Node | None:
        """What the absolute value is of where the branches are v for v > 0 and -v for v < 0; 0 belongs to either."""
        from ..compare import Judge

        judge = Judge()
        conditions = self._conditions()
        for index in (0, 1):
            value, negative = self.branches[index][0], self.branches[1 - index][0]
            if not (is_arithmetic(value) and is_arithmetic(negative)):
                return None
            if not judge.same_value(Node("neg", (value,)), negative).equal:
                return None
            for signs in ((">=", "<"), (">", "<="), (">=", "<=")):
                wanted = [RealSet.from_condition(Node("chain", (value, ZERO), (sign,))) for sign in signs]
                given = [conditions[index], conditions[1 - index]]
                if all(
                    mine is not None and isinstance(theirs, RealSet) and mine.equals(theirs, judge).equal
                    for mine, theirs in zip(wanted, given, strict=True)
                ):
                    return value
        return None


def _condition(node: Node) -> Answer:
    """A condition, as a set of numbers where it is one on numbers, and words in one wording."""
    if node.op == "text":
        return Text(" ".join(word for word in normal(node.value).split() if word not in _FILLERS))
    if node.op == "list" and node.value in ("and", "or"):
        from .lists import combined_conditions

        return combined_conditions(node) or interpret(node)
    if node.op == "list" and (numbers := interpret(node)) and isinstance(numbers, Collection):
        return next((view for view in numbers.views() if isinstance(view, RealSet)), numbers)
    return RealSet.from_condition(node) or interpret(node) if node.op == "chain" else interpret(node)


@dataclass(frozen=True)
class System(Answer):
    """Relations that hold together, in any order."""

    relations: tuple[Node, ...]
    label: ClassVar[str] = "a system"
    ops: ClassVar[tuple[str, ...]] = ("cases",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        relations: list[Node] = []
        for row in node.args:
            if len(row.args) != 1:
                return None
            relation = row.args[0]
            relations.extend(relation.args if relation.op == "list" else (relation,))
        if not relations:
            return None
        from .assignment import Assignment
        from .lists import Record

        named = interpret(Node("list", tuple(relations), ",")) if len(relations) > 1 else interpret(relations[0])
        return named if isinstance(named, Record | Assignment) else cls(tuple(relations))

    def equals(self, other: System, judge: Judge) -> Outcome:
        return Collection.of(self.relations).equals(Collection.of(other.relations), judge)

    def views(self) -> Iterator[Answer]:
        yield interpret(Node("list", self.relations, ",")) if len(self.relations) > 1 else interpret(self.relations[0])
