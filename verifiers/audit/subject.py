"""What is audited: a verifier or a TRL-style reward function, behind one way to ask for scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ...errors import InputError
from ..base import Verifier
from .case import Case


class Score(NamedTuple):
    """What a grader gave: a score in units of the full reward, or None with what went wrong.

    Attributes:
        value: 1.0 is the full reward; None when there is no score.
        note: The grader's reason, or why there is no score.
        raised: Whether the grader raised, returned NaN, Infinity or a text, or returned another number of scores.
        miscounted: Whether it returned another number of scores.
    """

    value: float | None
    note: str = ""
    raised: bool = False
    miscounted: bool = False

    @property
    def passes(self) -> bool:
        """Whether the grader paid at least half of the full reward."""
        return self.value is not None and self.value >= 0.5


class Subject(Protocol):
    """A grader under audit."""

    name: str

    def score(self, completions: Sequence[str], cases: Sequence[Case]) -> list[Score]:
        """Give n scores for n completions of n cases, in order; what the grader raises becomes a ``Score``."""


class VerifierSubject:
    """A verifier of this package's API."""

    def __init__(self, verifier: Verifier[Any], *, name: str | None = None) -> None:
        self.verifier = verifier
        self.name = name or verifier.name

    def score(self, completions: Sequence[str], cases: Sequence[Case]) -> list[Score]:
        """As ``Subject.score``."""
        names = {name for case in cases for name in case.columns}
        columns = {name: [case.columns.get(name) for case in cases] for name in sorted(names)}
        try:
            results = self.verifier.verify(list(completions), [case.reference for case in cases], **columns)
        except Exception as error:  # noqa: BLE001 - a grader may raise anything; that is what is being found out
            return [Score(None, f"{type(error).__name__}: {error}"[:300], True)] * len(completions)
        return [Score(result.score, result.reason or result.verdict.value) for result in results]


class RewardSubject:
    """A reward function as TRL calls it: ``f(prompts=…, completions=…, **columns) -> list[float | None]``.

    Args:
        function: The function. A batch that raises is asked again one completion at a time. Where each of them gets its
            reward alone and the batch another number of rewards, the function is of no use in training: from then on
            every completion counts as raised.
        conversational: Whether prompts and completions are messages; None tries both and takes the way in which more
            right completions of the first cases are paid, messages where neither is better.
        full_reward: What a right completion earns, positive.

    Raises:
        InputError: ``full_reward`` is not positive.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        conversational: bool | None = None,
        full_reward: float = 1.0,
    ) -> None:
        if not (math.isfinite(full_reward) and full_reward > 0.0):
            raise InputError(f"full_reward is {full_reward!r}; expected a positive number")
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.conversational = conversational
        self.full_reward = full_reward
        self._miscount: Score | None = None

    def score(self, completions: Sequence[str], cases: Sequence[Case]) -> list[Score]:
        """As ``Subject.score``."""
        if not completions:
            return []
        if self.conversational is None:
            self.conversational = self._takes_messages(cases)
        if self._miscount is not None:
            return [self._miscount] * len(completions)
        scores = self._call(completions, cases, conversational=self.conversational)
        if len(completions) > 1 and any(score.raised for score in scores):
            pairs = zip(completions, cases, strict=True)
            alone = [self._call([text], [case], conversational=self.conversational)[0] for text, case in pairs]
            if scores[0].miscounted and not any(score.raised for score in alone):
                self._miscount = scores[0]
                return scores
            return alone
        return scores

    def _takes_messages(self, cases: Sequence[Case]) -> bool:
        pairs = [(text, case) for case in cases[:3] for text in (*case.candidates, "probe")]
        ways = []
        for conversational in (True, False):
            scores = [self._call([text], [case], conversational=conversational)[0] for text, case in pairs]
            ways.append((sum(score.passes for score in scores), -sum(score.raised for score in scores)))
        return ways[0] >= ways[1]

    def _call(self, completions: Sequence[str], cases: Sequence[Case], *, conversational: bool) -> list[Score]:
        names = {name for case in cases for name in case.columns} - {"prompts", "completions"}
        columns = {name: [case.columns.get(name) for case in cases] for name in sorted(names)}
        prompts: list[Any] = [case.prompt for case in cases]
        texts: list[Any] = list(completions)
        if conversational:
            prompts = [[{"role": "user", "content": prompt}] for prompt in prompts]
            texts = [[{"role": "assistant", "content": text}] for text in texts]
        try:
            rewards = list(self.function(prompts=prompts, completions=texts, **columns))
        except Exception as error:  # noqa: BLE001 - a grader may raise anything; that is what is being found out
            return [Score(None, f"{type(error).__name__}: {error}"[:300], True)] * len(completions)
        if len(rewards) != len(completions):
            note = f"{counted(len(rewards), 'reward')} for {counted(len(completions), 'completion')}"
            return [Score(None, note, True, True)] * len(completions)
        return [self._read(reward) for reward in rewards]

    def _read(self, reward: Any) -> Score:
        if reward is None:
            return Score(None, "the function abstained")
        if isinstance(reward, str | bytes):  # float() would read some, and a trainer's tensor none
            return Score(None, f"the reward is {reward!r}, a text and not a number"[:300], True)
        try:
            value = float(reward)
        except (TypeError, ValueError):
            return Score(None, f"the reward is {reward!r}, not a number"[:300], True)
        if not math.isfinite(value):
            return Score(None, f"the reward is {value}", True)
        return Score(value / self.full_reward, f"reward {value:g}")


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "reward"), counted(0, "reward")
    ('1 reward', '0 rewards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
