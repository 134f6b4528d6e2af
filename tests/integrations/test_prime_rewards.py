"""Judges as rewards of PrimeIntellect's verifiers: its present interface for real, the older one as it was recorded."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from typing import Any

import pytest

from assay import Result, Verifier
from assay.environments.bridge.prime import _trace
from assay.errors import MissingExtra, Unsupported, VerifierFailed
from assay.integrations import prime

MATH = "assay.verifiers:MathVerifier"


class Broken(Verifier[Any]):
    """Fails at one completion."""

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        if completion == "break":
            raise RuntimeError("gone")
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


class RecordedRubric:
    """verifiers 0.1.9, rubrics/rubric.py: what a reward function raises becomes 0.0."""

    def __init__(self, funcs: list[Any], weights: list[float]) -> None:
        self.funcs, self.weights = funcs, weights

    async def _call(self, func: Any, state: dict[str, Any]) -> float:
        merged = {"completion": state["completion"], "answer": state["answer"], "state": state, "info": state["info"]}
        try:
            return float(await func(**{name: merged[name] for name in inspect.signature(func).parameters}))
        except Exception:
            return 0.0

    async def score_rollout(self, state: dict[str, Any], score_sem: Any) -> None:
        scores = [await self._call(func, state) for func in self.funcs]
        state["reward"] = sum(score * weight for score, weight in zip(scores, self.weights, strict=True))
        state["metrics"] = {func.__name__: score for func, score in zip(self.funcs, scores, strict=True)}

    async def score_group(self, states: list[dict[str, Any]], score_sem: Any) -> None:
        for state in states:
            await self.score_rollout(state, score_sem)


def state(text: str) -> dict[str, Any]:
    times = {"scoring_ms": 0.0, "total_ms": 0.0}
    unread = {"prompt": [], "task": "", "timing": times, "trajectory": []}
    return {"completion": [{"role": "assistant", "content": text}], "answer": "1", "info": {}, **unread}


def test_an_older_rubric_lets_no_failure_become_a_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("verifiers")
    if not hasattr(package, "Rubric"):
        monkeypatch.setattr(package, "Rubric", RecordedRubric, raising=False)
    states = [state("1"), state("2")]
    asyncio.run(prime.rubric(Broken(), name="right").score_group(states, score_sem=asyncio.Semaphore(4)))
    assert [found["reward"] for found in states] == [1.0, 0.0]
    assert states[0]["metrics"] == {"right": 1.0}
    for scoring, argument in (("score_rollout", state("break")), ("score_group", [state("1"), state("break")])):
        with pytest.raises(VerifierFailed, match="gone"):
            asyncio.run(getattr(prime.rubric(Broken()), scoring)(argument, score_sem=asyncio.Semaphore(4)))
    kept = state("break")
    asyncio.run(prime.rubric(Broken(), on_failure=0.5).score_rollout(kept, score_sem=asyncio.Semaphore(4)))
    assert kept["reward"] == 0.5


def test_a_version_without_the_interface_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.import_module("verifiers")
    monkeypatch.delattr(package, "Rubric", raising=False)
    with pytest.raises(Unsupported, match="has no Rubric; it has verifiers.v1: use task_reward"):
        prime.rubric(MATH)
    monkeypatch.setitem(sys.modules, "verifiers.v1", None)
    with pytest.raises(Unsupported, match="has no verifiers.v1; use rubric there"):
        prime.task_reward(MATH)


def test_a_reward_of_v1_judges_a_trace_and_a_failure_is_an_error_of_the_task() -> None:
    vf = pytest.importorskip("verifiers.v1")
    errors = importlib.import_module("verifiers.v1.errors")

    class Data(vf.TaskData):  # type: ignore[misc, name-defined]
        answer: str = ""

    class Sums(vf.Task[Data]):  # type: ignore[misc, name-defined]
        right = prime.task_reward(Broken(), name="right", weight=0.5)

    task = Sums(Data(prompt="?", answer="1"))
    trace = _trace(task, "1")
    asyncio.run(task.score(trace, None))
    assert (trace.rewards["right"].score, trace.rewards["right"].weight) == (1.0, 0.5)
    broken = _trace(task, "break")
    with pytest.raises(errors.TaskError, match="gone"):
        asyncio.run(task.score(broken, None))
    assert broken.rewards["right"] is None


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("verifiers", "verifiers.v1"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (prime.rubric, prime.task_reward):
        with pytest.raises(MissingExtra, match=r"'verifiers' is not installed. Install it with: pip"):
            call(MATH)
