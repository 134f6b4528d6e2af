"""``games/guess-number-v1``: find a number by asking; the smallest example of a task of several turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from ...errors import InputError
from ...verifiers.base import Result
from ..base import Task
from ..episodes import Episode, MultiTurnEnvironment, ScoredEpisode, calls_text
from ..procedural import ProceduralEnvironment
from ..rows import asked

_SIZES = {1: 10, 2: 100, 3: 1000, 4: 10_000}


class GuessEpisode(ScoredEpisode):
    """A number that is being looked for."""

    def _begin(self, reference: str) -> None:
        try:
            state = json.loads(reference)
            self._low, self._high, self._secret, self._left = (
                int(state[key]) for key in ("low", "high", "secret", "guesses")
            )
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"the reference {reference!r:.100} is no puzzle: {error!r}") from error
        self._found = False
        self._guessed = 0

    def guess(self, number: int) -> str:
        """Guess the number.

        Args:
            number: Your guess.

        Returns:
            Whether the number is higher or lower, or that you found it.
        """
        if isinstance(number, bool) or not isinstance(number, int):
            raise InputError(f"number is {number!r}; expected a whole number")
        if self._found or self._left < 1:
            raise InputError("the game is over" if self._found else "there is no guess left")
        self._left -= 1
        self._guessed += 1
        self._found = number == self._secret
        if self._found:
            return f"Correct: the number is {number}."
        hint = "higher" if number < self._secret else "lower"
        return f"The number is {hint} than {number}. Guesses left: {self._left}."

    def _result(self) -> Result:
        if self._found:
            return Result.correct(answer=str(self._secret), reason=f"found with guess {self._guessed}")
        if not self._guessed:
            return Result.no_answer("there was no guess")
        return Result.incorrect(reason=f"not found with {self._guessed} guesses")


class GuessNumber(MultiTurnEnvironment, ProceduralEnvironment):
    """A number from a range of 10, 100, 1,000 or 10,000 by level; halving the range finds it in the guesses allowed."""

    name = "games/guess-number-v1"
    LEVELS: ClassVar[Sequence[int]] = (1, 2, 3, 4)
    episode: ClassVar[type[Episode]] = GuessEpisode
    most_turns: ClassVar[int] = 16
    domain = "games"

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A range and a number in it."""
        low = random.randrange(1_000_000)
        high = low + _SIZES[level] - 1
        secret = random.randint(low, high)
        guesses = (_SIZES[level]).bit_length()
        content = (
            f"I think of a whole number from {low} to {high}. Find it: call guess with a number, and I say whether "
            f"mine is higher or lower. You have {guesses} guesses."
        )
        reference = json.dumps({"low": low, "high": high, "secret": secret, "guesses": guesses})
        return reference, Task(asked(content), reference, float(level), {"level": level})

    def reference_completions(self, task: Task) -> Sequence[str]:
        """Halving the range."""
        state = json.loads(task.reference)
        low, high = state["low"], state["high"]
        calls: list[tuple[str, dict[str, int]]] = []
        while not calls or calls[-1][1]["number"] != state["secret"]:
            middle = (low + high) // 2
            calls.append(("guess", {"number": middle}))
            low, high = (middle + 1, high) if middle < state["secret"] else (low, middle - 1)
        return (calls_text(calls),)
