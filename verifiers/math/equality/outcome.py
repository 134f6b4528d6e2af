"""What a comparison found."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """Equal or not, and whether that is settled: what is undecided counts as not equal.

    Attributes:
        equal: Whether equality was established.
        decided: False where neither equality nor difference could be established.
        reason: What differed, for a person; empty for equality.
    """

    equal: bool
    decided: bool = True
    reason: str = ""


EQUAL = Outcome(True)


def unequal(reason: str) -> Outcome:
    """A proven difference."""
    return Outcome(False, True, reason)


def undecided(reason: str) -> Outcome:
    """Neither proven: counts as a difference unless a stronger tier settles it."""
    return Outcome(False, False, reason)
