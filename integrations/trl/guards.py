"""Refuse, loudly and before training, a trainer that is not what dynamic sampling builds on."""

from __future__ import annotations

import inspect
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ...errors import InputError, Unsupported
from ...verifiers.base import Verifier
from .columns import check_columns
from .rewards import RewardFunction

# The private methods of GRPOTrainer and RLOOTrainer that are overridden, with their parameters (trl 1.9 to 1.16).
_METHODS = {
    "_generate": ("prompts",),
    "_calculate_rewards": ("inputs", "prompts", "completions", "completion_ids_list"),
    "_generate_and_score_completions": ("inputs",),
}
# What `_generate` returns by its length: where the completions and the extra fields are, where images are.
GENERATED = {8: (3, 5, (6, 7)), 3: (2, None, ())}


def trl_version() -> str:
    """The installed version of trl, for messages."""
    try:
        return version("trl")
    except PackageNotFoundError:
        return "unknown"


def check_trainer(upstream: type, own: type) -> None:
    """Raise ``Unsupported`` where ``upstream`` lacks a method, or one takes other arguments than it did.

    Args:
        upstream: The trainer class below ours.
        own: The class that is used, for Unsloth's marks among its bases.
    """
    patched = [base.__name__ for base in own.__mro__ if base.__name__.lstrip("_").startswith("Unsloth")]
    if patched:
        raise Unsupported(
            f"{patched[0]} is GRPOTrainer patched by Unsloth, whose generation differs; use assay's RewardFunction "
            "with it, but not resampling, masking or curricula"
        )
    for name, expected in _METHODS.items():
        method = getattr(upstream, name, None)
        found = tuple(inspect.signature(method).parameters)[1:] if method is not None else None
        if found != expected:
            state = "has no such method" if found is None else f"takes ({', '.join(found)})"
            advice = "Install trl>=1.9,<2, or train with GRPOTrainer and RewardFunction"
            if upstream.__name__.startswith("AsyncGRPO"):
                advice = "For asynchronous training, use AsyncCurriculumGRPOTrainer"
            raise Unsupported(
                f"{upstream.__name__}.{name} of trl {trl_version()} {state}; assay builds on {name}"
                f"({', '.join(expected)}). {advice}"
            )


def check_generated(generated: tuple[Any, ...], upstream: type) -> None:
    """Raise ``Unsupported`` where ``_generate`` returned another number of things than it did."""
    if len(generated) not in GENERATED:
        raise Unsupported(
            f"{upstream.__name__}._generate of trl {trl_version()} returned {len(generated)} values; assay knows the "
            f"forms with {' and '.join(map(str, sorted(GENERATED)))}. Install trl>=1.9,<2"
        )
    if any(any(generated[place] or ()) for place in GENERATED[len(generated)][2]):
        raise Unsupported("groups with images cannot be resampled yet; use CurriculumConfig(mode='mask') or 'off'")


def check_rewards(functions: list[Any], names: list[str], columns: list[str] | None, timeout_seconds: float) -> None:
    """Check reward functions of ours against the trainer they are used in.

    Args:
        functions: The trainer's reward functions.
        names: Their names in TRL's logs.
        columns: The columns of the training data set; None where they cannot be known.
        timeout_seconds: ``ddp_timeout``, after which other processes give up waiting.

    Raises:
        ColumnError: The data set lacks a column.
        InputError: One is a bare verifier, two have one name, or their deadlines together reach the timeout.
    """
    for function in functions:
        if isinstance(function, Verifier):
            function()  # says what to do instead
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"several reward functions are called {', '.join(twice)}; give each a name of its own")
    ours = [function for function in functions if isinstance(function, RewardFunction)]
    for function in ours:
        if columns is not None:
            check_columns(columns, function.wanted_columns, function.name)
    deadline = sum(function.deadline_seconds or 0.0 for function in ours)
    if deadline >= timeout_seconds:
        raise InputError(
            f"the deadlines of the rewards add up to {deadline:g} seconds, but other processes give up after "
            f"ddp_timeout={timeout_seconds:g}; lower deadline_seconds or raise ddp_timeout"
        )
