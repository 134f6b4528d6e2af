"""The asynchronous rollout loop of TRL, less the groups that teach nothing; it runs in TRL's spawned child process.

TRL's loop generates without end and hands each scored group to the trainer through a queue. A dead group is one whose
scoring gives no samples: generation goes on, so another takes its place. Nothing of TRL is copied: its own
``_score_group`` scores, and ours looks at what came out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...errors import NoSignal
from .signals import Groups, GroupTest, Signal, judge_groups


@dataclass(frozen=True)
class DropSettings:
    """When a group is dropped; picklable, since it travels to the child process.

    Attributes:
        test: When a group is worth training on.
        signal: What counts as correct, as in ``CurriculumConfig``.
        drops: Whether dead groups are dropped at all, or only counted.
        most_in_a_row: After so many dead groups in a row the next one is let through, or ends the run.
        raises: Whether it ends the run.
    """

    test: GroupTest
    signal: str | None
    drops: bool
    most_in_a_row: int
    raises: bool


class _Hooks:
    """TRL's two log hooks for reward functions, which its asynchronous loop lacks; each call is of one group."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {}
        self.metrics: list[tuple[str, float]] = []

    def log_extra(self, column: str, values: list[Any]) -> None:
        self.columns[column] = list(values)

    def log_metric(self, name: str, value: float) -> None:
        self.metrics.append((name, float(value)))


class InformativeRolloutLoop:
    """Goes before TRL's ``_AsyncRolloutLoop`` or a class made from it.

    Args:
        settings: When a group is dropped.
        dropped: A queue between processes that takes the numbers of dropped groups, for the trainer.
        **options: The loop's own.
    """

    reward_funcs: Sequence[Any]
    reward_func_names: list[str]
    _rates: dict[str, list[float]]

    def __init__(self, *, settings: DropSettings, dropped: Any, **options: Any) -> None:
        super().__init__(**options)
        self._settings = settings
        self._dropped = dropped
        self._dead_in_a_row = 0
        functions = [*self.reward_funcs, *[None] * (len(self.reward_func_names) - len(self.reward_funcs))]
        self._signal = Signal(functions, self.reward_func_names, settings.signal)

    async def _score_group(self, group: Any) -> list[Any]:
        hooks = _Hooks()
        group.reward_kwargs = {
            **group.reward_kwargs,
            "log_extra": hooks.log_extra,
            "log_metric": hooks.log_metric,
        }
        samples: list[Any] = await super()._score_group(group)  # type: ignore[misc]
        for name, value in hooks.metrics:
            self._count(name, value)
        groups = self._judge(samples, hooks.columns, len(group.completions))
        [alive] = groups.alive
        kept = alive or not self._settings.drops or self._is_let_through()
        self._dead_in_a_row = 0 if alive else self._dead_in_a_row + 1
        self._count("curriculum/raw_dead", float(not alive))
        self._count("curriculum/raw_all_pass", float(groups.all_pass))
        self._count("curriculum/raw_all_fail", float(groups.all_fail))
        self._count("curriculum/generated_per_trained", 1.0, float(kept))
        if kept:
            self._count("curriculum/trained_dead", float(not alive))
            return samples
        self._dropped.put(group.group_id)
        return []

    def _judge(self, samples: Sequence[Any], columns: dict[str, list[Any]], size: int) -> Groups:
        correct = self._signal.local_correctness(columns, size)
        if correct is not None:
            return judge_groups(torch.tensor(correct), size, self._settings.test, are_verdicts=True)
        # A conversation may give several samples, all with its rewards.
        metrics = list({id(sample.completion): sample.metrics for sample in samples}.values())
        if not metrics:
            return Groups([0], [0], [False])
        rewards = torch.tensor([[one[f"rewards/{name}"] for name in self.reward_func_names] for one in metrics])
        values = self._signal.values(rewards, torch.ones(rewards.shape[1]))
        return judge_groups(values, len(metrics), self._settings.test, are_verdicts=False)

    def _is_let_through(self) -> bool:
        """Whether a dead group is trained on all the same, so that the trainer does not wait for ever."""
        if (self._dead_in_a_row + 1) % self._settings.most_in_a_row:
            return False
        if self._settings.raises:
            raise NoSignal(
                f"{self._dead_in_a_row + 1} groups in a row teach nothing; choose easier or harder tasks, raise "
                "max_rounds, or set on_exhausted='keep'"
            )
        return True

    def _count(self, name: str, value: float, of: float = 1.0) -> None:
        """Add to a mean that TRL logs as the sum of values by the sum of ``of``."""
        if not math.isnan(value):
            self._rates.setdefault(name, [0.0, 0.0])
            self._rates[name][0] += value
            self._rates[name][1] += of


def informative_loop(loop_class: type, settings: DropSettings, dropped: Any, **options: Any) -> Any:
    """What the child process makes instead of ``loop_class``: the same one that drops dead groups."""
    dropped.cancel_join_thread()  # the child may end though the trainer reads no more
    made = type(f"Informative{loop_class.__name__.lstrip('_')}", (InformativeRolloutLoop, loop_class), {})
    return made(settings=settings, dropped=dropped, **options)
