"""PrimeIntellect's ``verifiers``: our judges as its rewards; ``bridge/verifiers-v1`` is the way back.

The interface ``verifiers.v1``, a reward of one's own tasks::

    class Sums(vf.Task[Data]):
        correct = task_reward(MathVerifier(), reference="answer")    # a field of the task's data

The older interface, up to 0.3, a rubric::

    environment = vf.SingleTurnEnv(dataset=dataset, rubric=rubric(MathVerifier()))    # the column "answer"

Read at verifiers 0.4.0 (``v1/task.py``) and 0.1.9 (``rubrics/rubric.py``). The package is imported by its name as text,
since a plain import would find assay's own folder where the checkout is on the path.

**Failures of the judge.** In ``verifiers.v1`` what a reward raises is an error of the task: the trace keeps it and has
no score. An older rubric makes 0 of what a function raises; this one does not let it, and raises ``VerifierFailed`` out
of the scoring, or gives the number that ``on_failure`` is.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..environments.base import Environment
from ..errors import ColumnError, MissingExtra, Unsupported, VerifierFailed
from ..verifiers.base import Verifier
from .judging import Judge, OnFailure
from .trl.completions import completion_text


def task_reward(
    judge: Verifier[Any] | Environment | str,
    options: Mapping[str, Any] | None = None,
    *,
    reference: str = "answer",
    name: str = "correct",
    weight: float = 1.0,
) -> Any:
    """A reward for the body of a class of ``verifiers.v1`` tasks.

    Args:
        judge: As ``Judge`` takes it.
        options: For a judge given by name, what it is made with.
        reference: The field of the task's data that holds the reference; an environment's columns are fields too.
        name: The reward's name in traces.
        weight: Its weight there.

    Raises:
        MissingExtra: The package is not installed.
        Unsupported: It has no ``verifiers.v1``.
    """
    found = Judge(judge, options)

    async def reward(self: Any, trace: Any) -> float:
        row = self.data.model_dump()
        if reference not in row:
            raise ColumnError(f"the task's data have no field {reference!r}; they have {', '.join(sorted(row))}")
        [result] = await asyncio.to_thread(found.judge, [trace.last_reply], [row[reference]], [row])
        return found.reward(result)

    reward.__name__ = reward.__qualname__ = name
    return _package("verifiers.v1").reward(reward, weight=weight)


def rubric(
    judge: Verifier[Any] | Environment | str,
    options: Mapping[str, Any] | None = None,
    *,
    name: str = "correct",
    on_failure: OnFailure = "raise",
) -> Any:
    """A ``Rubric`` of the older interface, with one reward; more can be added to it.

    Args:
        judge: As ``Judge`` takes it. The reference is the row's ``answer``; an environment's columns are looked up in
            the row's ``info``.
        options: For a judge given by name, what it is made with.
        name: The reward's name among the metrics.
        on_failure: "raise", or the reward of what could not be judged.

    Raises:
        MissingExtra: The package is not installed.
        Unsupported: It has no rubrics any more.
    """
    found = Judge(judge, options, on_failure=on_failure)
    base: Any = getattr(_package("verifiers"), "Rubric", None)
    if base is None:
        raise Unsupported("this version of verifiers has no Rubric; it has verifiers.v1: use task_reward there")

    async def reward(completion: Any, answer: Any, state: Any, info: Any = None) -> float:
        [result] = await asyncio.to_thread(found.judge, [completion_text(completion)], [answer], [info or {}])
        state["judge_failed"] = ""
        try:
            return found.reward(result)
        except VerifierFailed as error:
            state["judge_failed"] = str(error)
            return 0.0  # never seen: the scoring raises below

    reward.__name__ = reward.__qualname__ = name
    return _strict(base)(funcs=[reward], weights=[1.0])


@cache
def _strict(base: Any) -> Any:
    """The class of rubrics that let no failure of the judge become a zero."""

    class AssayRubric(base):  # type: ignore[misc]
        """Scores as its base does, and then raises where the judge failed."""

        async def score_rollout(self, state: Any, *given: Any, **named: Any) -> None:
            """Score one rollout."""
            await super().score_rollout(state, *given, **named)
            _refuse_failures([state])

        async def score_group(self, states: Sequence[Any], *given: Any, **named: Any) -> None:
            """Score a group."""
            await super().score_group(states, *given, **named)
            _refuse_failures(states)

    return AssayRubric


def _refuse_failures(states: Sequence[Any]) -> None:
    for state in states:
        failure = state.get("judge_failed", "the judge was not asked")
        if failure:
            raise VerifierFailed(failure)


def _package(name: str) -> Any:
    try:
        importlib.import_module("verifiers")
    except ImportError as error:
        raise MissingExtra("verifiers", "verifiers") from error
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unsupported("this version of verifiers has no verifiers.v1; use rubric there") from error
