"""Tuples and bracketed lists: ordered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node
from .arrays import folded
from .base import Answer
from .collection import Collection
from .interpret import interpret
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Sequence(Answer):
    """Answers in brackets.

    Attributes:
        items: The answers in their order.
        brackets: The opening and the closing sign. Round and square ones differ for two items: an interval.
    """

    items: tuple[Answer, ...]
    brackets: str
    label: ClassVar[str] = "a tuple"
    ops: ClassVar[tuple[str, ...]] = ("bracket", "group", "mul", "neg", "add", "div")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op == "group":
            return cls((interpret(node.args[0]),), "[]")
        if node.op == "bracket":
            if len(node.args) == 1:
                return interpret(node.args[0])
            return cls(tuple(map(interpret, node.args)), node.value)
        array = folded(node)
        return cls(tuple(map(interpret, array.args)), "()") if array is not None and array.op == "bracket" else None

    def equals(self, other: Sequence, judge: Judge) -> Outcome:
        if len(self.items) != len(other.items):
            return unequal(f"{len(self.items)} entries against {len(other.items)}")
        if self.brackets != other.brackets and len(self.items) == 2:
            return unequal("other brackets")
        for index, (mine, theirs) in enumerate(zip(self.items, other.items, strict=True), start=1):
            if not judge.same(mine, theirs).equal:
                return unequal(f"entry {index} differs: {theirs.text or 'one'} against {mine.text or 'another'}")
        return EQUAL

    def excludes(self, other: Answer) -> bool:
        """Two values in square brackets are an interval or a list, and no set in braces and no plus-minus."""
        return self.brackets == "[]" and len(self.items) == 2 and isinstance(other, Collection) and other.is_set

    def views(self) -> Iterator[Answer]:
        from .matrix import Matrix
        from .realset import RealSet

        if len(self.items) == 2 and all(isinstance(item, Scalar) for item in self.items):
            low, high = (item.node for item in self.items if isinstance(item, Scalar))
            yield RealSet.interval(low, high, self.brackets)
        if self.brackets == "[]":
            yield Collection(self.items)
        rows = [item.items for item in self.items if isinstance(item, Sequence)]
        if rows and len(rows) == len(self.items):
            yield Matrix.of(rows)
        elif self.brackets == "()":
            yield Matrix.of([(item,) for item in self.items])

    def key(self) -> str | None:
        if self.brackets != "()":  # a list in square brackets is also a set, a pair in them an interval
            return None
        if all(isinstance(item, Sequence) for item in self.items):
            return None  # also a matrix
        keys = [item.key() for item in self.items]
        found = [key for key in keys if key is not None]
        return f"({', '.join(found)})" if len(found) == len(keys) else None

    @property
    def size(self) -> int:
        return len(self.items)
