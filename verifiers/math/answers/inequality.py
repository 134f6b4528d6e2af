"""Inequalities in several names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..equality.structure import canonical
from ..tree import Node, is_arithmetic
from .base import Answer
from .equation import proportional

if TYPE_CHECKING:
    from ..compare import Judge

_TURNED = {"<": ">", "<=": ">="}
_RELATIONS = frozenset(["<", "<=", ">", ">=", "!="])


@dataclass(frozen=True)
class Inequality(Answer):
    """Pairs of sides that hold together, each written so that the greater side comes first."""

    pairs: tuple[tuple[Node, str, Node], ...]
    label: ClassVar[str] = "an inequality"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if not all(relation in _RELATIONS for relation in node.value) or not all(map(is_arithmetic, node.args)):
            return None
        pairs = []
        for left, relation, right in zip(node.args, node.value, node.args[1:], strict=False):
            turned = _TURNED.get(relation)
            pairs.append((right, turned, left) if turned else (left, relation, right))
        return cls(tuple(pairs))

    def equals(self, other: Inequality, judge: Judge) -> Outcome:
        rest = list(other.pairs)
        if len(self.pairs) != len(rest):
            return unequal(f"{len(self.pairs)} relations against {len(rest)}")
        for mine in self.pairs:
            for index, theirs in enumerate(rest):
                if _same(mine, theirs, judge):
                    del rest[index]
                    break
            else:
                return unequal("another inequality")
        return EQUAL


def _same(mine: tuple[Node, str, Node], theirs: tuple[Node, str, Node], judge: Judge) -> bool:
    if mine[1] != theirs[1]:
        return False
    if [canonical(node) for node in mine[::2]] == [canonical(node) for node in theirs[::2]]:
        return True
    left, right = (Node("add", (first, Node("neg", (second,)))) for first, _, second in (mine, theirs))
    if not proportional(left, right, judge).equal:
        return False
    return mine[1] == "!=" or judge.same_sign(left, right)
