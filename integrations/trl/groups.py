"""Groups in a batch of completions, and how much each can teach."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple


class GroupShares(NamedTuple):
    """Fractions of the groups of a batch.

    Attributes:
        all_pass: Every judged completion is correct.
        all_fail: None is correct.
        dead: One of the two, or fewer than two completions were judged: nothing to learn in GRPO.
    """

    all_pass: float
    all_fail: float
    dead: float


def cut_groups(keys: Sequence[Any], size: int | None = None) -> list[range]:
    """Rows that follow each other with the same key, as index ranges.

    Args:
        keys: One key a row: a unique id column where there is one, since equal prompts may be different rows.
        size: G, where known: longer runs are cut into groups of G, and what is shorter, a group that another process
            has the rest of, is left out.
    """
    groups: list[range] = []
    start = 0
    for _, run in groupby(keys):
        end = start + sum(1 for _ in run)
        if size is None:
            groups.append(range(start, end))
        else:
            groups += [range(at, at + size) for at in range(start, end - size + 1, size)]
        start = end
    return groups


def group_shares(correct: Sequence[bool | None], groups: Sequence[range]) -> GroupShares | None:
    """How many groups all pass, all fail, or are dead; None where there is no group.

    Args:
        correct: One value a row; None where the judge failed or had nothing to judge.
        groups: Index ranges from ``cut_groups``.
    """
    judged = [[correct[row] for row in group if correct[row] is not None] for group in groups]
    judged = [group for group in judged if group]
    if not judged:
        return None
    passed = sum(len(group) > 1 and all(group) for group in judged) / len(judged)
    failed = sum(len(group) > 1 and not any(group) for group in judged) / len(judged)
    alone = sum(len(group) == 1 for group in judged) / len(judged)
    return GroupShares(passed, failed, passed + failed + alone)
