"""Intervals of real numbers with symbolic ends, and their unions, intersections and complements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..equality.order import compare
from ..tree import INFINITY, MINUS_INFINITY, Node


class Piece(NamedTuple):
    """One interval; a point is an interval that is closed at both of its equal ends."""

    low: Node
    low_closed: bool
    high: Node
    high_closed: bool


EVERYTHING = Piece(MINUS_INFINITY, False, INFINITY, False)


def piece(low: Node, high: Node, brackets: str) -> Piece:
    """An interval in bracket notation; an infinite end is never closed."""
    return Piece(low, brackets[0] == "[" and low != MINUS_INFINITY, high, brackets[1] == "]" and high != INFINITY)


def order(left: Node, right: Node) -> int | None:
    """-1, 0 or 1 as ``left`` is less, equal or greater; None where that cannot be told."""
    if left == right:
        return 0
    if left == MINUS_INFINITY or right == INFINITY:
        return -1
    if left == INFINITY or right == MINUS_INFINITY:
        return 1
    return compare(left, right)


def union(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Disjoint pieces in order; as they are where their ends cannot be ordered."""
    found = list(pieces)
    ranks = _sorted(found)
    if ranks is None:
        return tuple(found)
    merged: list[Piece] = []
    for current in ranks:
        if merged and _touch(merged[-1], current):
            merged[-1] = _joined(merged[-1], current)
        else:
            merged.append(current)
    return tuple(merged)


def intersection(left: Iterable[Piece], right: Iterable[Piece]) -> tuple[Piece, ...] | None:
    """What both have in common; None where ends cannot be ordered."""
    found: list[Piece] = []
    others = list(right)
    for mine in left:
        for other in others:
            low = order(mine.low, other.low)
            high = order(mine.high, other.high)
            if low is None or high is None:
                return None
            start = (mine if low > 0 else other) if low else (other if mine.low_closed else mine)
            end = (mine if high < 0 else other) if high else (other if mine.high_closed else mine)
            width = order(start.low, end.high)
            if width is None:
                return None
            if width < 0 or (width == 0 and start.low_closed and end.high_closed):
                found.append(Piece(start.low, start.low_closed, end.high, end.high_closed))
    return union(found)


def complement(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """All real numbers outside of disjoint pieces in order."""
    gaps: list[Piece] = []
    low, closed = MINUS_INFINITY, False
    for current in pieces:
        if order(low, current.low) != 0 or (closed and not current.low_closed):
            gaps.append(Piece(low, closed, current.low, not current.low_closed and current.low != MINUS_INFINITY))
        low, closed = current.high, not current.high_closed
    if low != INFINITY:
        gaps.append(Piece(low, closed, INFINITY, False))
    return tuple(gaps)


def _sorted(pieces: list[Piece]) -> list[Piece] | None:
    """By their lower ends, by insertion: there are few."""
    result: list[Piece] = []
    for current in pieces:
        position = len(result)
        while position:
            rank = order(result[position - 1].low, current.low)
            if rank is None:
                return None
            if rank < 0 or (rank == 0 and result[position - 1].low_closed >= current.low_closed):
                break
            position -= 1
        result.insert(position, current)
    return result


def _touch(left: Piece, right: Piece) -> bool:
    rank = order(right.low, left.high)
    return rank is not None and (rank < 0 or (rank == 0 and (left.high_closed or right.low_closed)))


def _joined(left: Piece, right: Piece) -> Piece:
    rank = order(left.high, right.high)
    if rank == 0:
        return left._replace(high_closed=left.high_closed or right.high_closed)
    return left if rank == 1 else left._replace(high=right.high, high_closed=right.high_closed)
