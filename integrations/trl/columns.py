"""Data set columns that reward functions read, checked before anything is trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import ColumnError

# TRL passes these itself, or drops or overwrites a column of that name (GRPOTrainer._calculate_rewards, trl 1.16).
RESERVED = frozenset(
    {
        "prompt",
        "prompts",
        "completion",
        "completions",
        "completion_ids",
        "trainer_state",
        "log_extra",
        "log_metric",
        "environments",
    }
)
# TRL cannot train on a data set with one of these: a TypeError in the first step, or a value silently replaced.
_FATAL = RESERVED - {"prompt", "completion"}


def refuse_reserved(columns: Iterable[str], name: str) -> None:
    """Raise ``ColumnError`` where reward ``name`` wants to read a column whose name TRL keeps for itself."""
    for column in columns:
        if column in RESERVED:
            raise ColumnError(
                f"reward {name!r} cannot read a column called {column!r}: TRL keeps that name for itself; "
                f"rename the column (reserved: {', '.join(sorted(RESERVED))})"
            )


def check_columns(available: Sequence[str], wanted: Iterable[str], name: str) -> None:
    """Raise ``ColumnError`` where the data set lacks a column that reward ``name`` reads, or has one TRL refuses.

    Args:
        available: The columns of the data set.
        wanted: The columns the reward reads.
        name: The reward's name, for the message.
    """
    missing = [column for column in wanted if column not in available]
    if missing:
        raise ColumnError(
            f"reward {name!r} reads {', '.join(map(repr, missing))}, which the data set lacks; "
            f"its columns are {', '.join(map(repr, available)) or 'none'}"
        )
    for column in available:
        if column in _FATAL:
            raise ColumnError(f"the data set has a column {column!r}, a name TRL keeps for itself; rename the column")


def take_columns(given: Mapping[str, Any], wanted: Iterable[str], length: int, name: str) -> dict[str, Sequence[Any]]:
    """The wanted columns of a batch, each ``length`` long; ``ColumnError`` for a missing or a shorter one."""
    wanted = list(wanted)
    check_columns([key for key in given if key not in RESERVED], wanted, name)
    for column in wanted:
        if len(given[column]) != length:
            raise ColumnError(
                f"column {column!r} has {len(given[column])} values for {length} completions of reward {name!r}; "
                "expected one for each"
            )
    return {column: given[column] for column in wanted}
