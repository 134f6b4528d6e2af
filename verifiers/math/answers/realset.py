"""Sets of real numbers: intervals, unions, conditions on one name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.order import compare
from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import INFINITY, MINUS_INFINITY, ZERO, Node, is_arithmetic, symbols
from .base import Answer
from .intervals import EVERYTHING, Piece, complement, intersection, piece, union
from .linear import solved
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "=": "="}


@dataclass(frozen=True)
class RealSet(Answer):
    """A union of intervals and points.

    Attributes:
        pieces: Disjoint and in order where their ends can be compared.
        name: The name that the condition was about; empty for interval notation.
    """

    pieces: tuple[Piece, ...]
    name: str = ""
    label: ClassVar[str] = "a set of real numbers"
    ops: ClassVar[tuple[str, ...]] = ("bracket", "setop", "numbers", "chain", "add")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op == "chain":
            return cls.from_condition(node)
        if node.op == "bracket" and node.value in ("()", "[]") and not _is_unbounded(node):
            return None  # a pair; as an interval it is another view of it
        return cls.from_set(node)

    @classmethod
    def from_set(cls, node: Node) -> RealSet | None:
        """The set that brackets, braces, a letter and their combinations stand for; None for any other tree."""
        if node.op == "numbers":
            return _named(node.value)
        if node.op == "bracket" and len(node.args) == 2 and all(map(_is_end, node.args)):
            return cls.interval(*node.args, node.value)
        if node.op == "set" and all(map(is_arithmetic, node.args)):
            return cls(union(Piece(point, True, point, True) for point in node.args))
        if node.op == "add" and len(node.args) == 2 and node.args[1].op == "neg":  # R - {0}
            sides = node.args[0], node.args[1].args[0]
            return cls.from_set(Node("setop", sides, "∖")) if sides[1].op == "set" else None
        if node.op != "setop":
            return None
        left, right = (cls.from_set(arg) for arg in node.args)
        if left is None or right is None:
            return None
        if node.value == "∪":
            return left.union(right)
        return left.intersection(right if node.value == "∩" else cls(complement(right.pieces)))

    @classmethod
    def interval(cls, low: Node, high: Node, brackets: str) -> RealSet:
        """One interval."""
        return cls((piece(low, high, brackets),))

    @classmethod
    def from_condition(cls, node: Node) -> RealSet | None:
        """The numbers that a chain of inequalities in one name allows; None where it is no such chain."""
        if node.value == ("in",) and node.args[0].op == "sym":
            inside = cls.from_set(node.args[1])
            return None if inside is None else cls(inside.pieces, node.args[0].value)
        if any(relation not in _FLIPPED for relation in node.value):
            return None
        result: tuple[Piece, ...] | None = (EVERYTHING,)
        names: set[str] = set()
        for left, relation, right in zip(node.args, node.value, node.args[1:], strict=False):
            found = _condition(left, relation, right)
            if found is None or result is None:
                return None
            name, pieces = found
            names.add(name)
            result = intersection(result, pieces)
        return cls(result, names.pop()) if result is not None and len(names) == 1 else None

    def union(self, other: RealSet) -> RealSet:
        """All numbers of either."""
        return RealSet(union((*self.pieces, *other.pieces)), self.name)

    def intersection(self, other: RealSet) -> RealSet | None:
        """All numbers of both; None where ends cannot be ordered."""
        found = intersection(self.pieces, other.pieces)
        return None if found is None else RealSet(found, self.name)

    def equals(self, other: RealSet, judge: Judge) -> Outcome:
        if self.name and other.name and self.name != other.name:
            return unequal(f"a condition on {other.name} instead of {self.name}")
        if len(self.pieces) != len(other.pieces):
            return unequal(f"{len(self.pieces)} intervals against {len(other.pieces)}")
        rest = list(other.pieces)
        for mine in self.pieces:
            for index, theirs in enumerate(rest):
                if _same(mine, theirs, judge):
                    del rest[index]
                    break
            else:
                return unequal("other ends")
        return EQUAL

    def views(self) -> Iterator[Answer]:
        from .collection import Collection

        if all(mine.low == mine.high and mine.low_closed and mine.high_closed for mine in self.pieces):
            yield Collection(tuple(Scalar(mine.low) for mine in self.pieces), True)

    def key(self) -> str | None:
        from ..equality.keys import value_key

        if self.name:
            return None  # x > 5 is y > 5 for nobody, and (5, oo) for both
        parts = []
        for low, low_closed, high, high_closed in self.pieces:
            ends = value_key(low), value_key(high)
            if None in ends or (low_closed and high_closed):
                return None
            parts.append(f"{'[' if low_closed else '('}{ends[0]}, {ends[1]}{']' if high_closed else ')'}")
        return " or ".join(sorted(parts))

    @property
    def size(self) -> int:
        return len(self.pieces)


def _same(mine: Piece, theirs: Piece, judge: Judge) -> bool:
    if (mine.low_closed, mine.high_closed) != (theirs.low_closed, theirs.high_closed):
        return False
    return judge.same_value(mine.low, theirs.low).equal and judge.same_value(mine.high, theirs.high).equal


def _is_end(node: Node) -> bool:
    return is_arithmetic(node)


def _is_unbounded(node: Node) -> bool:
    return len(node.args) == 2 and (node.args[0] == MINUS_INFINITY or node.args[1] == INFINITY)


def _named(name: str) -> RealSet | None:
    """R and its halves."""
    name = name.replace("{", "").replace("}", "").replace(" ", "")
    if name == "R":
        return RealSet((EVERYTHING,))
    if name in ("R^*", "R^\\times", "R_*", "R_!=0"):
        return RealSet(complement((Piece(ZERO, True, ZERO, True),)))
    if name in ("R^+_0", "R_0^+", "R_>=0", "R^>=0"):
        return RealSet((piece(ZERO, INFINITY, "[)"),))
    if name in ("R^+", "R_+", "R_>0", "R^>0"):
        return RealSet((piece(ZERO, INFINITY, "()"),))
    if name in ("R^-", "R_-", "R_<0"):
        return RealSet((piece(MINUS_INFINITY, ZERO, "()"),))
    return None


def _condition(left: Node, relation: str, right: Node) -> tuple[str, tuple[Piece, ...]] | None:
    """The name that one relation is about, and the numbers it allows."""
    if not (is_arithmetic(left) and is_arithmetic(right)):
        return None
    if _is_constant(left):
        left, right, relation = right, left, _FLIPPED[relation]
    if not _is_constant(right):
        return None
    if left.op == "fn" and left.value == "abs":
        return _distance(left.args[0], relation, right)
    found = solved(left, right)
    if found is None:
        return None
    name, bound, turns = found
    return name, _side(_FLIPPED[relation] if turns else relation, bound)


def _distance(inside: Node, relation: str, bound: Node) -> tuple[str, tuple[Piece, ...]] | None:
    """``|x - a| < r`` and its kin."""
    high, low = solved(inside, bound), solved(inside, Node("neg", (bound,)))
    if high is None or low is None or compare(bound, ZERO) in (None, -1):
        return None
    ends = (low[1], high[1]) if not high[2] else (high[1], low[1])
    closed = relation in ("<=", ">")
    within = (piece(*ends, "[]" if closed else "()"),)
    if relation in ("<", "<="):
        return high[0], within
    if relation in (">", ">="):
        return high[0], complement(within)
    points = union(Piece(end, True, end, True) for end in ends)
    return high[0], complement(points) if relation == "!=" else points


def _side(relation: str, bound: Node) -> tuple[Piece, ...]:
    if relation in ("<", "<="):
        return (piece(MINUS_INFINITY, bound, "(]" if relation == "<=" else "()"),)
    if relation in (">", ">="):
        return (piece(bound, INFINITY, "[)" if relation == ">=" else "()"),)
    point = (Piece(bound, True, bound, True),)
    return complement(point) if relation == "!=" else point


def _is_constant(node: Node) -> bool:
    return not symbols(node) and node.op != "apply"
