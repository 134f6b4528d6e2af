"""What the samples of one task come to, and the numbers of all tasks at each k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .majority import majority_curve
from .metrics import average_at_n, best_of_k, g_pass_at_k, pass_all_at_k, pass_at_k
from .samples import Sample
from .voting import Votes, Voting

METRICS = ("pass@k", "maj@k")
# Also in every report, without being compared: all k right; at least half of k right; the best score of k.
MORE_METRICS = ("pass^k", "g-pass@k_0.5", "best@k")


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
        scores: The score of every sample in the order of their numbers, a failure counted as 0.
        failure: Why the first of the failures failed; empty where none did.
        distinct: How many different completions there are; 0 where that is not known.
    """

    id: str
    samples: int
    correct: int
    failures: int
    truncated: int
    score: float
    votes: Votes
    difficulty: float | None = None
    scores: tuple[float, ...] = ()
    failure: str = ""
    distinct: int = 0

    def at(self, metric: str, k: int) -> float:
        """One of the metrics that need no vote, at one k; NaN where there are fewer samples."""
        counts = {"n": self.samples, "correct": self.correct, "k": k}
        if metric == "pass@k":
            return pass_at_k(**counts)
        if metric == "pass^k":
            return pass_all_at_k(**counts)
        if metric == "g-pass@k_0.5":
            return g_pass_at_k(**counts, tau=0.5)
        if metric == "best@k":
            graded = any(0.0 < score < 1.0 for score in self.scores)
            ones = sum(score == 1.0 for score in self.scores)
            return best_of_k(self.scores, k=k) if graded else pass_at_k(n=len(self.scores), correct=ones, k=k)
        raise InputError(f"no metric {metric!r}; there are {', '.join((*METRICS, *MORE_METRICS))}")

    def majority(self) -> NDArray[np.float64]:
        """maj@k for k = 1 ... ``samples``; a sample without an answer abstains."""
        return majority_curve(self.votes.classes, missing=self.votes.missing)


def outcome(task: Mapping[str, Any], samples: Sequence[Sample], voting: Voting, stored: Votes | None) -> TaskOutcome:
    """Count the samples of one task, which come in the order of their numbers."""
    correct = [sample.is_correct for sample in samples]
    scores = tuple(sample.score or 0.0 for sample in samples)
    return TaskOutcome(
        id=task["id"],
        samples=len(samples),
        correct=sum(right is True for right in correct),
        failures=sum(right is None for right in correct),
        truncated=sum(sample.truncated for sample in samples),
        score=average_at_n(scores),
        votes=stored or voting.cluster([sample.answer for sample in samples], correct),
        difficulty=task.get("difficulty"),
        scores=scores,
        failure=next((s.reason for s, right in zip(samples, correct, strict=True) if right is None), ""),
        distinct=len({sample.completion for sample in samples if sample.sampled}),
    )


def powers_of_two(samples: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to ``samples``, which is the last one itself.

    >>> powers_of_two(12)
    (1, 2, 4, 8, 12)
    """
    powers = [1 << i for i in range(samples.bit_length()) if 1 << i <= samples]
    return tuple(powers if powers[-1] == samples else [*powers, samples])
