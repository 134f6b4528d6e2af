"""Residue classes: ``3 (mod 7)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.exact import rational
from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, is_arithmetic
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Residue(Answer):
    """A representative and a modulus; classes agree when their representatives differ by a multiple of it."""

    value: Node
    modulus: Node
    label: ClassVar[str] = "a residue class"
    ops: ClassVar[tuple[str, ...]] = ("mod",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        value, modulus = node.args
        if value.op == "chain":
            value = value.args[-1]
        return cls(value, modulus) if is_arithmetic(value) and is_arithmetic(modulus) else None

    def equals(self, other: Residue, judge: Judge) -> Outcome:
        outcome = judge.same_value(self.modulus, other.modulus)
        if not outcome.equal:
            return unequal("another modulus")
        mine, theirs, modulus = (rational(node) for node in (self.value, other.value, self.modulus))
        if mine is None or theirs is None or modulus is None or modulus == 0:
            return judge.same_value(self.value, other.value)
        return EQUAL if ((mine - theirs) / modulus).q == 1 else unequal("another residue")
