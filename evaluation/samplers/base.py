"""What a sampler is: prompts and seeds in, completions out, and a description of itself that a run is resumed by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...environments.base import Prompt
from ...environments.hashing import hashed_integer


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back for one prompt.

    Attributes:
        text: The completion; empty where sampling failed.
        tokens: Its length in tokens, None where unknown.
        truncated: Whether it was cut at the token limit.
        failure: Why there is no completion, in one sentence; empty when all went well. A failure is ours, never the
            model's: it stays in the denominator and is counted apart.
    """

    text: str
    tokens: int | None = None
    truncated: bool = False
    failure: str = ""


@runtime_checkable
class Sampler(Protocol):
    """Completes prompts. One of your own needs these three names and nothing else.

    A run resumes only under equal ``settings``.
    """

    @property
    def batch_size(self) -> int:
        """How many prompts ``sample`` is given at once."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that decides what is sampled, as JSON values by name; ``seed`` among them."""

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt, in order.

        Args:
            prompts: n texts or message lists.
            seeds: n numbers below 2**63, one a (task, sample): a completion depends on its prompt and its seed alone,
                as far as the backend allows.
        """


def sample_seed(seed: int, task: str, sample: int) -> int:
    """The seed of one (task, sample), below 2**63.

    Args:
        seed: Of the whole run.
        task: The task's id.
        sample: Its number.

    >>> sample_seed(0, "a", 1) == sample_seed(0, "a", 1) != sample_seed(0, "a", 2)
    True
    """
    return hashed_integer("sample", seed, task, sample) >> 193
