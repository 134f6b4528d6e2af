"""Equations that solve for nothing: what counts is where they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, undecided, unequal
from ..equality.structure import canonical
from ..tree import ZERO, Node, holds, is_arithmetic, product, substitute, symbol, symbols
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Equation(Answer):
    """An equation that solves for nothing: its solutions are what counts.

    Attributes:
        left: One side.
        right: The other side.
        solved: Whether it is an assignment of a number, which no equation that is yet to be solved can stand for.
    """

    left: Node
    right: Node
    solved: bool = False
    label: ClassVar[str] = "an equation"
    ops: ClassVar[tuple[str, ...]] = ("chain",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(node.args[0], node.args[1]) if node.value == ("=",) else None

    @property
    def difference(self) -> Node:
        """The left side less the right one."""
        return Node("add", (self.left, Node("neg", (self.right,))))

    def equals(self, other: Equation, judge: Judge) -> Outcome:
        if self.solved and not other.solved and not _is_normal_form(other):
            return unequal("an equation that is yet to be solved")
        sides = [self.left, self.right, other.left, other.right]
        if not all(map(is_arithmetic, sides)):
            mine, others = [[canonical(side) for side in pair] for pair in (sides[:2], sides[2:])]
            return EQUAL if mine in (others, others[::-1]) else unequal("another equation")
        return proportional(self.difference, other.difference, judge)

    def key(self) -> str | None:
        from ..equality.keys import equation_key

        return equation_key(self.difference)


def _is_normal_form(equation: Equation) -> bool:
    """Whether an equation is ``x - 2 = 0``, as lines are written."""
    left = equation.left
    if equation.right != ZERO or left.op != "add" or len(left.args) != 2:
        return False
    return left.args[0].op == "sym" and is_number(left.args[1]) and left.args[1] not in (ZERO, Node("neg", (ZERO,)))


def proportional(left: Node, right: Node, judge: Judge) -> Outcome:
    """Whether two expressions agree up to a factor that is not zero, so that they vanish together."""
    from ..equality.polynomials import same_zeros

    left, right = judge.opened(left), judge.opened(right)
    names = sorted(symbols(left) | symbols(right))
    if not names:
        return judge.same_value(left, right)
    exact = same_zeros(left, right, names)
    if exact is not None:
        return EQUAL if exact else unequal("another equation")
    if symbols(left) != symbols(right):
        return unequal("an equation in other names")
    if judge.same_value(right, ZERO).equal:
        return unequal("an equation that always holds")
    if judge.same_value(left, right).equal:
        return EQUAL
    if judge.same_value(left, ZERO).equal:
        return unequal("an equation that always holds")
    others = {name: symbol(f"{name}°") for name in names}
    crossed = judge.same_value(product(left, substitute(right, others)), product(substitute(left, others), right))
    return crossed if crossed.equal else undecided("another equation")


def is_number(node: Node) -> bool:
    """Whether a tree is arithmetic without any name or applied function."""
    return is_arithmetic(node) and not symbols(node) and not holds(node, "apply")
