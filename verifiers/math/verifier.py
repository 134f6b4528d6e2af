"""``MathVerifier``: extract an answer, read it, compare it with the reference."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..base import Result, Verifier
from .policy import Policy

if TYPE_CHECKING:
    from .judging import Court


class MathVerifier(Verifier[str]):
    r"""Judges the final answer of a completion against a gold answer, by value.

    Args:
        policy: How strictly; see ``Policy``. The defaults are for training.
        symbolic_seconds: Whether SymPy is asked where every other tier is undecided, and for how long at most. It runs
            in a process of its own that is killed when the time is over; the verdict is then LIMIT_EXCEEDED. None, the
            default, never asks: rewards in training should not wait for computer algebra.

    Raises:
        InputError: ``symbolic_seconds`` is not positive.

    >>> MathVerifier().verify([r"so \boxed{\frac12}"], ["0.5"])[0].score
    1.0
    >>> MathVerifier().verify_answers(["1/3"], ["1/2"])[0].reason
    '1/3 against 1/2: another number'
    """

    def __init__(self, policy: Policy | None = None, *, symbolic_seconds: float | None = None) -> None:
        if symbolic_seconds is not None and not symbolic_seconds > 0:
            raise InputError(
                f"symbolic_seconds is {symbolic_seconds!r}; expected a positive number, or None for no SymPy"
            )
        self.policy = policy or Policy()
        self.symbolic_seconds = symbolic_seconds
        self._opened: Court | None = None

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
        return _Answers(self).verify(answers, references)

    def canonical_key(self, answer: str) -> str | None:
        r"""A text that stands for the value of an answer: two answers that have one are equal exactly when theirs are.

        None where there is none: approximations, units, named values, and whatever cannot be read.

        >>> MathVerifier().canonical_key("0.5") == MathVerifier().canonical_key(r"\frac{1}{2}")
        True
        """
        from .judging import canonical_key

        return canonical_key(answer)

    def _verify_batch(
        self, completions: list[str], references: list[str], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        return timed(self.name, self._court().judge_completion, completions, references)

    def _court(self) -> Court:
        """What judges, made when first needed: its imports are not those of this package."""
        if self._opened is None:
            from .judging import Court

            self._opened = Court(self.policy, self.symbolic_seconds)
        return self._opened

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}


class _Answers(Verifier[str]):
    """A verifier of answers instead of completions."""

    def __init__(self, owner: MathVerifier) -> None:
        self.owner = owner

    @property
    def name(self) -> str:
        return self.owner.name

    def _verify_batch(
        self, completions: list[str], references: list[str], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        return timed(self.name, self.owner._court().judge_answer, completions, references)


def _as_text(reference: Any) -> str:
    """A reference as text: a data set's column may hold whole numbers and decimals as numbers."""
    return reference if isinstance(reference, str) else str(reference)


def _untyped(text: Any, reference: Any) -> Result | None:
    """What is neither text nor a number cannot be judged, and says so."""
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        kind = type(reference).__name__
        return Result.bad_reference(f"the reference {reference!r} is a {kind}; expected text or a number, as '4'")
    if isinstance(reference, float) and not math.isfinite(reference):  # a data frame's word for a missing value
        return Result.bad_reference(f"the reference is {reference}; expected text or a number, as '4'")
    if not isinstance(text, str):
        return Result.error(f"the completion {text!r} is a {type(text).__name__}; expected text")
    return None


def timed(
    name: str, judge: Callable[[str, str], Result], texts: Sequence[str], references: Sequence[str]
) -> list[Result]:
    """Judge one by one, each failure the item's own, as the base class does but without copying every result."""
    results = []
    for text, reference in zip(texts, references, strict=True):
        started = time.perf_counter()
        try:
            result = _untyped(text, reference) or judge(text, _as_text(reference))
        except Exception as error:  # noqa: BLE001 - the boundary for one item
            result = Result.error(f"{name} failed: {type(error).__name__}: {error}"[:2000])
        object.__setattr__(result, "seconds", time.perf_counter() - started)  # made for this item, seen by nobody yet
        results.append(result)
    return results
