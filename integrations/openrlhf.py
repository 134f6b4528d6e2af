"""OpenRLHF: a reward function for ``--reward.remote_url my_reward.py``; the HTTP form is served by ``assay serve``.

The file has two lines::

    from assay.integrations.openrlhf import reward_function
    reward_func = reward_function("math/gsm8k-v1")

Read at OpenRLHF 0.11.2 (``utils/agent.py``, ``trainer/ppo_utils/samples_generator.py``): called in a thread with lists
of one; ``rewards`` become the reward, ``scores`` what ``--algo.dynamic_filtering_enable`` looks at, ``extra_logs``
metrics. Queries are prompt and response with their special tokens; the prompt and what ends the turn are cut off.

**Failures of the judge.** What the function raises OpenRLHF logs as "Failed to fetch reward", and the sample is left
without a reward, at which it stops when it makes experiences, unless it has a reward model. That is ``on_failure``
"raise"; a number is the other choice, and ``judge_failed`` counts such rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..environments.base import Environment
from ..errors import InputError, MissingExtra
from ..verifiers.base import Verifier
from .by_prompt import PROMPT
from .completed import completion_in
from .judging import Judge, OnFailure, measures


def reward_function(
    judge: Verifier[Any] | Environment | str,
    options: Mapping[str, Any] | None = None,
    *,
    on_failure: OnFailure = "raise",
) -> Callable[..., dict[str, Any]]:
    """A function ``reward_func(queries, prompts, labels)``.

    Args:
        judge: As ``Judge`` takes it. OpenRLHF hands over no columns: those that an environment's verifier reads are
            looked up in its tasks, by the prompt.
        options: For a judge given by name, what it is made with.
        on_failure: "raise", or the reward of what could not be judged.

    Returns:
        A function that returns ``rewards``, ``scores`` (right or wrong, apart from shaping) and ``extra_logs``, each a
        tensor with n numbers. It raises ``VerifierFailed`` where a judge failed and ``on_failure`` is "raise".
    """
    found = Judge(judge, options, on_failure=on_failure).by_prompt()

    def reward_func(
        queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **unused: Any
    ) -> dict[str, Any]:
        return _judged(found, queries, prompts, labels)

    return reward_func


def _judged(judge: Judge, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
    """What OpenRLHF reads of a batch."""
    if not len(queries) == len(prompts) == len(labels):
        raise InputError(
            f"{len(queries)} queries came with {len(prompts)} prompts and {len(labels)} labels; expected one each"
        )
    texts = [completion_in(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    results = judge.judge(texts, labels, [{PROMPT: prompt} for prompt in prompts])
    rows = [measures(result) for result in results]
    logs = {name: _tensor([row[name] for row in rows]) for name in ("no_answer", "limit_exceeded", "judge_failed")}
    return {
        "rewards": _tensor([judge.reward(result) for result in results]),
        "scores": _tensor([row["acc"] for row in rows]),
        "extra_logs": logs,
    }


def _tensor(numbers: Sequence[float]) -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "trl") from error
    return torch.tensor(numbers, dtype=torch.float32)
