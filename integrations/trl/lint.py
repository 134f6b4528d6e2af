"""Find the references that cannot be judged against, before a model generates for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...environments.checking import OTHER_ANSWER
from ...verifiers.base import Result, Verdict
from .columns import check_columns
from .rewards import RewardFunction


class BadReference(NamedTuple):
    """A row whose reference no completion can be judged against.

    Attributes:
        row: Its index in the data set, from 0, as ``Dataset.select`` counts.
        reference: What the column holds.
        reason: Why it is of no use.
        failed: Whether the verifier failed on it, so that the fault may lie there and not with the reference.
    """

    row: int
    reference: Any
    reason: str
    failed: bool = False


def lint_references(dataset: Any, reward: RewardFunction) -> list[BadReference]:
    """The rows of ``dataset`` whose reference ``reward`` cannot judge against, in order.

    None is listed, and so is what ``reward.decode`` cannot read. Where the verifier judges bare answers, each text or
    number is judged against itself (one that does not equal itself is reported as well) and against another answer,
    since equal texts pass unread; elsewhere, and of any other type, against an empty completion.

    Args:
        dataset: A ``datasets.Dataset``, or anything with ``column_names`` and columns by name.
        reward: The reward function that will judge; its columns are checked first.

    Returns:
        Nothing where all is well, or where the reward reads no reference.

    Raises:
        ColumnError: The data set lacks a column, or has one that TRL refuses.
    """
    check_columns(dataset.column_names, reward.wanted_columns, reward.name)
    if reward.reference is None:
        return []
    columns = {name: list(dataset[name]) for name in reward.wanted_columns}
    references = columns[reward.reference]
    if reward.task_column is not None:
        rows = [row for row, task in enumerate(columns[reward.task_column]) if task in reward.tasks]
    else:
        rows = list(range(len(references)))
    given = {name: [values[row] for row in rows] for name, values in columns.items()}
    bad = _complaints(reward, [references[row] for row in rows], given)
    return [
        BadReference(row, references[row], result.reason, result.verdict is Verdict.ERROR)
        for row, result in zip(rows, bad, strict=True)
        if result is not None
    ]


def listed(bad: Iterable[BadReference], most: int = 10) -> str:
    """The rows, counted from 1, with their references and reasons; the first ``most`` of them."""
    entries = list(bad)
    shown = "; ".join(
        f"row {entry.row + 1} {str(entry.reference)[:60]!r}: {entry.reason[:120]}" for entry in entries[:most]
    )
    return shown + (f"; and {len(entries) - most} more" if len(entries) > most else "")


def _complaints(reward: RewardFunction, references: list[Any], given: dict[str, Any]) -> list[Result | None]:
    """For each reference the result that tells that it is of no use, None for one that is."""
    bare = RewardFunction(
        reward.verifier,
        reward.reference,
        reward.name,
        columns=reward.columns,
        decode=reward.decode,
        deadline_seconds=None,
    )
    judged = [_ours(result) for result in bare.judge([""] * len(references), (), given)]
    verify_answers = getattr(reward.verifier, "verify_answers", None)
    if verify_answers is None:
        return judged
    decoded = {row: _decoded(reward, references[row]) for row, result in enumerate(judged) if result is None}
    plain = {row: value for row, value in decoded.items() if type(value) in (str, int, float)}
    itself: Sequence[Result] = verify_answers(list(map(str, plain.values())), list(plain.values()))
    other: Sequence[Result] = verify_answers([OTHER_ANSWER] * len(plain), list(plain.values()))
    for row, *results in zip(plain, itself, other, strict=True):
        judged[row] = next(filter(None, map(_ours, results)), None)
        if judged[row] is None and isinstance(plain[row], str) and not results[0].is_correct:
            judged[row] = Result.bad_reference(f"it is not found equal to itself: {results[0].reason}")
    return judged


def _decoded(reward: RewardFunction, value: Any) -> Any:
    """A reference that was read once already, to judge an empty completion."""
    return value if reward.decode is None else reward.decode(value)


def _ours(result: Result | None) -> Result | None:
    return result if result is not None and result.verdict.is_ours else None
