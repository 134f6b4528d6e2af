"""Take TRL's generation step apart without copying it: capture what it generates, judge it, replay what is chosen.

TRL's ``_generate_and_score_completions`` prepares prompts, environments and tools, calls ``_generate``, then pads,
computes log-probabilities, calls ``_calculate_rewards`` and turns rewards into advantages. *Capture* runs it up to the
end of ``_generate``, where an exception of ours carries the completions out. *Replay* runs it whole, with ``_generate``
and ``_calculate_rewards`` answering what was captured and judged before. All else stays TRL's own code, whatever it
becomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import torch

from ...errors import Unsupported
from .guards import GENERATED, check_generated, trl_version


class _Captured(BaseException):
    """Carries a generation out of TRL's method; no ``except Exception`` on the way may keep it."""

    def __init__(self, prompts: list[Any], generated: tuple[Any, ...]) -> None:
        self.prompts = prompts
        self.generated = generated


class _Silent:
    """Stands for an environment whose rollout is over: nothing is reset twice."""

    def reset(self, **row: Any) -> None:
        """Say nothing, change nothing."""


@dataclass
class Rollout:
    """One completion of this process, ready to be trained on by any process.

    Attributes:
        inputs: Its data set row, with what a rollout function added.
        prompt: The prompt as it was answered, an environment's observation included.
        generated: Its share of what ``_generate`` returned; None for what is not by row.
        logged: What the rewards logged for it, by column.
    """

    inputs: dict[str, Any]
    prompt: Any
    generated: list[Any]
    logged: dict[str, Any]


@dataclass
class Round:
    """One generation: this process's rollouts and everybody's rewards.

    Attributes:
        rollouts: Of this process, in order.
        rewards: (rows of all processes, reward functions).
        correct: (rows of all processes,): 1, 0 or NaN; None where the signal is a value.
    """

    rollouts: list[Rollout]
    rewards: torch.Tensor
    correct: torch.Tensor | None


class _Step(NamedTuple):
    """How many values of each name the rewards logged in one step, and whether it drew again."""

    counts: dict[str, int]
    redrawn: bool


class CaptureMixin:
    """Capture and replay, for a class that stands before ``GRPOTrainer`` or ``RLOOTrainer`` among the bases."""

    accelerator: Any
    model: Any
    _pending_extra_logs: Any
    _pending_metrics: Any
    _metrics: Any
    _environment_pool: Any
    _phase: str | None = None
    _replayed: tuple[tuple[Any, ...], torch.Tensor, dict[str, list[Any]]] | None = None
    _constants: list[Any]
    _observed: Round | None = None
    _value_counts: dict[str, int]
    _steps: list[_Step]

    def _local_correctness(self, logged: dict[str, list[Any]], length: int) -> list[float] | None:
        """Which of these rows are correct; given by the class that decides what counts."""
        raise NotImplementedError

    def _generate(self, prompts: list[Any]) -> Any:
        if self._phase == "replay":
            assert self._replayed is not None
            return self._replayed[0]
        generated = super()._generate(prompts)  # type: ignore[misc]
        if self._phase == "capture":
            self._end_capture(prompts, generated)
        return generated

    def _end_capture(self, prompts: list[Any], generated: tuple[Any, ...]) -> NoReturn:
        raise _Captured(prompts, generated)

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> Any:
        if self._phase == "replay":
            assert self._replayed is not None
            for column, values in self._replayed[2].items():
                self._pending_extra_logs[column].extend(values)
            return self._replayed[1]
        before = {column: len(values) for column, values in self._pending_extra_logs.items()}
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)  # type: ignore[misc]
        self._value_counts = {name: len(values) for name, values in self._pending_metrics.items()}
        if self._phase is not None:
            new = {column: values[before.get(column, 0) :] for column, values in self._pending_extra_logs.items()}
            logged = {column: values for column, values in new.items() if len(values) == len(prompts)}
            correct = self._local_correctness(logged, len(prompts))
            rollouts = [
                Rollout(inputs[i], prompts[i], [], {column: values[i] for column, values in logged.items()})
                for i in range(len(prompts))
            ]
            self._observed = Round(rollouts, rewards, None if correct is None else self._gathered(correct))
        return rewards

    def _note_counts(self, *, redrawn: bool) -> None:
        """Keep how many values the rewards logged in the step that just ended, and whether it judged more than once."""
        from accelerate.utils import gather_object

        counts: Counter[str] = Counter()
        for one in gather_object([self._value_counts]):
            counts.update(one)
        self._steps.append(_Step(dict(counts), redrawn))

    def log(self, logs: dict[str, float], *rest: Any, **named: Any) -> None:
        """TRL's, with steps weighed: it logs the plain mean of the steps, though one that drew again judged more.

        Where none did, all is left as it is, to the last bit.
        """
        if self.model.training:
            if any(step.redrawn for step in self._steps):
                for name in {name for step in self._steps for name in step.counts}:
                    counts = [step.counts[name] for step in self._steps if name in step.counts]
                    means = self._metrics["train"][name]
                    if len(means) == len(counts):  # else something besides the rewards logs under this name
                        total = sum(mean * count for mean, count in zip(means, counts, strict=True))
                        self._metrics["train"][name] = [total / sum(counts)]
            self._steps.clear()
        super().log(logs, *rest, **named)  # type: ignore[misc]

    def _gathered(self, values: list[float]) -> torch.Tensor:
        local = torch.tensor(values, dtype=torch.float32, device=self.accelerator.device)
        gathered: torch.Tensor = self.accelerator.gather(local)
        return gathered

    @contextmanager
    def _in_phase(self, phase: str) -> Iterator[None]:
        self._phase = phase
        try:
            yield
        finally:
            self._phase = None

    def _observe(self, inputs: list[dict[str, Any]]) -> tuple[dict[str, Any], Round]:
        """TRL's step as it is, and what it judged."""
        with self._in_phase("observe"):
            output = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        assert self._observed is not None
        return output, self._observed

    def _collect(self, inputs: list[dict[str, Any]]) -> Round:
        """Generate and judge completions of these rows, and nothing more."""
        upstream: Any = super()
        with self._in_phase("capture"):
            try:
                upstream._generate_and_score_completions(inputs)
            except _Captured as captured:
                prompts, generated = captured.prompts, captured.generated
            else:
                raise Unsupported(f"_generate_and_score_completions of trl {trl_version()} does not call _generate")
            check_generated(generated, type(self))
            completions, extra, _ = GENERATED[len(generated)]
            if extra is not None:
                _merge_extra_fields(inputs, generated[extra])
            self._calculate_rewards(inputs, prompts, generated[completions], generated[1])
        round_, self._observed = self._observed, None
        self._pending_extra_logs.clear()
        assert round_ is not None
        by_row = [isinstance(part, list) and len(part) == len(inputs) for part in generated]
        self._constants = [None if row else part for part, row in zip(generated, by_row, strict=True)]
        if extra is not None:
            by_row[extra], self._constants[extra] = False, {}
        for i, rollout in enumerate(round_.rollouts):
            rollout.generated = [part[i] if row else None for part, row in zip(generated, by_row, strict=True)]
        self._by_row = by_row
        return round_

    def _replay(self, rollouts: list[Rollout], rewards: torch.Tensor) -> dict[str, Any]:
        """TRL's step on rollouts that exist already.

        Args:
            rollouts: This process's share of the batch.
            rewards: Those of the whole batch.
        """
        generated = tuple(
            [rollout.generated[place] for rollout in rollouts] if row else constant
            for place, (row, constant) in enumerate(zip(self._by_row, self._constants, strict=True))
        )
        columns = dict.fromkeys(column for rollout in rollouts for column in rollout.logged)
        logged = {column: [rollout.logged.get(column) for rollout in rollouts] for column in columns}
        inputs = [{**rollout.inputs, "prompt": rollout.prompt} for rollout in rollouts]
        self._replayed = (generated, rewards, logged)
        with self._in_phase("replay"), self._silenced_environments(len(rollouts)):
            output: dict[str, Any] = super()._generate_and_score_completions(inputs)  # type: ignore[misc]
        self._replayed = None
        return output

    @contextmanager
    def _silenced_environments(self, count: int) -> Iterator[None]:
        pool = getattr(self, "_environment_pool", None)
        if pool is None:
            yield
            return
        self._environment_pool = {name: [_Silent() for _ in range(count)] for name in pool}
        try:
            yield
        finally:
            self._environment_pool = pool


def _merge_extra_fields(inputs: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    """Give rows what a rollout function added: lists by row, anything else to each (trl's own rule)."""
    for i, row in enumerate(inputs):
        for name, values in fields.items():
            if not isinstance(values, list):
                row[name] = values
            elif i < len(values):
                row[name] = values[i]
