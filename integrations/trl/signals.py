"""Which groups teach: judged by correctness, group by group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...errors import InputError
from ...verifiers.base import Verdict
from .rewards import RewardFunction

_OURS = (Verdict.BAD_REFERENCE, Verdict.ERROR)


@dataclass(frozen=True, kw_only=True)
class GroupTest:
    """When a group is worth training on.

    Attributes:
        window: Its pass rate must lie strictly between these two; (0, 1) leaves out all pass and all fail.
        pass_above: Where values are judged, not verdicts: a value above this is a pass.
        tolerance: Where values are judged: those that differ by at most this much are equal, whatever float noise says.
    """

    window: tuple[float, float] = (0.0, 1.0)
    pass_above: float = 0.5
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        low, high = self.window
        if not 0.0 <= low < high <= 1.0:
            raise InputError(f"window is {self.window!r}; expected (low, high) with 0 <= low < high <= 1")
        if not self.tolerance >= 0.0:
            raise InputError(f"tolerance is {self.tolerance!r}; expected 0 or more")


@dataclass(frozen=True)
class Groups:
    """The groups of one round, the same on every process.

    Attributes:
        passed: How many completions passed, one number a group.
        judged: How many were judged at all.
        alive: Whether the group is worth training on.
    """

    passed: list[int]
    judged: list[int]
    alive: list[bool]

    @property
    def all_pass(self) -> int:
        """How many groups have two judged completions or more, all of which passed."""
        return sum(p == j > 1 for p, j in zip(self.passed, self.judged, strict=True))

    @property
    def all_fail(self) -> int:
        """How many groups have two judged completions or more, none of which passed."""
        return sum(p == 0 and j > 1 for p, j in zip(self.passed, self.judged, strict=True))


class Signal:
    """What a completion counts as: verdicts of our rewards where there are any, values of rewards elsewhere.

    Args:
        functions: The trainer's reward functions.
        names: Their names.
        wanted: A reward's name; "reward" for the weighted sum of all; None for the verdict of the first reward of ours
            that judged the row, and the sum where none is ours.

    Raises:
        InputError: There is no such reward, or its verdicts are not to be had.
    """

    def __init__(self, functions: Sequence[Any], names: Sequence[str], wanted: str | None) -> None:
        verdicts = [
            name for function, name in zip(functions, names, strict=True) if isinstance(function, RewardFunction)
        ]
        if wanted not in (None, "reward", *names):
            raise InputError(f"signal is {wanted!r}; expected 'reward' or one of {', '.join(names)}")
        self.verdicts = verdicts if wanted is None else [name for name in verdicts if name == wanted]
        self.value = names.index(wanted) if wanted in names and not self.verdicts else None
        for function, name in zip(functions, names, strict=True):
            if name in self.verdicts and not function.log_columns:
                raise InputError(f"groups are judged by the verdicts of {name!r}; create it with log_columns=True")

    def local_correctness(self, logged: Mapping[str, Sequence[Any]], length: int) -> list[float] | None:
        """1 for each correct row of this process, 0 for another, NaN for one that was not judged.

        Args:
            logged: What the rewards logged for these rows, by column.
            length: The number of rows.

        Returns:
            None where values count, not verdicts.
        """
        if not self.verdicts:
            return None
        columns = [logged.get(f"{name}/verdict") or [""] * length for name in self.verdicts]
        verdicts = [next((verdict for verdict in row if verdict), "") for row in zip(*columns, strict=True)]
        return [math.nan if v == "" or v in _OURS else float(v == Verdict.CORRECT) for v in verdicts]

    def values(self, rewards: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """The values that count, (rows,), from the rewards of all functions, (rows, functions)."""
        if self.value is not None:
            return rewards[:, self.value]
        total = (rewards * weights.to(rewards.device)).nansum(dim=1)
        total[torch.isnan(rewards).all(dim=1)] = torch.nan
        return total


def judge_groups(values: torch.Tensor, group_size: int, test: GroupTest, *, are_verdicts: bool) -> Groups:
    """Which groups are worth training on.

    Args:
        values: (groups * group_size,), NaN where a completion was not judged.
        group_size: G; groups follow each other.
        test: When a group is.
        are_verdicts: Whether the values are 1 for correct and 0 for not; their spread says nothing more then.
    """
    groups = values.detach().double().cpu().view(-1, group_size)
    known = ~torch.isnan(groups)
    passed = (torch.nan_to_num(groups, nan=-math.inf) > test.pass_above).sum(dim=1)
    judged = known.sum(dim=1)
    spread = (
        torch.where(known, groups, -math.inf).amax(dim=1) - torch.where(known, groups, math.inf).amin(dim=1)
    ) > test.tolerance
    rate = passed / judged.clamp(min=1)
    inside = (rate > test.window[0]) & (rate < test.window[1])
    if not are_verdicts and test.window == (0.0, 1.0):
        inside = torch.ones_like(inside)
    alive = (judged > 1) & spread & inside
    return Groups(passed.tolist(), judged.tolist(), alive.tolist())
