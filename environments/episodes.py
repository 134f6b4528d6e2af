"""Tasks of several turns: ``Episode``, whose public methods are tools, and ``MultiTurnEnvironment``.

The contract is that of TRL's ``environment_factory`` (trl 1.16, ``GRPOTrainer``): a factory without arguments makes an
episode; ``reset(**row)`` starts it with the row's columns; every public method but ``reset`` and ``get_reward`` is
offered to the model as a tool; ``get_reward()`` is asked once, at the end. TRL makes one episode for each member of a
group, uses them again for later batches, and never closes them.
"""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

from ..errors import InputError
from ..verifiers.base import Result, Verifier
from .base import Environment, Task

#: A chat message; an assistant's may hold ``tool_calls``, each with ``function``: ``name`` and ``arguments``.
ChatMessage = Mapping[str, Any]
#: Gives the next assistant message, after the messages so far and with the tools there are.
Policy = Callable[[Sequence[ChatMessage], Sequence[Callable[..., Any]]], ChatMessage]


class Episode(ABC):
    """One rollout of a task of several turns.

    A subclass writes its tools as public methods, with type hints and a Google docstring: the model reads them. All
    else begins with an underscore. What a tool raises is told to the model. An episode is cheap to make, keeps all its
    state in itself, and begins anew at each ``reset``.
    """

    def reset(self, **row: Any) -> str | None:
        """Begin with the columns of a data set's row, of which ``answer`` holds the task's reference.

        Returns:
            What the model sees behind the prompt, or None.
        """
        return self._begin(row["answer"])

    @abstractmethod
    def _begin(self, reference: str) -> str | None:
        """Set the state from the reference alone: equal references, equal episodes."""


class ScoredEpisode(Episode):
    """An episode whose outcome is its state, not the model's last message."""

    def get_reward(self) -> float | None:
        """The score, None where a failure of ours leaves none; what TRL asks at the end."""
        return self._result().score

    @abstractmethod
    def _result(self) -> Result:
        """What has been reached so far."""


class ReplayVerifier(Verifier[str]):
    """Judges the tool calls of a rollout by making them again, in a fresh episode with the same reference.

    A completion is JSON text: the rollout's messages, or its calls alone, as ``[{"name": ..., "arguments": {...}}]``.
    Calls that the episode refuses are refused again; text without a call reaches nothing.

    Args:
        factory: Makes an episode.
    """

    def __init__(self, factory: Callable[[], ScoredEpisode]) -> None:
        self.factory = factory

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        calls = tool_calls(completion)
        episode = self.factory()
        try:
            episode.reset(answer=reference)
        except InputError as error:
            return Result.bad_reference(str(error))
        if calls is None:
            return Result.no_answer("the completion is not the JSON text of messages or tool calls")
        for name, arguments in calls:
            call_tool(episode, name, arguments)
        return episode._result()


class MultiTurnEnvironment(Environment):
    """An environment whose tasks take several turns, with tools.

    Subclasses name their ``episode``. References are text, and hold all that an episode is made of. Where the episode
    is scored (``ScoredEpisode``) the trainer takes the reward from it, and ``verifier`` is a ``ReplayVerifier`` unless
    a subclass sets another; elsewhere a subclass sets a ``verifier`` that judges the last message.

    Attributes:
        episode: The class of its episodes.
        most_turns: Assistant messages that ``play`` allows.
    """

    episode: ClassVar[type[Episode]]
    most_turns: ClassVar[int] = 10

    def __getattr__(self, name: str) -> Any:
        """Only called for what was not set: the verifier that replays, where episodes are scored."""
        if name != "verifier":
            return super().__getattr__(name)
        if not self.owns_reward:
            raise InputError(
                f"{type(self).__name__} has no verifier, and its {self._episode.__name__} no score; set self.verifier "
                "= MathVerifier(), or another one, for the last message, or make the episode a ScoredEpisode"
            )
        self.verifier = ReplayVerifier(cast(Callable[[], ScoredEpisode], self.environment_factory))
        return self.verifier

    @property
    def _episode(self) -> type[Episode]:
        found: object = getattr(type(self), "episode", None)
        if not (isinstance(found, type) and issubclass(found, Episode)):
            raise InputError(
                f"{type(self).__name__}.episode is {found!r}; expected the class of its episodes, a subclass of "
                "Episode or ScoredEpisode"
            )
        return found

    def episode_options(self) -> dict[str, Any]:
        """Keyword arguments for ``episode``; the same objects for all episodes of a process."""
        return {}

    @property
    def environment_factory(self) -> Callable[[], Episode]:
        """TRL's slot: makes an episode; picklable."""
        return partial(self._episode, **self.episode_options())

    @property
    def owns_reward(self) -> bool:
        """Whether the reward comes from the episodes, so that a trainer needs no reward function."""
        return issubclass(self._episode, ScoredEpisode)


class Played(NamedTuple):
    """A whole rollout.

    Attributes:
        messages: The prompt's messages and all that followed.
        result: Its judgement.
    """

    messages: list[ChatMessage]
    result: Result


def play(environment: MultiTurnEnvironment, task: Task, policy: Policy) -> Played:
    """Let a policy play one task to its end: a message without a tool call, or ``most_turns`` messages.

    Args:
        environment: Where the task comes from.
        task: What to play.
        policy: Gives the next assistant message; whatever calls a model will do.
    """
    episode = environment.environment_factory()
    prompt = [{"role": "user", "content": task.prompt}] if isinstance(task.prompt, str) else task.prompt
    messages: list[ChatMessage] = [dict(message) for message in prompt]
    observation = episode.reset(answer=task.reference)
    if observation:
        messages[-1] = {**messages[-1], "content": messages[-1]["content"] + observation}
    begin = len(messages)
    for _ in range(environment.most_turns):
        message = policy(messages, tools_of(episode))
        messages.append(message)
        calls = _calls_of([message])
        if not calls:
            break
        for name, arguments in calls:
            messages.append({"role": "tool", "name": name, "content": call_tool(episode, name, arguments)})
    if isinstance(episode, ScoredEpisode):
        return Played(messages, episode._result())
    said = [str(message.get("content") or "") for message in messages[begin:] if message.get("role") == "assistant"]
    return Played(messages, environment.verify(said[-1:], [task])[0])


def tools_of(episode: Episode) -> list[Callable[..., Any]]:
    """The methods that a trainer offers to the model as tools: all public ones but ``reset`` and ``get_reward``."""
    names = [name for name, _ in inspect.getmembers(type(episode), predicate=inspect.isfunction)]
    own = [name for name in names if not name.startswith("_") and name not in ("reset", "get_reward")]
    return [getattr(episode, name) for name in own]


def call_tool(episode: Episode, name: str, arguments: Mapping[str, Any]) -> str:
    """What a tool returns, or says when it refuses, as a trainer would tell the model."""
    tools = {tool.__name__: tool for tool in tools_of(episode)}
    if name not in tools:
        return json.dumps({"error": f"Tool {name} not found."})
    try:
        return str(tools[name](**arguments))
    except Exception as error:  # noqa: BLE001 - a model may pass anything; the trainer does the same
        return json.dumps({"error": str(error)})


def tool_calls(completion: str) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The calls in the JSON text of messages or of calls, in order; None where it is neither."""
    try:
        rows = json.loads(completion)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    return _calls_of(rows)


def calls_text(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Calls as the JSON text that ``tool_calls`` reads."""
    return json.dumps([{"name": name, "arguments": dict(arguments)} for name, arguments in calls])


def _calls_of(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    found = []
    for row in rows:
        for call in row.get("tool_calls") or ([row] if "arguments" in row else []):
            function = call.get("function", call) if isinstance(call, Mapping) else {}
            arguments = function.get("arguments")
            if isinstance(arguments, str):
                arguments = _loaded(arguments)
            if isinstance(arguments, Mapping) and isinstance(function.get("name"), str):
                found.append((function["name"], arguments))
    return found


def _loaded(text: str) -> Any:
    """Arguments that came as JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
