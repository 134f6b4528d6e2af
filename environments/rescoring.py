"""Judge completions again that are stored in files, and compare two judges on them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..registry import Registry
from ..verifiers.base import Result, Verdict, Verifier
from .base import Environment
from .datasets import read_file
from .functions import FunctionVerifier
from .judged_file import Judged, JudgedFile
from .stored_completions import COMPLETION, StoredCompletion, first_column, from_column, from_tasks

#: Verifiers by ``package.module:attribute`` or ``file.py:attribute``; none has a name of its own.
VERIFIERS: Registry[Any] = Registry("verifier", {}, group="assay.verifiers")
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Rescored:
    """All judgements of a file.

    Attributes:
        judged: One for each row, in order.
    """

    judged: tuple[Judged, ...]

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How often each verdict came, those that did not come left out."""
        return dict(Counter(row.verdict for row in self.judged))

    @property
    def accuracy(self) -> float:
        """Share of correct completions; what could not be judged counts as not correct. NaN without rows."""
        correct = sum(row.verdict is Verdict.CORRECT for row in self.judged)
        return correct / len(self.judged) if self.judged else float("nan")

    @property
    def changed(self) -> list[Judged]:
        """The rows whose stored score is another one."""
        return [row for row in self.judged if not row.agrees_with_stored]

    @property
    def disagreements(self) -> list[Judged]:
        """The rows about which the two judges differ."""
        return [row for row in self.judged if not row.agrees_with_other]


def rescore(
    path: str | os.PathLike[str],
    environment: Environment | None = None,
    *,
    split: str | None = None,
    verifier: Verifier[Any] | None = None,
    against: Verifier[Any] | None = None,
    completion: str | None = None,
    reference: str | None = None,
    output: str | os.PathLike[str] | None = None,
    on_batch: Callable[[int, int], None] = lambda done, total: None,
) -> Rescored:
    """Judge the completions of a file anew.

    The file may be JSONL, Parquet or CSV: samples of ``assay evaluate``, a table of completions that TRL wrote, or rows
    of any other origin. A completion is text, or messages of which the last assistant's counts. Its reference is that
    of its task, found in ``environment`` by the row's task id, else by its prompt; or, without an environment, a
    column.

    Args:
        path: The file.
        environment: Whose tasks the rows belong to, and whose verifier judges where ``verifier`` is None.
        split: The split with the tasks; all finite splits where None.
        verifier: What judges.
        against: A second judge, asked about the same rows.
        completion: The column with the completions; by default the first there is of completion, response, output,
            generation, text.
        reference: Without an environment, the column with the references; by default the first there is of reference,
            answer, solution, ground_truth.
        output: A JSONL file to which judgements are written as they come. A second call goes on where the first one was
            interrupted, and refuses a file that belongs to other completions or judges.
        on_batch: Told after each batch how many rows are done, of how many.

    Raises:
        InputError: The file cannot be read, lacks a column, or has a row whose task is not found.
        StorageFailed: The output cannot be written.
    """
    judge = verifier or (environment.verifier if environment is not None else None)
    if judge is None:
        raise InputError("there is nothing to judge with: give an environment or a verifier")
    rows = list(read_file(path))
    if not rows:
        raise InputError(f"{os.fspath(path)} holds no row")
    column = completion or first_column(rows[0], COMPLETION, path, "a completion", "completion=")
    find = from_tasks(environment, split) if environment is not None else from_column(rows[0], reference, path)
    store = JudgedFile(output, _identity(path, environment, judge, against, column))
    done = store.read()
    columns = environment.columns if environment is not None else ()
    for start in range(len(done), len(rows), _BATCH):
        batch = [
            StoredCompletion.of(number, rows[number], column, find, path)
            for number in range(start, min(start + _BATCH, len(rows)))
        ]
        judged = _judge(batch, judge, against, columns)
        store.append(judged)
        done.extend(judged)
        on_batch(len(done), len(rows))
    return Rescored(tuple(done))


def find_verifier(name: str) -> Verifier[Any]:
    """The verifier at ``package.module:attribute`` or ``file.py:attribute``.

    The attribute is a verifier, a class of verifiers that needs no argument, or a function ``(completion, reference)``.

    Raises:
        UnknownName: The name is no such path.
        LoadFailed: It cannot be imported.
        InputError: It is something else.
    """
    found = VERIFIERS.get(name)
    if isinstance(found, type) and issubclass(found, Verifier):
        found = found()
    return found if isinstance(found, Verifier) else FunctionVerifier(found)


def _judge(
    batch: Sequence[StoredCompletion], judge: Verifier[Any], against: Verifier[Any] | None, names: Sequence[str]
) -> list[Judged]:
    texts = [item.text for item in batch]
    references = [item.task.reference for item in batch]
    columns = {name: [item.task.metadata.get(name) for item in batch] for name in names}
    results = judge.verify(texts, references, **columns)
    others: Sequence[Result | None] = [None] * len(batch)
    if against is not None:
        others = against.verify(texts, references, **columns)
    return [_row(item, result, other) for item, result, other in zip(batch, results, others, strict=True)]


def _row(item: StoredCompletion, result: Result, other: Result | None) -> Judged:
    judged = Judged(item.row, item.task.id, result.verdict, result.score, result.answer, result.reason, item.stored)
    if other is None:
        return judged
    return judged._replace(other_verdict=other.verdict, other_score=other.score, other_reason=other.reason)


def _identity(
    path: str | os.PathLike[str],
    environment: Environment | None,
    judge: Verifier[Any],
    against: Verifier[Any] | None,
    column: str,
) -> dict[str, Any]:
    return {
        "file": sha256(Path(path).read_bytes()).hexdigest(),
        "environment": None if environment is None else environment.name,
        "verifier": f"{type(judge).__module__}.{judge.name}",
        "against": None if against is None else f"{type(against).__module__}.{against.name}",
        "completion": column,
    }


def rows_of(judged: Sequence[Judged]) -> Iterator[tuple[str, ...]]:
    """Each row as texts for a table: number, stored score, verdict and score, and those of the second judge."""
    for row in judged:
        stored = "" if row.stored is None else f"{row.stored:g}"
        other = "" if row.other_verdict is None else f"{row.other_verdict} {_shown(row.other_score)}"
        yield str(row.row + 1), stored, f"{row.verdict} {_shown(row.score)}", other, row.answer or "", row.reason


def _shown(score: float | None) -> str:
    return "-" if score is None else f"{score:g}"
