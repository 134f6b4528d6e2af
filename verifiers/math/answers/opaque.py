"""Expressions that are read but have no type of their own: logic, sets of names, compositions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node
from .base import Answer

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
        return EQUAL if canonical(self.node) == canonical(other.node) else unequal("another expression")

    def key(self) -> str | None:
        return repr(canonical(self.node))
