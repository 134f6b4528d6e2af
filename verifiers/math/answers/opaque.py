"""Expressions that are read but have no type of their own: logic, sets of names, compositions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node
from .base import Answer
from .ellipsis import summed

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Opaque(Answer):
    """A tree that is compared by its shape alone."""

    node: Node
    label: ClassVar[str] = "an expression"
    ops: ClassVar[tuple[str, ...]] = ("binop", "prefix", "given", "dots", "norm")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(node)

    def equals(self, other: Opaque, judge: Judge) -> Outcome:
        if canonical(self.node) == canonical(other.node):
            return EQUAL
        if (mine := summed(self.node)) is not None and (theirs := summed(other.node)) is not None:
            return judge.same_value(mine, theirs)
        return unequal("another expression")

    def views(self) -> Iterator[Answer]:
        if (total := summed(self.node)) is not None:
            from .interpret import interpret

            yield interpret(total)

    def key(self) -> str | None:
        return None if summed(self.node) is not None else repr(canonical(self.node))
