"""Residue classes: ``3 (mod 7)``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.exact import rational
from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, is_arithmetic, number
from .base import Answer
from .family import Family
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Residue(Answer):
    """A representative and a modulus; classes agree when their representatives differ by a multiple of it.

    Attributes:
        value: The representative.
        modulus: The modulus.
        is_remainder: Whether it was written as an operation, so that ``17 mod 5`` is also 2.
        name: What is in the class, where that was said.
    """

    value: Node
    modulus: Node
    is_remainder: bool = False
    name: str = ""
    label: ClassVar[str] = "a residue class"
    ops: ClassVar[tuple[str, ...]] = ("mod",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        value, modulus = node.args
        is_remainder = node.value != "class" and value.op != "chain"
        name = ""
        if value.op == "chain":
            if not set(value.value) <= {"=", "≡"}:
                return None
            name = value.args[0].value if value.args[0].op == "sym" else ""
            value = value.args[-1]
        return cls(value, modulus, is_remainder, name) if is_arithmetic(value) and is_arithmetic(modulus) else None

    def views(self) -> Iterator[Answer]:
        yield Family.of_class(self.value, self.modulus)
        if self.is_remainder and (value := self._remainder()) is not None:
            yield Scalar(value)

    def _remainder(self) -> Node | None:
        """What is left of a number that is not reduced: 2 of ``17 mod 5``."""
        value, modulus = rational(self.value), rational(self.modulus)
        if value is None or modulus is None or value.q != 1 or modulus.q != 1 or not 0 < modulus <= abs(value):
            return None
        return number(int(value.p) % int(modulus.p))

    def equals(self, other: Residue, judge: Judge) -> Outcome:
        if self.name and other.name and self.name != other.name:
            return unequal("another name")
        outcome = judge.same_value(self.modulus, other.modulus)
        if not outcome.equal:
            return unequal("another modulus")
        mine, theirs, modulus = (rational(node) for node in (self.value, other.value, self.modulus))
        if mine is None or theirs is None or modulus is None or modulus == 0:
            return judge.same_value(self.value, other.value)
        return EQUAL if ((mine - theirs) / modulus).q == 1 else unequal("another residue")
