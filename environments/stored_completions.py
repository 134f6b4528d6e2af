"""Completions stored in files: their text, their score, and the task that each belongs to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from .base import Environment, Task, prompt_text
from .datasets import Row

COMPLETION = ("completion", "response", "output", "generation", "text")
REFERENCE = ("reference", "answer", "solution", "ground_truth")
_TASK = ("task_id", "task", "id")
_SCORE = ("score", "reward")


class StoredCompletion(NamedTuple):
    """A row made ready to be judged.

    Attributes:
        row: Its index in the file.
        task: What it answers.
        text: What the policy wrote.
        stored: The score that the file holds, None where it holds none.
    """

    row: int
    task: Task
    text: str
    stored: float | None

    @classmethod
    def of(cls, number: int, row: Row, column: str, find: Callable[[Row], Task], path: Any) -> StoredCompletion:
        """Row ``number`` of the file at ``path``, its task found by ``find``."""
        try:
            task = find(row)
        except InputError as error:
            raise InputError(f"{os.fspath(path)}, row {number + 1}: {error}") from error
        stored = next((row[name] for name in _SCORE if isinstance(row.get(name), int | float)), None)
        return cls(number, task, _text(row.get(column)), None if stored is None else float(stored))


def _text(value: Any) -> str:
    """Text as it is; of messages the last assistant's, or all of them as JSON where tools were called."""
    if value is None or isinstance(value, str):
        return value or ""
    messages = [dict(message) for message in value if isinstance(message, Mapping)]
    if any(message.get("tool_calls") for message in messages):
        return json.dumps(messages, default=str)
    said = [str(message.get("content") or "") for message in messages if message.get("role") == "assistant"]
    return said[-1] if said else ""


def from_tasks(environment: Environment, split: str | None) -> Callable[[Row], Task]:
    """Finds a row's task by its id, by its prompt, or by a prompt that contains it."""
    splits = [split] if split is not None else [name for name in environment.splits if name not in environment.endless]
    tasks = [task for name in splits for task in environment.tasks(name)]
    by_id = {task.id: task for task in tasks}
    by_prompt = {prompt_text(task.prompt).strip(): task for task in tasks}

    def find(row: Row) -> Task:
        for name in _TASK:
            if row.get(name) in by_id:
                return by_id[row[name]]
        prompt = row.get("prompt")
        text = prompt if isinstance(prompt, str) else prompt_text(prompt) if prompt else ""
        if text.strip() in by_prompt:
            return by_prompt[text.strip()]
        inside = [key for key in by_prompt if key and key in text]
        if inside:  # a chat template stands around it
            return by_prompt[max(inside, key=len)]
        shown = text.strip()[:80] or next((str(row[name]) for name in _TASK if row.get(name) is not None), "nothing")
        raise InputError(f"no task of {environment.name} has the id or the prompt of this row: {shown!r}")

    return find


def from_column(first: Row, reference: str | None, path: Any) -> Callable[[Row], Task]:
    """Takes a row's reference out of a column; the first row tells which one where ``reference`` is None."""
    name = reference or first_column(first, REFERENCE, path, "a reference", "reference=")

    def find(row: Row) -> Task:
        if name not in row:
            raise InputError(f"it lacks {name}; it has {', '.join(map(str, row))}")
        return Task("", row[name], id=str(next((row[key] for key in _TASK if row.get(key) is not None), "")) or "-")

    return find


def first_column(row: Row, names: Sequence[str], path: Any, what: str, option: str) -> str:
    """The first of ``names`` that a row has.

    Raises:
        InputError: It has none of them; the message calls the column ``what`` and names the option that takes one.
    """
    for name in names:
        if name in row:
            return name
    columns = ", ".join(map(str, row))
    raise InputError(f"{os.fspath(path)} has no column with {what}; it has {columns}. Name it with {option}")
