"""What a reward function tells TRL's logs about a batch beside the rewards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...verifiers.base import Result, Verdict
from .groups import GroupKind, cut_groups, group_kinds

_LONGEST_CELL = 500
LogMetric = Callable[[str, float], None]


def log_metrics(
    log_metric: LogMetric,
    name: str,
    results: Sequence[Result | None],
    group_keys: Sequence[Any],
    group_size: int | None,
    lengths: Sequence[int] | None = None,
) -> None:
    """Log shares of verdicts, latency, lengths and shares of dead groups as ``<name>/…``.

    TRL's hook averages all values of one name, over the calls of a generation step and over processes, each with the
    weight 1. Calls are of different sizes: a step that draws again for dead groups judges once more, a few groups only.
    So a share is not handed over itself but what it is of: one value for each completion, or group.

    Shares are of the rows that this reward judged: ``correct``, ``no_answer`` and ``limit_exceeded`` of those with a
    score, ``our_errors`` of all of them. Nothing is logged for a batch without such rows.

    Args:
        log_metric: TRL's hook.
        name: The reward's name.
        results: One a row; None for rows of other tasks.
        group_keys: One a row: equal neighbours form a group.
        group_size: G where known.
        lengths: Tokens of each row, where known.
    """
    judged = [result for result in results if result is not None]
    if not judged:
        return
    _log_verdicts(log_metric, name, judged)
    if lengths is not None:
        _log_lengths(log_metric, name, results, lengths)
    if len(group_keys) == len(results):
        correct = [None if result is None else result.is_correct for result in results]
        for group in group_kinds(correct, cut_groups(group_keys, group_size)):
            log_metric(f"{name}/all_pass", float(group is GroupKind.ALL_PASS))
            log_metric(f"{name}/all_fail", float(group is GroupKind.ALL_FAIL))
            log_metric(f"{name}/dead_groups", float(group is not GroupKind.ALIVE))


def _log_verdicts(log_metric: LogMetric, name: str, judged: Sequence[Result]) -> None:
    """Verdicts, and how long judging took: the quantiles of each call, which no average of values could give."""
    for result in judged:
        log_metric(f"{name}/our_errors", float(result.verdict.is_ours))
        if not result.verdict.is_ours:
            for verdict in (Verdict.CORRECT, Verdict.NO_ANSWER, Verdict.LIMIT_EXCEEDED):
                log_metric(f"{name}/{verdict}", float(result.verdict is verdict))
    seconds = sorted(result.seconds for result in judged)
    log_metric(f"{name}/seconds_p50", seconds[len(seconds) // 2])
    log_metric(f"{name}/seconds_p95", seconds[min(len(seconds) - 1, len(seconds) * 95 // 100)])


def _log_lengths(log_metric: LogMetric, name: str, results: Sequence[Result | None], lengths: Sequence[int]) -> None:
    """Lengths of right and of wrong completions."""
    kinds = {True: "correct", False: "wrong"}
    for length, result in zip(lengths, results, strict=True):
        if result is not None and result.is_correct is not None:
            log_metric(f"{name}/length_{kinds[result.is_correct]}", float(length))


def log_rows(
    log_extra: Callable[[str, list[Any]], None],
    name: str,
    results: Sequence[Result | None],
    references: Sequence[Any] | None,
) -> None:
    """Put answer, reference, verdict and reason into TRL's table of completions, as columns of full length.

    Rows of other tasks have empty cells. The reference column is left out where the reward has none.
    """
    log_extra(f"{name}/answer", [_cell(result.answer if result else None) for result in results])
    if references is not None:
        cells = [_cell(reference) if result else "" for result, reference in zip(results, references, strict=True)]
        log_extra(f"{name}/reference", cells)
    log_extra(f"{name}/verdict", [str(result.verdict) if result else "" for result in results])
    log_extra(f"{name}/reason", [_cell(result.reason if result else None) for result in results])


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
