"""Environments of one's own that are incomplete, or raise: what is said, in one line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from assay import make
from assay.environments.base import Environment, Task
from assay.environments.checking import check
from assay.environments.episodes import Episode, MultiTurnEnvironment, ReplayVerifier, ScoredEpisode, calls_text, play
from assay.errors import InputError, LoadFailed
from assay.verifiers import Result

BROKEN = """
from assay import register

@register("mine/raises-v1", splits=["test"])
class Raises:
    def load(self, split):
        yield "1+1=", "2"
        raise KeyError("gold")
    def verify(self, completion, reference):
        return completion == reference

@register("mine/unmade-v1", splits=["test"])
class Unmade(Raises.plain):
    def __init__(self, size=1):
        self.size = 1 / size
        raise OSError("no such place")
"""
VERSIONS = """
from assay import Result, register
from assay.verifiers import TextVerifier

@register("mine/opts-v1", splits={"test": 3}, domain="one")
class Opts:
    def __init__(self, start=0):
        self.start = start
    def load(self, split):
        for n in range(self.start, self.start + 3):
            yield f"{n}+1=", str(n + 1)
    def verify(self, completion, reference):
        return completion == reference

@register("mine/opts-v2", splits={"test": 3})
class Opts2(Opts):
    def __init__(self, start=0, end="?"):
        super().__init__(start)
        self.end = end
    def load(self, split):
        for task in super().load(split):
            yield task.prompt + self.end, task.reference

@register("mine/opts-v3", splits={"test": 3})
class Opts3(Opts2):
    def verify(self, completion, reference):
        return super().verify(completion.strip(), reference)

@register("mine/opts-v4", splits={"test": 3})
class Opts4(Opts3):
    verifier = TextVerifier()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "broken.py").write_text(BROKEN)
    (folder / "versions.py").write_text(VERSIONS)
    return folder


@pytest.mark.parametrize("command", ["check", "audit"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "assay: split 'test' of mine/raises-v1 cannot be loaded: KeyError: 'gold' (broken.py, line 8)"),
        ("Unmade", "assay: 'broken.py:Unmade' cannot be made: OSError: no such place (broken.py, line 16)"),
    ],
)  # fmt: skip
def test_what_an_environment_raises_is_one_line_with_its_place(
    folder: Path, command: str, name: str, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", command, f"broken.py:{name}"], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [said]


def test_what_options_lead_to_is_said_with_them(folder: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be made with size=0: ZeroDivisionError: division by zero \(broken"):
        make(f"{folder / 'broken.py'}:Unmade", size=0)


def test_a_file_that_cannot_be_imported_is_named_once(tmp_path: Path) -> None:
    file = tmp_path / "half.py"
    file.write_text("1 / 0\n")
    with pytest.raises(LoadFailed) as caught:
        make(f"{file}:Sums")
    assert str(caught.value) == (f"environment '{file}:Sums' could not be loaded: ZeroDivisionError: division by zero")


def test_a_version_may_derive_from_the_one_before_and_call_it(folder: Path) -> None:
    first, second, third, fourth = (make(f"{folder / 'versions.py'}:Opts{n}", start=5) for n in ("", 2, 3, 4))
    assert [task.prompt for task in first.tasks("test")] == ["5+1=", "6+1=", "7+1="]
    assert [task.prompt for task in third.tasks("test")] == ["5+1=?", "6+1=?", "7+1=?"]
    [task, *_] = second.tasks("test")
    for environment, scores in ((first, [1, 0]), (second, [1, 0]), (third, [1, 1])):
        assert [result.score for result in environment.verify(["6", " 6"], [task, task])] == scores
    assert [one.name for one in (first, second, third)] == ["mine/opts-v1", "mine/opts-v2", "mine/opts-v3"]
    assert type(fourth.verifier).__name__ == "TextVerifier"
    assert make(f"{folder / 'versions.py'}:Opts2", end="!").tasks("test")[0].prompt == "0+1=!"
    assert check(second).is_clean
    with pytest.raises(InputError, match=r"'strt'; did you mean 'start'\?; its options are start, end"):
        make(f"{folder / 'versions.py'}:Opts3", strt=1)


class Bare(Environment):
    def load(self, split: str) -> Iterator[Task]:
        yield Task("1+1=", "2")


class Half(Bare):
    name = "test/half-v1"
    splits = {"test": 1}


def test_a_part_that_was_left_out_is_named() -> None:
    with pytest.raises(InputError, match=r"the environment Bare has no splits; expected a class attribute splits = \{"):
        check(Bare())
    with pytest.raises(InputError, match=r"the environment Half has no verifier; expected self.verifier = MathVerif"):
        check(Half())
    with pytest.raises(InputError, match=r"the environment Half has no verifier"):
        Half().trl("test")
    with pytest.raises(AttributeError, match="'Half' object has no attribute 'colour'"):
        Half().colour  # noqa: B018


class Doors(ScoredEpisode):
    """The right one of some doors is behind the reference."""

    def _begin(self, reference: str) -> None:
        self._right, self._opened = int(reference), 0

    def open_door(self, number: int) -> str:
        """Open a door.

        Args:
            number: Which one.

        Returns:
            What is behind it.
        """
        self._opened = number
        return "a car" if number == self._right else "a goat"

    def _result(self) -> Result:
        return Result.correct(answer=str(self._opened)) if self._opened == self._right else Result.incorrect()


class DoorGame(MultiTurnEnvironment):
    name = "test/doors-v1"
    splits = {"test": 2}
    episode: ClassVar[type[Episode]] = Doors

    def load(self, split: str) -> Iterator[Task]:
        for number in (1, 2):
            yield Task(f"Game {number}: open the door with the car behind it.", str(number))

    def reference_completions(self, task: Task) -> tuple[str, ...]:
        return (calls_text([("open_door", {"number": int(task.reference)})]),)


class Unscored(Episode):
    def _begin(self, reference: str) -> None:
        """Nothing to set."""


def test_scored_episodes_need_no_verifier_of_their_own() -> None:
    game = DoorGame()
    assert isinstance(game.verifier, ReplayVerifier)
    assert game.verifier is game.verifier
    assert check(game).is_clean
    [task, _] = game.tasks("test")
    message = {"tool_calls": [{"function": {"name": "open_door", "arguments": {"number": 1}}}], "role": "assistant"}
    assert play(game, task, lambda messages, tools: message).result.is_correct
    arguments = game.trl("test")
    assert arguments["reward_funcs"] == []
    assert arguments["environment_factory"]().reset(answer="1") is None


def test_a_game_without_a_score_or_without_an_episode_says_what_it_lacks() -> None:
    class Quiet(DoorGame):
        episode = Unscored

    class Empty(DoorGame):
        episode = None  # type: ignore[assignment]

    with pytest.raises(InputError, match=r"Quiet has no verifier, and its Unscored no score; set self.verifier = Math"):
        check(Quiet())
    with pytest.raises(InputError, match=r"Empty.episode is None; expected the class of its episodes, a subclass of"):
        check(Empty())
