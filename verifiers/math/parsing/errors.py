"""Why an answer cannot be read; raised and caught inside this folder only."""

from __future__ import annotations


class Unreadable(Exception):
    """The text is not mathematics that the parser knows.

    Attributes:
        position: Where in the text the reading stopped, in characters from its start.
    """

    def __init__(self, problem: str, position: int) -> None:
        super().__init__(f"{problem} at position {position}")
        self.position = position


class TooLarge(Unreadable):
    """The text is longer, deeper or has more digits than is read."""
