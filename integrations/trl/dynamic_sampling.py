"""Dynamic sampling: generate, leave out groups that teach nothing, draw others in their place, train on full batches.

The idea is DAPO's (Yu et al. 2025, https://arxiv.org/abs/2503.14476), with a bound on the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ...errors import NoSignal
from .capture import CaptureMixin, Rollout, Round
from .signals import Groups, GroupTest, judge_groups


@dataclass
class Batch:
    """What one generation batch cost and gave; the same on every process.

    Attributes:
        needed: Groups that a batch has.
        rounds: Generations beyond the first.
        groups: All groups generated, round by round.
        keys: Their tasks' keys.
        unfilled: Groups of the trained batch that teach nothing after all.
    """

    needed: int
    rounds: int = 0
    groups: list[Groups] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    unfilled: int = 0

    def judged(self) -> list[tuple[str, float, float]]:
        """Key, passes and judged completions of each group."""
        passed = [count for groups in self.groups for count in groups.passed]
        judged = [count for groups in self.groups for count in groups.judged]
        return list(zip(self.keys, passed, judged, strict=True))

    def metrics(self) -> dict[str, float]:
        """Numbers for the log."""
        generated = len(self.keys)
        alive = sum(sum(groups.alive) for groups in self.groups)
        return {
            "rounds": float(self.rounds),
            "generated_per_trained": generated / self.needed,
            "raw_dead": 1.0 - alive / generated,
            "raw_all_pass": sum(groups.all_pass for groups in self.groups) / generated,
            "raw_all_fail": sum(groups.all_fail for groups in self.groups) / generated,
            "trained_dead": self.unfilled / self.needed,
        }


@dataclass
class _Place:
    """Where a group is: its round and its number there, by all processes' count."""

    round_: int
    group: int


class DynamicSamplingMixin(CaptureMixin):
    """Rounds of generation until the batch is full of groups that teach.

    A subclass says which rows come next (``_draw_rows``) and what a group must be like (``_group_test``).
    """

    num_generations: Any
    reward_weights: Any
    _signal: Any
    _group_test: GroupTest

    def _draw_rows(self, groups: int, exclude: Sequence[str]) -> list[dict[str, Any]]:
        """This process's rows of ``groups`` further groups, none of the excluded keys where there are others."""
        raise NotImplementedError

    def _row_key(self, row: dict[str, Any]) -> str:
        """The key of a row's task."""
        raise NotImplementedError

    def _local_correctness(self, logged: dict[str, list[Any]], length: int) -> list[float] | None:
        correct: list[float] | None = self._signal.local_correctness(logged, length)
        return correct

    def _groups_of(self, round_: Round) -> Groups:
        verdicts = round_.correct is not None
        values = (
            round_.correct if round_.correct is not None else self._signal.values(round_.rewards, self.reward_weights)
        )
        return judge_groups(values, self.num_generations, self._group_test, are_verdicts=verdicts)

    def _keys_of(self, rows: Sequence[dict[str, Any]]) -> list[str]:
        """The keys of all processes' groups, in order."""
        keys: list[str] = _gather([self._row_key(row) for row in rows])
        return keys[:: self.num_generations]

    def _resample(
        self, rows: list[dict[str, Any]], *, max_rounds: int, oversample: float | None, on_exhausted: str
    ) -> tuple[dict[str, Any], Batch]:
        """TRL's generation step with dead groups replaced.

        Args:
            rows: This process's rows of the first round.
            max_rounds: Rounds beyond the first.
            oversample: Groups generated for each missing one; None for as many as the share of dead ones suggests.
            on_exhausted: "keep", "duplicate" or "raise".
        """
        local = len(rows)
        batch = Batch(local * self.accelerator.num_processes // self.num_generations)
        rounds: list[Round] = []
        alive: list[_Place] = []
        dead: list[_Place] = []
        while True:
            batch.keys += self._keys_of(rows)
            rounds.append(self._collect(rows))
            groups = self._groups_of(rounds[-1])
            batch.groups.append(groups)
            for number, good in enumerate(groups.alive):
                (alive if good else dead).append(_Place(len(rounds) - 1, number))
            missing = batch.needed - len(alive)
            if missing <= 0 or batch.rounds == max_rounds:
                break
            batch.rounds += 1
            rows = self._draw_rows(self._refill_size(missing, oversample, batch, len(alive)), batch.keys)
        chosen = self._filled(alive, dead, batch, on_exhausted)
        return self._train_on(chosen, rounds, local), batch

    def _refill_size(self, missing: int, oversample: float | None, batch: Batch, alive: int) -> int:
        """How many groups to generate, so that every process has equally many rows; at most a whole batch."""
        if oversample is None:  # rounded down, since a group that comes on top of a full batch is thrown away
            size = max(missing, math.floor(missing * len(batch.keys) / max(alive, 1)))
        else:
            size = math.ceil(missing * oversample)
        size = min(batch.needed, size)
        processes: int = self.accelerator.num_processes
        step = processes // math.gcd(processes, self.num_generations)
        return -(-size // step) * step

    def _filled(self, alive: list[_Place], dead: list[_Place], batch: Batch, on_exhausted: str) -> list[_Place]:
        missing = batch.needed - len(alive)
        if missing > 0 and on_exhausted == "raise":
            raise NoSignal(
                f"{missing} of {batch.needed} groups still teach nothing after {batch.rounds + 1} generations; "
                "choose easier or harder tasks, raise max_rounds, or set on_exhausted to 'keep' or 'duplicate'"
            )
        if missing > 0 and on_exhausted == "duplicate" and alive:
            alive = [alive[number % len(alive)] for number in range(batch.needed)]
        batch.unfilled = max(0, batch.needed - len(alive))
        return [*alive, *dead][: batch.needed]

    def _train_on(self, chosen: list[_Place], rounds: list[Round], local: int) -> dict[str, Any]:
        """Share the chosen groups out, ``local`` rows for each process, and run TRL's step on them."""
        size = self.num_generations
        offers: list[tuple[int, Rollout]] = []
        process = self.accelerator.process_index
        for position, place in enumerate(chosen):
            mine = len(rounds[place.round_].rollouts)
            for member in range(size):
                row = place.group * size + member - process * mine
                if 0 <= row < mine:
                    offers.append((position * size + member, rounds[place.round_].rollouts[row]))
        taken = dict(_gather(offers))
        rewards = torch.cat(
            [rounds[place.round_].rewards[place.group * size : (place.group + 1) * size] for place in chosen]
        )
        mine_from = process * local
        return self._replay([taken[mine_from + offset] for offset in range(local)], rewards)

    def _mask(self, rows: list[dict[str, Any]]) -> tuple[dict[str, Any], Batch]:
        """TRL's generation step with the rows of dead groups taken out of the loss and of what it is divided by."""
        keys = self._keys_of(rows)
        output, round_ = self._observe(rows)
        groups = self._groups_of(round_)
        batch = Batch(len(keys), groups=[groups], keys=keys, unfilled=len(keys) - sum(groups.alive))
        if not any(groups.alive):
            return output, batch  # nothing would be left to divide by; the advantages are zero anyway
        first = self.accelerator.process_index * len(rows)
        alive = [groups.alive[(first + row) // self.num_generations] for row in range(len(rows))]
        name = "tool_mask" if "tool_mask" in output else "completion_mask"
        keep = torch.tensor(alive, device=output[name].device).unsqueeze(1).to(output[name].dtype)
        output[name] = output[name] * keep
        counted = output["completion_mask"] * output["tool_mask"] if name == "tool_mask" else output["completion_mask"]
        output["num_items_in_batch"] = self.accelerator.gather(counted.sum()).sum()
        batch.unfilled = 0
        return output, batch


def _gather(items: list[Any]) -> list[Any]:
    from accelerate.utils import gather_object

    gathered: list[Any] = gather_object(items)
    return gathered
