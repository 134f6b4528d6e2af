"""``bridge/verifiers-v1``: tasksets of PrimeIntellect's ``verifiers`` as environments of a single turn.

Read at ``verifiers`` 0.4.0, whose interface is ``verifiers.v1``; earlier interfaces are gone there.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from ...errors import InputError, MissingExtra
from ...registry import Registry
from ...verifiers.base import Result, Verifier
from ..base import Environment, Task

#: Tasksets by ``package.module:attribute`` or ``file.py:attribute``.
TASKSETS: Registry[Any] = Registry("taskset", {})


class TasksetVerifier(Verifier[str]):
    """Judges a completion with the rewards of its task.

    A task's rewards are named and weighted; the score is their weighted sum over the sum of the positive weights, cut
    to [0, 1], and correct is a sum that reaches it. Rewards that raise, give no finite number, or need a runtime of
    ``verifiers`` leave no score.

    Args:
        taskset: The taskset whose tasks are judged.
    """

    def __init__(self, taskset: Any) -> None:
        self.taskset = taskset
        self._tasks: dict[str, Any] = {}
        self._waiting: Iterator[Any] | None = None

    def _verify_batch(
        self, completions: list[str], references: list[str], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        async def judge() -> list[Result]:
            return [await self._judge(text, key) for text, key in zip(completions, references, strict=True)]

        with ThreadPoolExecutor(1) as pool:  # a loop of its own, wherever the caller may be
            return pool.submit(asyncio.run, judge()).result()

    async def _judge(self, completion: str, key: str) -> Result:
        task = self._find(key)
        if task is None:
            return Result.bad_reference(f"the taskset has no task with the key {key!r:.80}")
        if not completion.strip():
            return Result.no_answer("the completion is empty")
        try:
            trace = _trace(task, completion)
            await task.score(trace, None)
        except Exception as error:  # noqa: BLE001 - rewards are anybody's code
            return Result.error(f"the task's rewards raised {type(error).__name__}: {error}"[:500])
        return _result(completion, trace.rewards)

    def _find(self, key: str) -> Any:
        """The task called ``key``; the taskset is read on until it comes, and no task twice."""
        if self._waiting is None:
            self._waiting = iter(self.taskset)
        while key not in self._tasks:
            task = next(self._waiting, None)
            if task is None:
                return None
            self._tasks[task.key] = task
        return self._tasks[key]

    def __getstate__(self) -> dict[str, Any]:
        return {"taskset": self.taskset, "_tasks": {}, "_waiting": None}


class PrimeTaskset(Environment):
    """The tasks of one taskset, judged by the last message against the rewards they bring.

    Tasks that need a container, tools, or judging models are not for this bridge; run those with ``verifiers`` itself.

    Args:
        taskset: An installed taskset's id, as ``verifiers`` takes it, or its class or an instance as
            ``package.module:attribute`` or ``file.py:attribute``.
        test_share: The share of tasks that belongs to the split "test", decided by a hash of each task's key, so that
            the splits share no task; the rest is "train".
        config: Settings of the taskset.

    Raises:
        MissingExtra: The package ``verifiers`` is not installed.
        InputError: There is no such taskset, its tasks need a container, or another package is found by that name.
    """

    name = "bridge/verifiers-v1"
    splits: Mapping[str, int | None] = {"train": None, "test": None}  # type: ignore[misc]
    domain = "any"
    licence = "that of the taskset"
    source = "verifiers"

    def __init__(self, taskset: str, *, test_share: float = 0.1, config: Mapping[str, Any] | None = None) -> None:
        if not 0 < test_share < 1:
            raise InputError(f"test_share is {test_share!r}; expected a number between 0 and 1")
        self._taskset = _taskset(taskset, dict(config or {}))
        if self._taskset.task_type().NEEDS_CONTAINER:
            raise InputError(f"the tasks of {taskset!r} need a container; run them with verifiers itself")
        self._test_share = test_share
        self.verifier = TasksetVerifier(self._taskset)
        if self._taskset.INFINITE:
            vars(self).update(endless=frozenset(self.splits))  # a class attribute elsewhere

    def load(self, split: str) -> Iterator[Task]:
        """The tasks of the split, in the order of the taskset."""
        for task in self._taskset:
            if (int(task.hash, 16) / 16 ** len(task.hash) < self._test_share) == (split == "test"):
                yield Task(_prompt(task.data), task.key, None, {"key": task.key})

    def reference_completions(self, task: Task) -> Sequence[str]:
        """None: a taskset does not say what is right, only how to judge."""
        return ()


def _result(completion: str, rewards: Mapping[str, Any]) -> Result:
    missing = [name for name, reward in rewards.items() if reward is None]
    if missing or not rewards:
        which = ", ".join(missing) or "all of them"
        return Result.error(f"rewards that need a runtime of verifiers were not given: {which}")
    values = {name: (float(reward.score), float(reward.weight)) for name, reward in rewards.items()}
    if not all(math.isfinite(number) for pair in values.values() for number in pair):
        return Result.error(f"a reward is no finite number: {values}")
    highest = sum(weight for _, weight in values.values() if weight > 0)
    share = sum(score * weight for score, weight in values.values()) / highest if highest else 0.0
    details = {"rewards": {name: score for name, (score, _) in values.items()}}
    if highest and share >= 1 - 1e-9:
        return Result.correct(answer=completion.strip(), details=details)
    if 0 < share < 1:
        return Result.partial(share, answer=completion.strip(), details=details)
    return Result.incorrect(answer=completion.strip(), reason=f"the rewards come to {share:g}", details=details)


def _trace(task: Any, completion: str) -> Any:
    """What a rollout with this one answer would have left."""
    vf = _package()
    trace, types = (importlib.import_module(f"verifiers.v1.{name}") for name in ("trace", "types"))
    graph = importlib.import_module("verifiers.v1.graph")
    asked = [types.UserMessage(content=task.data.prompt_text)]
    nodes = [graph.MessageNode(message=asked[0])]
    nodes.append(graph.MessageNode(parent=0, message=types.AssistantMessage(content=completion), sampled=True))
    return trace.Trace(
        task=trace.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
        agent=trace.AgentInfo(config=vf.AgentConfig()),
        nodes=nodes,
    )


def _prompt(data: Any) -> list[dict[str, str]]:
    messages = [] if data.system_prompt is None else [{"role": "system", "content": data.system_prompt}]
    if isinstance(data.prompt, str) or data.prompt is None:
        return [*messages, {"role": "user", "content": data.prompt or ""}]
    return [*messages, *({"role": str(m.role), "content": str(m.content)} for m in data.prompt)]


def _taskset(name: str, settings: Mapping[str, Any]) -> Any:
    vf = _package()
    try:
        found = TASKSETS.get(name) if ":" in name else _by_id(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise InputError(f"verifiers has no taskset {name!r}: {error}") from error
    if isinstance(found, vf.Taskset):
        return found
    if not (isinstance(found, type) and issubclass(found, vf.Taskset)):
        raise InputError(f"{name!r} is {found!r:.100}; expected a taskset of verifiers, or its class")
    generic = importlib.import_module("verifiers.v1.utils.generic")
    kind = generic.concrete_type(found, vf.TasksetConfig, origin=vf.Taskset) or vf.TasksetConfig
    try:
        taskset = found(kind(**settings))
        next(islice(iter(taskset), 1), None)
    except (TypeError, ValueError) as error:
        raise InputError(f"the taskset {name!r} cannot be made with {dict(settings)}: {error}") from error
    return taskset


def _by_id(name: str) -> Any:
    return importlib.import_module("verifiers.v1.utils.loaders").taskset_class(name)


def _package() -> Any:
    try:
        # By name: a plain import of this word would find assay's own folder where the checkout is on the path.
        return importlib.import_module("verifiers.v1")
    except ImportError as error:
        found = importlib.util.find_spec("verifiers")
        if found is not None and found.origin and not (Path(found.origin).parent / "v1").exists():
            raise InputError(
                f"the package verifiers with its verifiers.v1 is needed, and {found.origin} is found first under that "
                "name; in a checkout of assay start the command assay, or python -P, and elsewhere take that file's "
                "folder off PYTHONPATH"
            ) from error
        raise MissingExtra("verifiers", "verifiers") from error
