"""Find the references that cannot be judged against, before a model generates for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...environments.checking import OTHER_ANSWER
from ...verifiers.base import Result
from .rewards import RewardFunction

_OURS = {True: "", False: "it is not found equal to itself: "}


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

    Where the verifier judges bare answers, each distinct reference is judged against itself (one that does not equal
    itself is reported as well) and against another answer, since equal texts pass unread; elsewhere against an empty
    completion.

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
    reasons = _complaints(reward, [references[row] for row in rows], given)
    return [BadReference(row, references[row], why) for row, why in zip(rows, reasons, strict=True) if why is not None]


def _complaint(itself: Result, other: Result) -> str | None:
    if not itself.is_correct:
        return _OURS[itself.verdict.is_ours] + itself.reason
    return other.reason if other.verdict.is_ours else None


def _complaints(reward: RewardFunction, references: list[Any], given: dict[str, Any]) -> list[str | None]:
    verify_answers = getattr(reward.verifier, "verify_answers", None)
    if verify_answers is not None and reward.decode is None and all(isinstance(r, str) for r in references):
        itself: Sequence[Result] = verify_answers(references, references)
        other: Sequence[Result] = verify_answers([OTHER_ANSWER] * len(references), references)
        return [_complaint(*results) for results in zip(itself, other, strict=True)]
    bare = RewardFunction(
        reward.verifier,
        reward.reference,
        reward.name,
        columns=reward.columns,
        decode=reward.decode,
        deadline_seconds=None,
    )
    judged = bare.judge([""] * len(references), (), given)
    return [result.reason if result is not None and result.verdict.is_ours else None for result in judged]
