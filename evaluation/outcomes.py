"""What the samples of one task come to, and the numbers of all tasks at each k."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .majority import majority_curve
from .samples import Sample
from .voting import Votes, Voting

METRICS = ("pass@k", "maj@k")


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The samples of one task, counted.

    Attributes:
        id: The task's id.
        samples: How many were taken, failures among them.
        correct: Those judged correct.
        failures: Those that the sampler or the judge failed on; they count as not correct.
        truncated: Those cut at the token limit.
        score: The mean score of all samples, a failure counted as 0.
        votes: The classes of their answers.
        difficulty: As the task says.
    """

    id: str
    samples: int
    correct: int
    failures: int
    truncated: int
    score: float
    votes: Votes
    difficulty: float | None = None

    def majority(self) -> NDArray[np.float64]:
        """maj@k for k = 1 ... ``samples``; a sample without an answer abstains."""
        return majority_curve(self.votes.classes, missing=self.votes.missing)


def outcome(task: Mapping[str, Any], samples: Sequence[Sample], voting: Voting, stored: Votes | None) -> TaskOutcome:
    """Count the samples of one task, which come in the order of their numbers."""
    correct = [sample.is_correct for sample in samples]
    return TaskOutcome(
        id=task["id"],
        samples=len(samples),
        correct=sum(right is True for right in correct),
        failures=sum(right is None for right in correct),
        truncated=sum(sample.truncated for sample in samples),
        score=math.fsum(sample.score or 0.0 for sample in samples) / len(samples) if samples else math.nan,
        votes=stored or voting.cluster([sample.answer for sample in samples], correct),
        difficulty=task.get("difficulty"),
    )


def powers_of_two(samples: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to ``samples``, which is the last one itself.

    >>> powers_of_two(12)
    (1, 2, 4, 8, 12)
    """
    powers = [1 << i for i in range(samples.bit_length()) if 1 << i <= samples]
    return tuple(powers if powers[-1] == samples else [*powers, samples])
