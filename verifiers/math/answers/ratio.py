"""Ratios: two of them agree when their terms are in proportion; one of two terms is also a quotient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import ZERO, Node, is_arithmetic, product
from .base import Answer
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Ratio(Answer):
    """Terms with colons between them."""

    terms: tuple[Node, ...]
    label: ClassVar[str] = "a ratio"
    ops: ClassVar[tuple[str, ...]] = ("ratio",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(node.args)

    def equals(self, other: Ratio, judge: Judge) -> Outcome:
        if len(self.terms) != len(other.terms):
            return unequal(f"{len(self.terms)} terms against {len(other.terms)}")
        if not all(map(is_arithmetic, (*self.terms, *other.terms))):
            same = [canonical(term) for term in self.terms] == [canonical(term) for term in other.terms]
            return EQUAL if same else unequal("other terms")
        if judge.same_value(other.terms[0], ZERO).equal or judge.same_value(self.terms[0], ZERO).equal:
            return unequal("a ratio with zero")
        for mine, theirs in zip(self.terms[1:], other.terms[1:], strict=True):
            outcome = judge.same_value(product(self.terms[0], theirs), product(other.terms[0], mine))
            if not outcome.equal:
                return outcome
        return EQUAL

    def views(self) -> Iterator[Answer]:
        if len(self.terms) == 2 and all(map(is_arithmetic, self.terms)) and self.terms[1] != ZERO:
            yield Scalar(Node("div", self.terms))

    @property
    def size(self) -> int:
        return len(self.terms)
