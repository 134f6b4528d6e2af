"""Verifiers that do what a completion says, and TRL's part: the hooks it hands over, and its way to call a reward."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

from assay import Result, Verifier
from assay.integrations.trl import RewardFunction


class Echo(Verifier[str]):
    """The completion says what happens; at the top level, so that it can be pickled."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        if completion == "raise":
            raise RuntimeError("out of order")
        if completion == "limit":
            return Result.limit_exceeded("too long")
        if completion == "half":
            return Result.partial(0.5, answer=completion)
        if completion == "":
            return Result.no_answer("it is empty")
        if reference == "bad":
            return Result.bad_reference("it is bad")
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


class Rude(Verifier[str]):
    """Breaks the contract of ``verify`` itself, as a verifier of a user's own may."""

    def __init__(self, how: str) -> None:
        self.how = how

    def verify(self, completions: Any, references: Any, **columns: Any) -> list[Result]:
        if self.how == "raise":
            raise RuntimeError("no service today")
        if self.how == "short":
            return [Result.correct()]
        time.sleep(30)
        return []


class Logs:
    """TRL's two hooks, kept; metrics are the means of their values, as TRL logs them."""

    def __init__(self) -> None:
        self.extra: dict[str, list[Any]] = defaultdict(list)
        self.values: dict[str, list[float]] = defaultdict(list)

    @property
    def metrics(self) -> dict[str, float]:
        return {name: sum(values) / len(values) for name, values in self.values.items()}

    def hooks(self) -> dict[str, Any]:
        return {
            "log_extra": lambda name, values: self.extra[name].extend(values),
            "log_metric": lambda name, value: self.values[name].append(value),
        }


def call(reward: RewardFunction, completions: list[Any], **columns: Any) -> list[float | None]:
    """As GRPOTrainer does: all by keyword, with arguments nobody asked for."""
    extra = {"prompts": ["q"] * len(completions), "completion_ids": [[1]] * len(completions), "trainer_state": object()}
    return reward(completions=completions, **{**extra, **columns})
