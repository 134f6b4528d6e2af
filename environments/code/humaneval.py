"""``code/humaneval-v1``: Python functions to complete from their signature and docstring."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...verifiers.code import CodeVerifier, TestSuite
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_HUB = "openai/openai_humaneval"
_REVISION = "7dce6050a7d6d172f3cc5c32aa97f52fa1a2e544"
_INSTRUCTION = "Complete this Python function. Answer with the whole function in one ```python block."


class HumanEval(RowEnvironment):
    """164 functions with their unit tests (Chen et al. 2021, https://arxiv.org/abs/2107.03374).

    A completion may hold the whole function, in a fenced block or bare, or continue the prompt as a base model does.

    Args:
        path: A folder with ``HumanEval.jsonl`` (or ``.jsonl.gz``), or that file. Without it the rows come from
            ``humaneval/`` below the folder ``ASSAY_DATA``, else from the hub.
        streaming: As in ``RowEnvironment``.
        chat: Whether prompts are messages with an instruction; else the bare beginning of the program.
        partial: Whether the fraction of tests passed counts; else all of them must pass.
    """

    name = "code/humaneval-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 164}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile(
            "humaneval/HumanEval.jsonl", ("task_id", "prompt", "entry_point", "test"), _HUB, None, "test", _REVISION
        )
    }
    domain = "code"
    licence = "MIT"
    source = f"{_HUB}@{_REVISION[:12]}"
    verifier: CodeVerifier

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        streaming: bool = False,
        chat: bool = True,
        partial: bool = False,
    ) -> None:
        super().__init__(path, streaming=streaming)
        self._chat = chat
        self.verifier = CodeVerifier(all_or_nothing=not partial)
        self._solutions: dict[str, str] = {}

    def task_of(self, row: Row) -> Task:
        """A function's head, with its tests."""
        prompt = row["prompt"]
        suite = TestSuite.from_code(row["test"], entry_point=row["entry_point"], prompt=prompt)
        content = asked(f"{_INSTRUCTION}\n\n```python\n{prompt.strip()}\n```") if self._chat else prompt
        task = Task(content, suite, metadata={"source_id": row["task_id"]})
        if solution := row.get("canonical_solution"):
            self._solutions[task.id] = prompt + solution
        return task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The published program."""
        program = self._solutions.get(task.id)
        return () if program is None else (f"```python\n{program}\n```",)
