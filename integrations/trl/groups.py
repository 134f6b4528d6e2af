"""Groups in a batch of completions, and how much each can teach."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import groupby
from typing import Any


class GroupKind(Enum):
    """What the judged completions of a group have in common.

    All but ALIVE teach nothing in GRPO; ALONE is one of which a single completion was judged.
    """

    ALL_PASS = auto()
    ALL_FAIL = auto()
    ALONE = auto()
    ALIVE = auto()


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


def group_kinds(correct: Sequence[bool | None], groups: Sequence[range]) -> list[GroupKind]:
    """The kind of each group of which at least one completion was judged.

    Args:
        correct: One value a row; None where the judge failed or had nothing to judge.
        groups: Index ranges from ``cut_groups``.
    """
    judged = [[bool(correct[row]) for row in group if correct[row] is not None] for group in groups]
    return [_kind(group) for group in judged if group]


def _kind(correct: Sequence[bool]) -> GroupKind:
    if len(correct) == 1:
        return GroupKind.ALONE
    if all(correct):
        return GroupKind.ALL_PASS
    return GroupKind.ALIVE if any(correct) else GroupKind.ALL_FAIL
