"""Numbers with their nouns, for messages and tables."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, the plural made by an s.

    >>> counted(1, "task"), counted(0, "task")
    ('1 task', '0 tasks')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
