"""Failing programs to begin a repair with: mutants of the published solutions, or what a policy wrote before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ...errors import InputError
from ...verifiers.code import CodeVerifier
from ..base import Task
from ..datasets import Row, read_file
from .mutants import mutants

#: ``start=MUTANT`` makes the failing programs; any other text is the path of a file with them.
MUTANT = "mutant"
_MOST_TRIED = 8
_AT_ONCE = 8


class Failing(NamedTuple):
    """A program that does not pass, and what its author would see of that.

    Attributes:
        program: The text, in a fence where a model put it into one.
        said: What the visible test says of it.
    """

    program: str
    said: str


class FailingPrograms:
    """Finds a failing program for each of many tasks, by running candidates.

    Args:
        start: ``"mutant"``, or a JSONL, Parquet or CSV file: the samples of an evaluation of ``code/mbpp``, or rows
            with ``source_id`` and ``program``. Of several programs of a task the first that fails is taken.
        judge: Runs the tests.

    Raises:
        InputError: There is no such file, or a row lacks what is needed.
    """

    def __init__(self, start: str | os.PathLike[str], judge: CodeVerifier) -> None:
        self._judge = judge
        self._stored: Mapping[str, Sequence[str]] | None = None if start == MUTANT else _read(start)

    def begin(self, tasks: Iterable[tuple[Task, str, str]]) -> Iterator[tuple[Task, Failing]]:
        """The tasks for which a failing program is known, each with it, in their order.

        Args:
            tasks: Each with the id of the same problem in ``code/mbpp``, and its published solution.
        """
        waiting = iter(tasks)
        while group := list(islice(waiting, _AT_ONCE)):
            candidates = [list(islice(self._candidates(*one), _MOST_TRIED)) for one in group]
            found: dict[int, Failing] = {}
            for turn in range(_MOST_TRIED):
                rows = [row for row, own in enumerate(candidates) if row not in found and turn < len(own)]
                programs = [candidates[row][turn] for row in rows]
                found.update(self._failing(rows, programs, [group[row][0] for row in rows]))
            for row, (task, _, _) in enumerate(group):
                if row in found:
                    yield task, found[row]

    def _candidates(self, task: Task, mbpp_id: str, solution: str) -> Iterator[str]:
        if self._stored is None:
            yield from mutants(solution, task.id)
            return
        for key in (mbpp_id, str(task.metadata["source_id"])):
            yield from self._stored.get(key, ())

    def _failing(self, rows: Sequence[int], programs: Sequence[str], tasks: Sequence[Task]) -> dict[int, Failing]:
        """Those that fail the hidden tests, by row; a failure of ours tells nothing."""
        texts = [fenced(program) for program in programs]
        suites = [json.loads(task.reference) for task in tasks]
        whole = self._judge.verify(texts, [suite["hidden"] for suite in suites])
        shown = self._judge.verify(texts, [suite["visible"] for suite in suites])
        found = {}
        for row, program, all_tests, first in zip(rows, programs, whole, shown, strict=True):
            if all_tests.is_correct is False and first.is_correct is not None:
                said = "passes the visible test but fails others" if first.is_correct else f"fails: {first.reason}"
                found[row] = Failing(program, said)
        return found


def fenced(program: str) -> str:
    """The program as a completion; one that came in a fence already is left alone."""
    return program if "```" in program else f"```python\n{program}\n```"


def _read(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number, row in enumerate(read_file(path), start=1):
        key, program = _pair(row)
        if key is None or not isinstance(program, str):
            raise InputError(
                f"{os.fspath(path)}, row {number} has {', '.join(map(str, row)) or 'nothing'}; expected samples of "
                "code/mbpp with task and completion, or source_id and program"
            )
        if program.strip():
            found.setdefault(key, []).append(program)
    if not found:
        raise InputError(f"{os.fspath(path)} holds no program to begin with")
    return found


def _pair(row: Row) -> tuple[str | None, object]:
    if "source_id" in row:
        return str(row["source_id"]), row.get("program")
    return (str(row["task"]) if "task" in row else None), row.get("completion")
