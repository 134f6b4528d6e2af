"""NeMo-RL: an environment that judges the assistant's answer and ends the episode.

In the training script, before the environments are made::

    from assay.integrations.nemo_rl import register
    register("assay")

and in its configuration ``env: {assay: {judge: math/gsm8k-v1}}``, where wanted with ``options``, ``reference`` (the
name in the metadata, ``ground_truth``) and ``on_failure``.

Read at NeMo-RL's repository of 2026 (``environments/interfaces.py``, ``environments/utils.py``,
``environments/math_environment.py``, ``distributed/ray_actor_environment_registry.py``); PyPI's nemo-rl is a
placeholder. The environment is a Ray actor, called with whole batches.

**Failures of the judge.** Rewards are one tensor, in which a NaN would reach every advantage of its group. So
``on_failure`` is "raise", which ends the run with the reason, or a number; the metric ``judge_failed`` counts such
rows.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..errors import ColumnError, InputError, Unsupported
from ..verifiers.base import Result
from .judging import judge_of
from .trl.completions import completion_text

_PATH = f"{__name__}.AssayEnvironment"


def register(name: str = "assay") -> None:
    """Make the environment known to NeMo-RL under a name, with the interpreter that runs this."""
    utils = _module("nemo_rl.environments.utils")
    utils.register_env(name, _PATH)
    registry = _module("nemo_rl.distributed.ray_actor_environment_registry")
    executables = _module("nemo_rl.distributed.virtual_cluster").PY_EXECUTABLES
    registry.ACTOR_ENVIRONMENT_REGISTRY[_PATH] = executables.SYSTEM


class Stepping:
    """What the actor does, apart from NeMo-RL's types.

    Args:
        settings: ``judge``, and where wanted ``options``, ``reference`` and ``on_failure``.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        if not isinstance(settings.get("judge"), str):
            raise InputError(f"the judge of this environment is {settings.get('judge')!r}; expected the name of one")
        self._judge = judge_of(settings["judge"], settings.get("options"), settings.get("on_failure", "raise"))
        self._reference = settings.get("reference", "ground_truth")
        self._failed = 0

    def judged(self, logs: Sequence[Any], metadata: Sequence[Mapping[str, Any]]) -> tuple[list[Result], list[float]]:
        """Results and rewards of a batch of message logs, each judged by its last assistant message.

        Raises:
            ColumnError: Metadata lack the reference.
            InputError: A log holds no message of the assistant: it says nothing of the policy, so 0 would be wrong.
            VerifierFailed: The judge failed, and there is no number for that.
        """
        for row in metadata:
            if self._reference not in (row or {}):
                have = ", ".join(sorted(row or {})) or "nothing"
                raise ColumnError(f"metadata lack {self._reference!r}; they have {have}")
        for number, log in enumerate(logs):
            roles = [message.get("role") for message in log]
            if "assistant" not in roles:
                said = ", ".join(map(str, roles)) or "nothing"
                raise InputError(f"message log {number} has no message of the assistant to judge; it has {said}")
        references = [row[self._reference] for row in metadata]
        results = self._judge.judge([completion_text(log) for log in logs], references, metadata)
        self._failed += sum(result.verdict.is_ours for result in results)
        return results, [self._judge.reward(result) for result in results]

    def metrics(self, mean_reward: float, full: float) -> dict[str, float]:
        """By name, with the number of rows that could not be judged since this was last asked."""
        failed, self._failed = self._failed, 0
        return {"mean_reward": mean_reward, "share_of_full_rewards": full, "judge_failed": float(failed)}


@cache
def _environment() -> Any:
    """The actor's class; its base is NeMo-RL's."""
    interfaces, ray, torch = _module("nemo_rl.environments.interfaces"), _module("ray"), _module("torch")

    base: Any = interfaces.EnvironmentInterface

    class AssayEnvironment(base):  # type: ignore[misc]
        """One answer, judged."""

        def __init__(self, cfg: Mapping[str, Any]) -> None:
            self._stepping = Stepping(cfg)

        def step(self, message_log_batch: Sequence[Any], metadata: Sequence[Any]) -> Any:
            """Judge a batch; every episode is over."""
            results, rewards = self._stepping.judged(message_log_batch, metadata)
            return interfaces.EnvironmentReturn(
                observations=[{"role": "environment", "content": f"Environment: {r.verdict}"} for r in results],
                metadata=list(metadata),
                next_stop_strings=[None] * len(results),
                rewards=torch.tensor(rewards, dtype=torch.float32),
                terminateds=torch.ones(len(results)),
                answers=[result.answer for result in results],
            )

        def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
            """The batch as it is, and its mean reward, share of full rewards, and rows that could not be judged."""
            rewards = torch.as_tensor(batch["rewards"], dtype=torch.float32)
            return batch, self._stepping.metrics(float(rewards.mean()), float((rewards == 1).float().mean()))

        def shutdown(self) -> None:
            """Nothing: what a verifier opened ends with the actor's process."""

    return ray.remote(max_restarts=-1, max_task_retries=-1)(AssayEnvironment)


def __getattr__(name: str) -> Any:
    """``AssayEnvironment``, made when asked for."""
    if name == "AssayEnvironment":
        return _environment()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unsupported(
            f"{name} cannot be imported ({error}); install NeMo-RL from its repository, github.com/NVIDIA-NeMo/RL, "
            "since the nemo-rl of PyPI is a placeholder"
        ) from error
