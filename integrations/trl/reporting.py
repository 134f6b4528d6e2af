"""What a reward function tells TRL's logs about a batch beside the rewards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...verifiers.base import Result, Verdict
from .groups import cut_groups, group_shares

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
    """Log shares of verdicts, latency, lengths and shares of dead groups as ``<name>/…``; TRL averages over processes.

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
        shares = group_shares(correct, cut_groups(group_keys, group_size))
        if shares is not None:
            log_metric(f"{name}/all_pass", shares.all_pass)
            log_metric(f"{name}/all_fail", shares.all_fail)
            log_metric(f"{name}/dead_groups", shares.dead)


def _log_verdicts(log_metric: LogMetric, name: str, judged: Sequence[Result]) -> None:
    """Shares of verdicts, and how long judging took."""
    scored = [result for result in judged if not result.verdict.is_ours]
    log_metric(f"{name}/our_errors", 1.0 - len(scored) / len(judged))
    for verdict in (Verdict.CORRECT, Verdict.NO_ANSWER, Verdict.LIMIT_EXCEEDED):
        if scored:
            log_metric(f"{name}/{verdict}", sum(result.verdict is verdict for result in scored) / len(scored))
    seconds = sorted(result.seconds for result in judged)
    log_metric(f"{name}/seconds_p50", seconds[len(seconds) // 2])
    log_metric(f"{name}/seconds_p95", seconds[min(len(seconds) - 1, len(seconds) * 95 // 100)])


def _log_lengths(log_metric: LogMetric, name: str, results: Sequence[Result | None], lengths: Sequence[int]) -> None:
    """Mean lengths of right and of wrong completions, where there are any."""
    for right, kind in ((True, "correct"), (False, "wrong")):
        counted = [n for n, r in zip(lengths, results, strict=True) if r is not None and r.is_correct is right]
        if counted:
            log_metric(f"{name}/length_{kind}", sum(counted) / len(counted))


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
