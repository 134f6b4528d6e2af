"""``MathVerifier``: extract an answer, read it, compare it with the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ..base import Result, Verifier
from .policy import Policy


class MathVerifier(Verifier[str]):
    """Judges the final answer of a completion against a gold answer, by value.

    Args:
        policy: How strictly; see ``Policy``. The defaults are for training.

    >>> MathVerifier().verify([r"so \\boxed{\\frac12}"], ["0.5"])[0].score
    1.0
    >>> MathVerifier().verify_answers(["1/3"], ["1/2"])[0].reason
    '1/3 against 1/2: another number'
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = policy or Policy()

    def verify_answers(self, answers: Sequence[str], references: Sequence[str]) -> list[Result]:
        """Judge answers that are already extracted from their completions.

        Args:
            answers: n answers.
            references: n gold answers.

        Returns:
            n results in the order given.

        Raises:
            InputError: The lengths differ.
        """
        if len(answers) != len(references):
            raise InputError(f"{len(answers)} answers came with {len(references)} references; expected one for each")
        return _Answers(self.policy).verify(answers, references)

    def _verify_one(self, completion: str, reference: str, **_columns: Any) -> Result:
        from .judging import judge_completion

        return judge_completion(completion, reference, self.policy)


class _Answers(Verifier[str]):
    """The same verifier for answers instead of completions."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @property
    def name(self) -> str:
        return "MathVerifier"

    def _verify_one(self, answer: str, reference: str, **_columns: Any) -> Result:
        from .judging import judge_answer

        return judge_answer(answer, reference, self.policy)
