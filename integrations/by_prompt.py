"""Columns for trainers that hand over none: those of the environment's task whose prompt the policy answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..environments.base import Environment, Task
from ..environments.stored_completions import from_tasks
from ..errors import InputError
from ..verifiers.base import Result, Verifier

PROMPT = "prompt"


class ByPrompt(Verifier[Any]):
    """An environment's verifier that needs the column ``prompt`` alone, as text with or without a chat template.

    The tasks of all finite splits are read when the first completion is judged, or by ``read``. A prompt that is none
    of theirs is BAD_REFERENCE: judged without its columns, a right answer could be scored as a wrong one.

    Args:
        environment: Whose verifier and whose tasks.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    @property
    def name(self) -> str:
        """That of the environment's verifier."""
        return self._environment.verifier.name

    @property
    def deciding(self) -> Verifier[Any]:
        """The verifier whose results these are."""
        return self._environment.verifier.deciding

    def read(self) -> None:
        """Read the tasks now.

        Raises:
            DataUnavailable: They are neither on disk nor reachable.
        """
        self._find  # noqa: B018 - reads them

    @cached_property
    def _find(self) -> Callable[[Mapping[str, Any]], Task]:
        return from_tasks(self._environment, None)

    def _verify_batch(
        self, completions: list[str], references: list[Any], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        environment = self._environment
        found = [self._task(prompt) for prompt in columns[PROMPT]]
        rows = [index for index, task in enumerate(found) if isinstance(task, Task)]
        values = {name: [found[row].metadata.get(name) for row in rows] for name in environment.columns}
        judged = environment.verifier.verify(
            [completions[row] for row in rows], [references[row] for row in rows], **values
        )
        by_row = dict(zip(rows, judged, strict=True))
        return [by_row[row] if row in by_row else Result.bad_reference(found[row]) for row in range(len(found))]

    def _task(self, prompt: str) -> Any:
        """The task with this prompt, or why there is none."""
        try:
            return self._find({PROMPT: prompt})
        except InputError as error:
            return f"{error}; its {' and '.join(self._environment.columns)} cannot be known"
