"""TRL: verifiers as reward functions, environments as trainer arguments, GRPO on groups that teach."""

from .completions import prefill_of
from .lint import lint_references
from .rewards import AsyncRewardFunction, RewardFunction
from .spec import trl_arguments

__all__ = ["AsyncRewardFunction", "RewardFunction", "lint_references", "prefill_of", "trl_arguments"]
