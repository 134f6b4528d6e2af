"""Shaping as reward functions of its own, to stand beside a ``RewardFunction`` with a small weight.

Each is a picklable object with a ``__name__``, takes what TRL passes by keyword, and ignores the rest. Lengths are in
tokens, from ``completion_ids``; a trainer that does not pass them gets None for every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...verifiers.base import Result
from ...verifiers.shaping import cosine_length, partial_credit, repetition, script_consistency, soft_overlong
from .completions import completion_text
from .groups import cut_groups
from .rewards import RewardFunction


class _Named:
    """Gives an object the ``__name__`` that TRL logs it by."""

    name: str

    @property
    def __name__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OverlongPenalty(_Named):
    """0 to -1 as a completion nears the limit: ``shaping.soft_overlong``.

    Args:
        longest: ``max_completion_length``.
        cache: Over how many tokens the punishment grows.
        name: In logs.
    """

    longest: int
    cache: int
    name: str = "overlong"

    def __post_init__(self) -> None:
        soft_overlong(0, longest=self.longest, cache=self.cache)

    def __call__(self, completions: Sequence[Any], **given: Any) -> list[float | None]:
        """One number a completion."""
        lengths = _lengths(completions, given)
        return [None if n is None else soft_overlong(n, longest=self.longest, cache=self.cache) for n in lengths]


@dataclass(frozen=True)
class RepetitionPenalty(_Named):
    """0 to ``worst`` by the share of repeated n-grams: ``shaping.repetition``."""

    size: int = 3
    worst: float = -1.0
    name: str = "repetition"

    def __post_init__(self) -> None:
        repetition("", size=self.size, worst=self.worst)

    def __call__(self, completions: Sequence[Any], **given: Any) -> list[float | None]:
        """One number a completion."""
        return [repetition(completion_text(c), size=self.size, worst=self.worst) for c in completions]


@dataclass(frozen=True)
class ScriptConsistency(_Named):
    """The share of letters of one script: ``shaping.script_consistency``."""

    script: str = "LATIN"
    name: str = "script"

    def __call__(self, completions: Sequence[Any], **given: Any) -> list[float | None]:
        """One number a completion."""
        return [script_consistency(completion_text(c), self.script) for c in completions]


class CosineLengthReward(RewardFunction):
    """Correctness bent by length, instead of a plain correctness reward: ``shaping.cosine_length``.

    Args:
        verifier: What judges.
        longest: ``max_completion_length``.
        right: The reward of a right answer at length 0 and at ``longest``.
        wrong: That of a wrong one.
        exceeded: That of a completion of ``longest`` tokens.
        **options: Of ``RewardFunction``.
    """

    def __init__(
        self,
        verifier: Any,
        *,
        longest: int,
        right: tuple[float, float] = (1.0, 0.5),
        wrong: tuple[float, float] = (-1.0, -0.5),
        exceeded: float = -1.0,
        **options: Any,
    ) -> None:
        super().__init__(verifier, **options)
        if longest < 1:
            raise InputError(f"longest is {longest}; expected 1 or more")
        self.shape = {"longest": longest, "right": right, "wrong": wrong, "exceeded": exceeded}

    def rewards(self, results: Sequence[Result | None], given: dict[str, Any]) -> list[float | None]:
        """One number a completion; None without a verdict or a length."""
        lengths = _lengths(results, given)
        return [
            None
            if result is None or result.is_correct is None or length is None
            else self.weight * cosine_length(length, result.is_correct, **self.shape)  # type: ignore[arg-type]
            for result, length in zip(results, lengths, strict=True)
        ]


class PartialCreditReward(RewardFunction):
    """Correctness, and part of the score in groups where nothing is correct: ``shaping.partial_credit``.

    A group is a run of rows with the same ``group_column``; give ``group_size`` where processes share a group, whose
    rows then count each on its own.

    Args:
        verifier: What judges, with scores between 0 and 1.
        coefficient: In [0, 1].
        **options: Of ``RewardFunction``.
    """

    def __init__(self, verifier: Any, *, coefficient: float = 0.5, **options: Any) -> None:
        super().__init__(verifier, **options)
        partial_credit([], [], [], coefficient=coefficient)
        self.coefficient = coefficient

    def rewards(self, results: Sequence[Result | None], given: dict[str, Any]) -> list[float | None]:
        """One number a completion; None without a verdict."""
        keys = given.get(self.group_column) or given.get("prompts") or range(len(results))
        credit = partial_credit(
            [None if result is None else result.score for result in results],
            [None if result is None else result.is_correct for result in results],
            cut_groups(keys, self.group_size),
            coefficient=self.coefficient,
        )
        return [None if reward is None else self.weight * reward for reward in credit]


def _lengths(rows: Sequence[Any], given: dict[str, Any]) -> list[int | None]:
    ids = given.get("completion_ids")
    return [None] * len(rows) if ids is None else [len(tokens) for tokens in ids]
