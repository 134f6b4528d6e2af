"""TRL: verifiers as reward functions, environments as trainer arguments, GRPO on groups that teach."""

from typing import TYPE_CHECKING, Any

from ...errors import MissingExtra
from .completions import prefill_of
from .lint import lint_references
from .rewards import AsyncRewardFunction, RewardFunction
from .spec import trl_arguments

if TYPE_CHECKING:
    from .async_trainer import AsyncCurriculumGRPOTrainer
    from .config import CurriculumConfig
    from .curriculum import CurriculumGRPOTrainer, CurriculumMixin
    from .monitor import Monitor

__all__ = [
    "AsyncCurriculumGRPOTrainer",
    "AsyncRewardFunction",
    "CurriculumConfig",
    "CurriculumGRPOTrainer",
    "CurriculumMixin",
    "Monitor",
    "RewardFunction",
    "lint_references",
    "prefill_of",
    "trl_arguments",
]


def __getattr__(name: str) -> Any:
    """Import what needs torch and trl, ten seconds' work, when it is asked for (docs/decisions/0050)."""
    try:
        return _import(name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("torch", "trl") from error


def _import(name: str) -> Any:
    if name == "CurriculumConfig":
        from .config import CurriculumConfig

        return CurriculumConfig
    if name in ("CurriculumGRPOTrainer", "CurriculumMixin"):
        from . import curriculum

        return getattr(curriculum, name)
    if name == "AsyncCurriculumGRPOTrainer":
        from .async_trainer import AsyncCurriculumGRPOTrainer

        return AsyncCurriculumGRPOTrainer
    if name == "Monitor":
        from .monitor import Monitor

        return Monitor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
