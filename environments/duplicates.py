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
        first: The index of the row that it repeats or contradicts; None for an empty one.
    """

    row: int
    task: Task
    flaw: Flaw
    first: int | None

    @property
    def reason(self) -> str:
        """One sentence for a person."""
        if self.flaw is Flaw.EMPTY:
            return f"row {self.row} has an empty prompt or no reference"
        verb = "repeats" if self.flaw is Flaw.DUPLICATE else "asks the same, with another reference, as"
        return f"row {self.row} {verb} row {self.first}"


def flawed_rows(tasks: Iterable[Task]) -> list[FlawedRow]:
    """The rows that are empty, repeat an earlier row, or ask what an earlier row asks with another reference.

    Prompts are compared without case and white space.

    Args:
        tasks: The tasks of one split, or of several in a row.

    >>> [found.reason for found in flawed_rows([Task("1+1?", "2"), Task("1+1?", "2"), Task("1 + 1?", "3")])]
    ['row 1 repeats row 0', 'row 2 asks the same, with another reference, as row 0']
    """
    found: list[FlawedRow] = []
    seen: dict[str, tuple[int, Any]] = {}
    for row, task in enumerate(tasks):
        key = "".join(prompt_text(task.prompt).casefold().split())
        if not key or task.reference in (None, "", [], {}):
            found.append(FlawedRow(row, task, Flaw.EMPTY, None))
            continue
        first, reference = seen.setdefault(key, (row, task.reference))
        if first != row:
            flaw = Flaw.DUPLICATE if reference == task.reference else Flaw.CONFLICT
            found.append(FlawedRow(row, task, flaw, first))
    return found
