"""Rows that should not be there: empty ones, repeated ones, and equal prompts with different references."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from .base import Task, prompt_text


class Flaw(StrEnum):
    """What is wrong with a row."""

    EMPTY = "empty"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


class FlawedRow(NamedTuple):
    """A row that should not be there.

    Attributes:
        row: Its index among the tasks, from 0.
        task: The task.
        flaw: What is wrong.
        first: The index, from 0, of the row that it repeats or contradicts; None for an empty one.
    """

    row: int
    task: Task
    flaw: Flaw
    first: int | None

    @property
    def reason(self) -> str:
        """One sentence for a person, in which rows count from 1."""
        if self.flaw is Flaw.EMPTY:
            return f"row {self.row + 1} has {'an empty prompt' if not _key(self.task) else 'no reference'}"
        verb = "repeats" if self.flaw is Flaw.DUPLICATE else "asks the same, with another reference, as"
        return f"row {self.row + 1} {verb} row {(self.first or 0) + 1}"


def flawed_rows(tasks: Iterable[Task]) -> list[FlawedRow]:
    """The rows that are empty, repeat an earlier row, or ask what an earlier row asks with another reference.

    Prompts are compared without case and white space.

    Args:
        tasks: The tasks of one split, or of several in a row.

    >>> [found.reason for found in flawed_rows([Task("1+1?", "2"), Task("1+1?", "2"), Task("1 + 1?", "3")])]
    ['row 2 repeats row 1', 'row 3 asks the same, with another reference, as row 1']
    """
    found: list[FlawedRow] = []
    seen: dict[str, tuple[int, Any]] = {}
    for row, task in enumerate(tasks):
        key = _key(task)
        if not key or task.reference in (None, "", [], {}) or str(task.reference).isspace():
            found.append(FlawedRow(row, task, Flaw.EMPTY, None))
            continue
        first, reference = seen.setdefault(key, (row, task.reference))
        if first != row:
            flaw = Flaw.DUPLICATE if reference == task.reference else Flaw.CONFLICT
            found.append(FlawedRow(row, task, flaw, first))
    return found


def _key(task: Task) -> str:
    """What a prompt asks: its text without case and white space."""
    return "".join(prompt_text(task.prompt).casefold().split())
