"""``code/mbpp-v1``: short Python programs from a sentence and one example."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ...sandbox.base import Limits
from ...verifiers.code import CodeVerifier, TestSuite
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_HUB = "google-research-datasets/mbpp"
_REVISION = "4bb6404fdc6cacfda99d4ac4205087b89d32030c"
_COLUMNS = ("text", "code", "task_id", "test_list")
# The published file holds all splits, told apart by the number of the task (README of google-research/mbpp).
_NUMBERS = {"train": range(601, 975), "validation": range(511, 601), "test": range(11, 511), "prompt": range(1, 11)}
# The published solution of task 123 takes three seconds on its tests.
_LIMITS = Limits(cpu_seconds=8.0, wall_seconds=40.0)
_INSTRUCTION = "Answer with the whole program in one ```python block. For example, this must hold:"


class MBPP(RowEnvironment):
    """974 short programs with their asserts (Austin et al. 2021, https://arxiv.org/abs/2108.07732).

    A prompt shows the first assert, which names the function; the other asserts are hidden.

    Args:
        path: A folder with ``mbpp.jsonl``, or that file. Without it the rows come from ``mbpp/`` below the folder
            ``ASSAY_DATA``, else from the hub.
        streaming: As in ``RowEnvironment``.
        partial: Whether the fraction of tests passed counts; else all of them must pass.
    """

    name = "code/mbpp-v1"
    splits: ClassVar[Mapping[str, int | None]] = {split: len(numbers) for split, numbers in _NUMBERS.items()}
    files: ClassVar[Mapping[str, DataFile]] = {
        split: DataFile("mbpp/mbpp.jsonl", _COLUMNS, _HUB, "full", split, _REVISION) for split in _NUMBERS
    }
    domain = "code"
    licence = "CC-BY-4.0"
    source = f"{_HUB}@{_REVISION[:12]}"
    verifier: CodeVerifier

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False, partial: bool = False
    ) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = CodeVerifier(limits=_LIMITS, all_or_nothing=not partial)
        self._solutions: dict[str, str] = {}

    def load(self, split: str) -> Iterator[Task]:
        """The tasks whose numbers belong to the split, in the order of their rows."""
        return (task for task in super().load(split) if task.metadata["source_id"] in _NUMBERS[split])

    def task_of(self, row: Row) -> Task:
        """A sentence and its first assert, with all asserts."""
        tests = [*row["test_list"], *(row.get("challenge_test_list") or [])]
        suite = TestSuite.from_asserts(tests, setup=row.get("test_setup_code") or "")
        content = f"{row['text'].strip()}\n\n{_INSTRUCTION}\n\n```python\n{tests[0].strip()}\n```"
        task = Task(asked(content), suite, metadata={"source_id": int(row["task_id"])})
        self._solutions[task.id] = row["code"]
        return task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The published program."""
        program = self._solutions.get(task.id)
        return () if program is None else (f"```python\n{program}\n```",)
