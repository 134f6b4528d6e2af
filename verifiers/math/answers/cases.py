"""What stands in rows behind a brace: piecewise functions and systems of relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node
from .base import Answer
from .collection import Collection
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Piecewise(Answer):
    """Values, each under a condition, in any order."""

    branches: tuple[tuple[Answer, Answer], ...]
    label: ClassVar[str] = "a piecewise function"
    ops: ClassVar[tuple[str, ...]] = ("cases",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        branches = []
        for row in node.args:
            cells = row.args[0].args if len(row.args) == 1 and row.args[0].op in ("list", "cond") else row.args
            if len(cells) != 2 or cells[0].op == "chain":
                return None
            branches.append((interpret(cells[0]), interpret(cells[1])))
        return cls(tuple(branches)) if branches else None

    def equals(self, other: Piecewise, judge: Judge) -> Outcome:
        rest = list(other.branches)
        if len(self.branches) != len(rest):
            return unequal(f"{len(self.branches)} branches against {len(rest)}")
        for value, condition in self.branches:
            for index, (value_there, condition_there) in enumerate(rest):
                if judge.same(condition, condition_there).equal and judge.same(value, value_there).equal:
                    del rest[index]
                    break
            else:
                return unequal("a branch differs")
        return EQUAL


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
            relation = _joined(row.args)
            if relation is None:
                return None
            relations.extend(relation.args if relation.op == "list" else (relation,))
        return cls(tuple(relations)) if relations else None

    def equals(self, other: System, judge: Judge) -> Outcome:
        return Collection.of(self.relations).equals(Collection.of(other.relations), judge)

    def views(self) -> Iterator[Answer]:
        yield interpret(Node("list", self.relations, ",")) if len(self.relations) > 1 else interpret(self.relations[0])


def _joined(cells: tuple[Node, ...]) -> Node | None:
    """The relation of a row; alignment marks may have cut it."""
    return cells[0] if len(cells) == 1 else None
