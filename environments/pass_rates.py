"""Pass rates of tasks: counts that fade as the policy changes, and what similar prompts say where there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .base import Prompt
from .difficulty import DifficultyModel, Floats

_PRIOR_ROLLOUTS = 4.0  # how many rollouts of its own outweigh what a prompt looks like


def informative_chance(passed: Floats, failed: Floats, group_size: int) -> Floats:
    """The chance that a group has both passes and failures, when the pass rate is Beta(passed, failed) distributed.

    1 - E[p^G] - E[(1-p)^G], where E[p^G] is the product over j < G of (passed + j) / (passed + failed + j). With much
    evidence this is 1 - p^G - (1-p)^G; with little it stays high, so that unknown tasks get their try.

    Args:
        passed: Pseudo-counts of passes, positive.
        failed: Pseudo-counts of failures, positive.
        group_size: G.

    Returns:
        Numbers in [0, 1], one for each pair.
    """
    steps = np.arange(group_size, dtype=np.float64)[:, None]
    total = passed + failed + steps
    all_pass = np.prod((passed + steps) / total, axis=0)
    all_fail = np.prod((failed + steps) / total, axis=0)
    chance: Floats = np.clip(1.0 - all_pass - all_fail, 0.0, 1.0)
    return chance


class PassRates:
    """What is believed about the pass rate of each task: a Beta distribution each.

    Args:
        keys: One key a task, all different, n of them.
        prompts: Their prompts, from which the rates of tasks that look alike are learned; None where each stands alone.
        half_life: After how many updates a judgement counts half.
    """

    def __init__(self, keys: Sequence[str], prompts: Sequence[Prompt] | None, *, half_life: float = 20.0) -> None:
        self._numbers = {key: number for number, key in enumerate(keys)}
        self._passed: Floats = np.zeros(len(keys))
        self._total: Floats = np.zeros(len(keys))
        self._decay = 0.5 ** (1.0 / half_life)
        self._model = None if prompts is None else DifficultyModel(prompts)

    def update(self, judged: Iterable[tuple[str, float, float]]) -> None:
        """Learn from one generation batch; older judgements fade.

        Args:
            judged: Key, number of passes and number of judged completions of each group. Unknown keys are left out.
        """
        self._passed *= self._decay
        self._total *= self._decay
        for key, passed, total in judged:
            if key in self._numbers:
                self._passed[self._numbers[key]] += passed
                self._total[self._numbers[key]] += total
        if self._model is not None:
            seen = np.flatnonzero(self._total > 1e-3)
            self._model.fit(seen, self._passed[seen], self._total[seen])

    def expected(self) -> Floats:
        """The expected pass rate of each task, n numbers in (0, 1)."""
        passed, failed = self._beliefs()
        return passed / (passed + failed)

    def informative(self, group_size: int) -> Floats:
        """The chance that a group of ``group_size`` completions of each task is informative, n numbers."""
        return informative_chance(*self._beliefs(), group_size)

    def tried(self) -> Floats:
        """How many completions of each task were judged, those of long ago counted less, n numbers."""
        return self._total

    def _beliefs(self) -> tuple[Floats, Floats]:
        """Pseudo-counts of passes and failures. Nothing judged yet means the uniform distribution."""
        if not self._total.any():
            return np.ones(len(self._total)), np.ones(len(self._total))
        prior = np.full(len(self._total), 0.5) if self._model is None else self._model.pass_rates()
        failed = self._total - self._passed
        return _PRIOR_ROLLOUTS * prior + self._passed, _PRIOR_ROLLOUTS * (1.0 - prior) + failed

    def state_dict(self) -> dict[str, Any]:
        """What ``load_state_dict`` takes, as JSON values; tasks that were never judged are left out."""
        counts = [
            [key, float(self._passed[number]), float(self._total[number])]
            for key, number in self._numbers.items()
            if self._total[number]
        ]
        return {"counts": counts, "model": None if self._model is None else self._model.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go back to a state; keys that are not known here are left out."""
        self._passed[:], self._total[:] = 0.0, 0.0
        for key, passed, total in state["counts"]:
            if key in self._numbers:
                self._passed[self._numbers[key]], self._total[self._numbers[key]] = passed, total
        if self._model is not None and state["model"] is not None:
            self._model.load_state_dict(state["model"])
