"""Unsloth: reward functions for the ``GRPOTrainer`` that it makes of TRL's.

::

    from unsloth import FastLanguageModel                # first, as Unsloth asks
    from assay.integrations.unsloth import reward_functions
    trainer = GRPOTrainer(model, reward_funcs=reward_functions(make("math/gsm8k-v1")), ...)

Unsloth rewrites the source of TRL's trainers (``unsloth/models/rl_replacements.py``) and keeps their contract for
reward functions: ``assay.integrations.trl.RewardFunction`` works as it is, and so do its failures: None, which TRL
leaves out of the group. What needs more than the contract does not: ``CurriculumGRPOTrainer`` refuses classes that
Unsloth made, since its resampling sits inside methods that Unsloth replaces.
"""

from __future__ import annotations

from typing import Any

from ..environments.base import Environment
from ..errors import InputError, Unsupported
from ..verifiers.base import Verifier
from .judging import named
from .trl.rewards import RewardFunction


def reward_functions(judge: Environment | Verifier[Any] | str, **options: Any) -> list[RewardFunction]:
    """A new list of reward functions, each with a name, as Unsloth's trainer logs them.

    Args:
        judge: An environment of a single turn, a verifier, or the name of either, as ``assay.integrations.judging`` has
            them.
        **options: See ``assay.integrations.trl.RewardFunction``.

    Raises:
        InputError: It is neither.
        Unsupported: The environment is played in several turns, with tools that Unsloth's trainer does not call.
    """
    if isinstance(judge, str):
        judge = named(judge)
    if isinstance(judge, Verifier):
        return [RewardFunction(judge, **options)]
    if not isinstance(judge, Environment):
        raise InputError(f"the judge is {judge!r:.100}; expected a verifier, an environment, or the name of one")
    if judge.environment_factory is not None:
        raise Unsupported(
            f"{judge.name} is played in several turns, for which its tools must be called by the trainer; "
            "train on it with TRL's own GRPOTrainer and make(...).trl()"
        )
    from .trl.spec import trl_arguments

    rewards: list[RewardFunction] = trl_arguments(judge, None, **options)["reward_funcs"]
    return rewards
