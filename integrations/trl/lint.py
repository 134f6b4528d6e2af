"""Find the references that cannot be judged against, before a model generates for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...verifiers.base import Result, Verdict
from .rewards import RewardFunction


class BadReference(NamedTuple):
    """A row whose reference no completion can be judged against.

    Attributes:
        row: Its index in the data set.
        reference: What the column holds.
        reason: Why it is of no use.
    """

    row: int
    reference: Any
    reason: str


def lint_references(dataset: Any, reward: RewardFunction) -> list[BadReference]:
    """The rows of ``dataset`` whose reference ``reward`` cannot judge against, in order.

    Each distinct reference is judged once, against itself where the verifier judges bare answers (then an answer that
    does not equal itself is reported as well), against an empty completion elsewhere.

    Args:
        dataset: A ``datasets.Dataset``, or anything with ``column_names`` and columns by name.
        reward: The reward function that will judge; its columns are checked first.

    Returns:
        Nothing where all is well, or where the reward reads no reference.

    Raises:
        ColumnError: The data set lacks a column, or has one that TRL refuses.
    """
    reward.check(dataset)
    if reward.reference is None:
        return []
    columns = {name: list(dataset[name]) for name in reward.wanted_columns}
    references = columns[reward.reference]
    if reward.task_column is not None:
        rows = [row for row, task in enumerate(columns[reward.task_column]) if task in reward.tasks]
    else:
        rows = list(range(len(references)))
    given = {name: [values[row] for row in rows] for name, values in columns.items()}
    results = _judge(reward, [references[row] for row in rows], given)
    return [
        BadReference(row, references[row], reason)
        for row, result in zip(rows, results, strict=True)
        if (reason := _complaint(result)) is not None
    ]


def _judge(reward: RewardFunction, references: list[Any], given: dict[str, Any]) -> Sequence[Result]:
    verify_answers = getattr(reward.verifier, "verify_answers", None)
    if verify_answers is not None and reward.decode is None and all(isinstance(r, str) for r in references):
        results: Sequence[Result] = verify_answers(references, references)
        return results
    quiet = RewardFunction(
        reward.verifier,
        reward.reference,
        reward.name,
        columns=reward.columns,
        decode=reward.decode,
        deadline_seconds=None,
    )
    judged = quiet.judge([""] * len(references), (), given)
    return [result for result in judged if result is not None]


def _complaint(result: Result) -> str | None:
    if result.verdict.is_ours:
        return result.reason
    if result.answer is not None and result.verdict is not Verdict.CORRECT:
        return f"it is not found equal to itself: {result.reason}"
    return None
