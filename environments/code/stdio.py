"""``code/stdio-v1``: programming contests: read a problem, write a program for standard input and output."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...errors import InputError
from ...sandbox.base import Sandbox
from ...verifiers.code.suite import TestSuite
from ...verifiers.code.verifier import CodeVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked
from .contests import FORMATS, Problem, format_of

_STDIO = "Write a Python program that reads standard input and writes to standard output. Put it in a ```python block."
_CALLS = "Write it in Python, with the given name. Put the code in a ```python block."
# Name and commit on the hub, and its splits by ours. Which columns a row must have, its form says.
_HUBS: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "apps": (
        "codeparrot/apps",
        "21e74ddf8de1a21436da12e3e653065c5213e9d1",
        {"train": "train", "test": "test"},
    ),
    "code_contests": (
        "deepmind/code_contests",
        "802411c3010cb00d1b05bad57ca77365a3c699d6",
        {"train": "train", "validation": "valid", "test": "test"},
    ),
    "livecodebench": (
        "livecodebench/code_generation_lite",
        "0fe84c3912ea0c4d4a78037083943e8f0c4dd505",
        {"test": "test"},
    ),
}


class StdioCode(RowEnvironment):
    """Problems of APPS, CodeContests, LiveCodeBench or NeMo-Gym, by the form of their rows.

    A program is judged by all tests of a problem, public and hidden; the public ones alone are in
    ``metadata["public_tests"]``. The score is the share of tests passed; all of them is correct. Problems that have no
    test are left out.

    * APPS (Hendrycks et al. 2021, https://arxiv.org/abs/2105.09938), CodeContests (Li et al. 2022,
      https://arxiv.org/abs/2203.07814), LiveCodeBench (Jain et al. 2024, https://arxiv.org/abs/2403.07974).

    Args:
        dataset: "apps", "code_contests" or "livecodebench".
        path: A folder with the files of its splits, or a file of rows in any of the four forms. Without it the rows
            come from a folder of the data set's name below ``ASSAY_DATA``, else from the hub.
        streaming: Whether the hub is read row by row; APPS and CodeContests are some gigabytes.
        most_tests: At most so many tests of each problem, the public ones first; None for all.
        sandbox: As in ``CodeVerifier``.

    Raises:
        InputError: There is no such data set, or ``most_tests`` is not positive.
    """

    name = "code/stdio-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": None, "validation": None, "test": None}
    domain = "code"
    licence = "MIT, CC-BY 4.0"
    source = "APPS, CodeContests, LiveCodeBench, by dataset="

    def __init__(
        self,
        dataset: str = "apps",
        path: str | os.PathLike[str] | None = None,
        *,
        streaming: bool = False,
        most_tests: int | None = None,
        sandbox: Sandbox | str | None = None,
    ) -> None:
        super().__init__(path, streaming=streaming)
        if dataset not in _HUBS:
            raise InputError(f"dataset is {dataset!r}; expected one of {', '.join(_HUBS)}")
        if most_tests is not None and most_tests < 1:
            raise InputError(f"most_tests is {most_tests}; expected at least 1, or None for all")
        self.verifier = CodeVerifier(sandbox)
        self._most_tests = most_tests
        self._solutions: dict[str, str] = {}
        hub, revision, splits = _HUBS[dataset]
        files = {
            ours: DataFile(f"{dataset}/{ours}.jsonl", (), hub, None, its, revision) for ours, its in splits.items()
        }
        # Class attributes elsewhere; here they depend on the data set.
        vars(self).update(files=files, splits=dict.fromkeys(files), source=f"{hub}@{revision[:12]}")

    def task_of(self, row: Row) -> Task | None:
        """A problem with its tests; None where it has none."""
        problem = FORMATS[format_of(row)](row)
        tests = [*problem.public, *problem.hidden][: self._most_tests]
        if not tests:
            return None
        reference = _suite(problem, tests).to_json()
        metadata = {"public_tests": _suite(problem, problem.public).to_json() if problem.public else None}
        task = Task(asked(_asked(problem)), reference, problem.difficulty, {**metadata, "source": problem.source})
        if problem.solution:
            self._solutions[task.id] = problem.solution
        return task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The first Python solution that the data set gives, if any."""
        solution = self._solutions.get(task.id)
        return () if solution is None else (f"```python\n{solution}\n```",)


def _suite(problem: Problem, tests: Sequence[tuple[str, str]]) -> TestSuite:
    if problem.function:
        return TestSuite.from_calls(problem.function, [problem.call(test) for test in tests])
    return TestSuite.from_stdio(tests, compare=problem.compare)


def _asked(problem: Problem) -> str:
    parts = [problem.statement.strip()]
    if problem.starter.strip():
        parts.append(f"Begin with:\n```python\n{problem.starter.rstrip()}\n```")
    if not problem.complete:
        parts.append(_CALLS if problem.function else _STDIO)
    return "\n\n".join(parts)
