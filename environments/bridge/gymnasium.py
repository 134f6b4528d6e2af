"""``bridge/gymnasium-v1``: step environments of Gymnasium that can be read as text, as tasks of several turns."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from ...errors import InputError, MissingExtra
from ...verifiers.base import Result
from ..base import Task
from ..episodes import Episode, MultiTurnEnvironment, ReplayVerifier, ScoredEpisode
from ..procedural import ProceduralEnvironment
from ..rows import asked

#: Words for the actions of the toy-text environments, in the order of their numbers.
_ACTIONS: Mapping[str, Sequence[str]] = {
    "Blackjack": ("stick", "hit"),
    "CliffWalking": ("up", "right", "down", "left"),
    "FrozenLake": ("left", "down", "right", "up"),
    "Taxi": ("south", "north", "east", "west", "pick up", "drop off"),
}
# Where a picture marks a place by its colour, the mark becomes a pair of brackets.
_MARKED = re.compile(r"\x1b\[\d+m(.)\x1b\[0m", re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class GymnasiumEpisode(ScoredEpisode):
    """One run of a Gymnasium environment.

    Args:
        environment_id: Its id.
        options: What ``gymnasium.make`` is given beside.
        actions: Words for the actions, in the order of their numbers.
        goal: The sum of rewards from which the run counts as solved.
        most_steps: Actions allowed.
    """

    def __init__(
        self, environment_id: str, options: Mapping[str, Any], actions: Sequence[str], goal: float, most_steps: int
    ) -> None:
        self._id = environment_id
        self._options = dict(options)
        self._actions = tuple(actions)
        self._goal = goal
        self._most_steps = most_steps
        self._environment: Any = None

    def _begin(self, reference: str) -> str:
        try:
            seed = int(json.loads(reference)["seed"])
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"the reference {reference!r:.100} holds no seed") from error
        if self._environment is None:
            self._environment = open_text_environment(self._id, self._options)
        observation, _ = self._environment.reset(seed=seed)
        self._total, self._steps, self._ended = 0.0, 0, False
        return f"\n\n{self._seen(observation)}"

    def act(self, action: str) -> str:
        """Take an action.

        Args:
            action: One of the actions named in the task.

        Returns:
            What you see then.
        """
        if self._ended or self._steps >= self._most_steps:
            raise InputError("the run has ended" if self._ended else f"all {self._most_steps} steps are used")
        known = {name.casefold(): number for number, name in enumerate(self._actions)}
        number = known.get(str(action).strip().casefold())
        if number is None:
            raise InputError(f"action is {action!r:.60}; expected one of {', '.join(self._actions)}")
        self._steps += 1
        observation, reward, terminated, truncated, _ = self._environment.step(number)
        self._total += float(reward)
        self._ended = bool(terminated or truncated)
        return self._seen(observation) + ("\nThe run has ended." if self._ended else "")

    def _seen(self, observation: Any) -> str:
        picture = self._environment.render() if self._environment.render_mode == "ansi" else None
        if not isinstance(picture, str):
            return f"You see {observation}."
        return _COLOUR.sub("", _MARKED.sub(r"[\1]", picture)).rstrip()

    def _result(self) -> Result:
        said = f"{self._total:g} after {self._steps} steps; solved is {self._goal:g}"
        if not self._steps:
            return Result.no_answer("no action was taken")
        if self._total >= self._goal:
            return Result.correct(answer=f"{self._total:g}", reason=said)
        return Result.incorrect(answer=f"{self._total:g}", reason=said)


class GymnasiumEnvironment(MultiTurnEnvironment, ProceduralEnvironment):
    """Runs of one Gymnasium environment, told apart by their seeds, which no two splits share.

    It must have numbered actions, and show itself as text: by the render mode "ansi", or by an observation that is a
    number, a text, or a tuple of such.

    Args:
        environment_id: Its id, such as "FrozenLake-v1".
        seed: Another seed draws other runs.
        train_size: Tasks of the split "train"; None makes it endless.
        goal: The sum of rewards from which a run counts as solved.
        most_steps: Actions allowed in a run.
        actions: Words for the actions; known for the toy-text environments, else the numbers.
        options: What ``gymnasium.make`` is given beside, as ``{"is_slippery": False}``.

    Raises:
        MissingExtra: Gymnasium is not installed.
        InputError: There is no such environment, or it cannot be read as text.
    """

    name = "bridge/gymnasium-v1"
    LEVELS: ClassVar[Sequence[int]] = (1,)
    episode: ClassVar[type[Episode]] = GymnasiumEpisode
    most_turns: ClassVar[int] = 60
    domain = "games"
    source = "gymnasium"

    def __init__(
        self,
        environment_id: str = "FrozenLake-v1",
        *,
        seed: int = 0,
        train_size: int | None = 20_000,
        goal: float = 1.0,
        most_steps: int = 50,
        actions: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(seed=seed, train_size=train_size)
        opened = open_text_environment(environment_id, dict(options or {}))
        count = int(opened.action_space.n)
        opened.close()
        known = _ACTIONS.get(environment_id.rpartition("-v")[0])
        self._actions = tuple(actions or known or map(str, range(count)))
        if len(self._actions) != count:
            raise InputError(f"{environment_id} has {count} actions; {len(self._actions)} words were given")
        self._arguments = {
            "environment_id": environment_id,
            "options": dict(options or {}),
            "actions": self._actions,
            "goal": goal,
            "most_steps": most_steps,
        }
        self.verifier = ReplayVerifier(self.environment_factory)  # type: ignore[arg-type]  # its episodes are scored

    def episode_options(self) -> dict[str, Any]:
        """What an episode is made of."""
        return self._arguments

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A run; its content is its seed."""
        seed = random.getrandbits(31)
        content = (
            f"You are in {self._arguments['environment_id']} of Gymnasium, run {seed}. Call act with one of these "
            f"actions, one at a time: {', '.join(self._actions)}. You have {self._arguments['most_steps']} steps; the "
            f"rewards of the run must come to {self._arguments['goal']:g}."
        )
        reference = json.dumps({"id": self._arguments["environment_id"], "seed": seed})
        return reference, Task(asked(content), reference)

    def reference_completions(self, task: Task) -> Sequence[str]:
        """None: no solver is known for any environment whatever."""
        return ()


def open_text_environment(environment_id: str, options: Mapping[str, Any]) -> Any:
    """A Gymnasium environment that can be read and acted in as text.

    Raises:
        MissingExtra: Gymnasium is not installed.
        InputError: There is no such environment, or it is not of that kind.
    """
    try:
        import gymnasium
    except ImportError as error:
        raise MissingExtra("gymnasium", "bridge") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of older ids, which are wanted here
            environment: Any = gymnasium.make(environment_id, **options)
            if "ansi" in environment.metadata.get("render_modes", ()):
                environment.close()
                environment = gymnasium.make(environment_id, render_mode="ansi", **options)
    except (gymnasium.error.Error, TypeError, ImportError) as error:
        raise InputError(f"gymnasium cannot make {environment_id!r} with {dict(options)}: {error}") from error
    if not isinstance(environment.action_space, gymnasium.spaces.Discrete):
        raise InputError(f"{environment_id} has the actions {environment.action_space}; expected numbered ones")
    seen, spaces = environment.observation_space, gymnasium.spaces
    parts = list(seen) if isinstance(seen, spaces.Tuple) else [seen]
    if environment.render_mode != "ansi" and not all(isinstance(part, spaces.Discrete | spaces.Text) for part in parts):
        raise InputError(f"{environment_id} shows {seen}, which is no text, and has no render mode 'ansi'")
    return environment
