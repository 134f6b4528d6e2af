"""One answer against one reference: every view of the one with every view of the other that is of its type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .answers.base import Answer
from .equality.order import sign_at
from .equality.outcome import EQUAL, Outcome, unequal
from .equality.structure import canonical
from .equality.values import same_value
from .policy import Policy
from .tree import Node, holds, symbol

if TYPE_CHECKING:
    from .equality.symbolic import Symbolic

MAX_VIEWS = 8
MAX_COMPARISONS = 3000  # within one pair of answers


class Exhausted(Exception):
    """Comparing two answers took more steps than are allowed."""


@dataclass
class Judge:
    """Compares answers under a policy; one for each pair, so that its budget is the pair's.

    Attributes:
        policy: How strictly.
        seed: Where sample points come from, usually the reference's text.
        symbolic: SymPy, asked where every other tier is undecided; None never asks.
        left: How many more values may be compared.
    """

    policy: Policy = field(default_factory=Policy)
    seed: str = ""
    symbolic: Symbolic | None = None
    left: int = MAX_COMPARISONS

    def same(self, reference: Answer, answer: Answer) -> Outcome:
        """Whether the answer is the reference in any of its readings.

        Two answers of one type settle it; otherwise the views of both are tried until two of one type are equal.

        Raises:
            Exhausted: The two are too intricate.
            WorkerTimeout: SymPy was asked and took too long.
        """
        if type(reference) is type(answer):
            return reference.equals(answer, self)
        if reference.excludes(answer) or answer.excludes(reference):
            return unequal(f"{answer.label} against {reference.label}")
        found: Outcome | None = None
        theirs = list(views(answer))
        for mine in views(reference):
            for other in theirs:
                if type(mine) is type(other):
                    outcome = mine.equals(other, self)
                    if outcome.equal:
                        return outcome
                    found = found or outcome
        return found or unequal(f"{answer.label} against {reference.label}")

    def same_value(self, left: Node, right: Node) -> Outcome:
        """Whether two expressions have one value."""
        self.left -= 1
        if self.left < 0:
            raise Exhausted
        if left == right:
            return EQUAL
        left, right = self.opened(left), self.opened(right)
        outcome = same_value(left, right, digits=self.policy.significant_digits, seed=self.seed)
        if outcome.decided or self.symbolic is None:
            return outcome
        answer = self.symbolic.same_value(left, right)
        return outcome if answer is None else EQUAL if answer else unequal("another value, says SymPy")

    def same_sign(self, left: Node, right: Node) -> bool:
        """Whether two expressions, known to be proportional, have one sign."""
        nodes = self.opened(left), self.opened(right)
        first, second = (sign_at(node, seed=self.seed, names=nodes) for node in nodes)
        return first is not None and first == second

    def opened(self, node: Node) -> Node:
        """The expression with applied unknown functions as names of their own: equal arguments, equal names."""
        return _named(node) if holds(node, "apply") else node


def _named(node: Node) -> Node:
    if node.op == "apply":
        return symbol(repr(canonical(node)))
    return Node(node.op, tuple(map(_named, node.args)), node.value) if node.args else node


def views(answer: Answer) -> Iterator[Answer]:
    """An answer and all that it may also be read as, each once, the nearest first."""
    pending = [answer]
    count = 0
    while pending and count < MAX_VIEWS:
        current = pending.pop(0)
        yield current
        count += 1
        pending.extend(current.views())
