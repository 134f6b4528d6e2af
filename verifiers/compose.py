"""Verifiers made of verifiers: ``Weighted``, ``Gate``, ``AllOf``, ``Threshold``, ``Route``.

All of them hand each part the same completions, references and columns, keep every part's score in ``parts``, and have
no score where a part that counts has none: a failure of ours never becomes the policy's zero.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..bounds import share
from ..errors import ColumnError, InputError
from .base import Result, Verdict, Verifier


class _Composite(Verifier[Any]):
    """Judges every part on the whole batch, then combines them item by item."""

    def __init__(self, parts: Mapping[str, Verifier[Any]]) -> None:
        _check_named(type(self).__name__, parts, "verifier")
        if not parts:
            raise InputError(f"{type(self).__name__} was given no parts; expected at least one verifier by name")
        for name, part in parts.items():
            if not isinstance(part, Verifier):
                raise InputError(f"part {name!r} of {type(self).__name__} is {part!r}; expected a Verifier")
        self.parts = dict(parts)

    @property
    def _answering(self) -> Any:
        """The part whose answers the results carry."""
        return next(iter(self.parts.values()))

    def canonical_key(self, answer: str) -> str | None:
        """A text that stands for the value of an answer, where the answering part can give one."""
        key = getattr(self._answering, "canonical_key", None)
        return None if key is None else key(answer)

    def verify_answers(self, answers: Sequence[str], references: Sequence[str]) -> list[Result]:
        """Judge extracted answers by the answering part alone, or as equal texts where it judges none."""
        judge = getattr(self._answering, "verify_answers", None)
        if judge is not None:
            return list(judge(answers, references))
        pairs = zip(answers, references, strict=True)
        return [Result.correct(answer=a) if a == r else Result.incorrect(answer=a) for a, r in pairs]

    def _verify_batch(
        self, completions: list[str], references: list[Any], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        judged = {name: part.verify(completions, references, **columns) for name, part in self.parts.items()}
        return [
            self._combine({name: results[index] for name, results in judged.items()})
            for index in range(len(completions))
        ]

    @abstractmethod
    def _combine(self, results: Mapping[str, Result]) -> Result:
        """One result from those of the parts, in the order of the parts."""


class Weighted(_Composite):
    """A weighted sum of scores, clipped to [0, 1]; the **first** part decides correctness, the rest only shape.

    ``score = min(1, max(0, sum_i w_i * score_i))``. Verdict, answer and reason are the first part's, so filters and
    evaluation that look at correctness are not moved by a format bonus.

    Args:
        parts: ``{name: (verifier, weight)}``. Weight 0 only logs; a negative weight is a penalty.

    Raises:
        InputError: No part, a weight that is not finite, no positive weight, or something that is not a verifier.

    >>> from assay.verifiers import TagFormat, Weighted
    >>> Weighted({"form": (TagFormat("a"), 0.5)}).verify(["<a>1</a>"], [None])[0].score
    0.5
    """

    def __init__(self, parts: Mapping[str, tuple[Verifier[Any], float]]) -> None:
        _check_named("Weighted", parts, "(verifier, weight)")
        for name, pair in parts.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise InputError(f"part {name!r} of Weighted is {pair!r}; expected a pair (verifier, weight)")
            if not isinstance(pair[1], int | float) or not math.isfinite(pair[1]):
                raise InputError(f"the weight of {name!r} is {pair[1]!r}; expected a finite number")
        super().__init__({name: verifier for name, (verifier, _) in parts.items()})
        self.weights = {name: float(weight) for name, (_, weight) in parts.items()}
        if max(self.weights.values()) <= 0:
            raise InputError(f"no weight in {self.weights} is positive; expected at least one")

    def _combine(self, results: Mapping[str, Result]) -> Result:
        scores = {name: result.score for name, result in results.items()}
        failed = _first_failure({name: results[name] for name, weight in self.weights.items() if weight})
        if failed is not None:
            return replace(failed, parts=scores)
        first = next(iter(results.values()))
        if first.verdict.is_ours:
            return replace(first, parts=scores)
        total = sum(weight * (scores[name] or 0.0) for name, weight in self.weights.items() if weight)
        return replace(first, score=min(1.0, max(0.0, total)), parts=scores)


class AllOf(_Composite):
    """Correct when every part is correct; otherwise the first part that is not decides. Score 1 or 0.

    Args:
        parts: Verifiers by name. The answer of the result is the last part's that has one.
    """

    @property
    def _answering(self) -> Any:
        return list(self.parts.values())[-1]

    def _combine(self, results: Mapping[str, Result]) -> Result:
        scores = {name: result.score for name, result in results.items()}
        failed = _first_failure(results)
        if failed is not None:
            return replace(failed, parts=scores)
        answer = next((r.answer for r in reversed(list(results.values())) if r.answer is not None), None)
        for name, result in results.items():
            if not result.is_correct:
                verdict = Verdict.INCORRECT if result.verdict is Verdict.PARTIAL else result.verdict
                return Result(verdict, 0.0, f"{name}: {result.reason or result.verdict}", answer, parts=scores)
        return Result.correct(answer=answer, parts=scores)


class Gate(_Composite):
    """The result of one verifier, but only where another one, the gate, says correct; score 0 elsewhere.

    Args:
        gate: What must hold first, a format for instance.
        verifier: What judges once it holds.
    """

    def __init__(self, gate: Verifier[Any], verifier: Verifier[Any]) -> None:
        super().__init__({"gate": gate, "verifier": verifier})

    @property
    def _answering(self) -> Any:
        return self.parts["verifier"]

    def _combine(self, results: Mapping[str, Result]) -> Result:
        gate, judged = results["gate"], results["verifier"]
        scores = {name: result.score for name, result in results.items()}
        if gate.verdict.is_ours:
            return replace(gate, parts=scores)
        if gate.is_correct or judged.verdict.is_ours:
            return replace(judged, parts=scores)
        verdict = Verdict.INCORRECT if gate.verdict is Verdict.PARTIAL else gate.verdict
        return Result(verdict, 0.0, f"gate: {gate.reason or gate.verdict}", judged.answer, parts=scores)


class Threshold(_Composite):
    """Correct when a graded verifier's score is at least ``at``; score 1 or 0.

    Args:
        verifier: The graded verifier.
        at: In (0, 1].
    """

    def __init__(self, verifier: Verifier[Any], at: float) -> None:
        share(at=at)
        super().__init__({"verifier": verifier})
        self.at = at

    def _combine(self, results: Mapping[str, Result]) -> Result:
        judged = results["verifier"]
        parts = {"verifier": judged.score}
        if judged.score is None:
            return replace(judged, parts=parts)
        if judged.score >= self.at:
            return Result.correct(answer=judged.answer, parts=parts, details=judged.details)
        verdict = judged.verdict if judged.score == 0.0 else Verdict.INCORRECT
        reason = f"{judged.score:.3g} is below {self.at:.3g}" + (f": {judged.reason}" if judged.reason else "")
        return Result(verdict, 0.0, reason, judged.answer, parts=parts, details=judged.details)


class Route(Verifier[Any]):
    """Mixed tasks: each item goes to the verifier that a column names.

    Args:
        verifiers: Verifiers by the values of the column.
        column: The column that holds those values.

    A row whose value is unknown has no score (BAD_REFERENCE); a call without the column raises ``ColumnError``.
    """

    def __init__(self, verifiers: Mapping[str, Verifier[Any]], *, column: str = "task") -> None:
        _check_named("Route", verifiers, "verifier")
        if not verifiers:
            raise InputError("Route was given no verifiers; expected at least one by name")
        for name, verifier in verifiers.items():
            if not isinstance(verifier, Verifier):
                raise InputError(f"part {name!r} of Route is {verifier!r}; expected a Verifier")
        self.verifiers = dict(verifiers)
        self.column = column

    def verify(self, completions: Sequence[str], references: Sequence[Any], **columns: Sequence[Any]) -> list[Result]:
        """As ``Verifier.verify``; the column must be there."""
        if self.column not in columns:
            raise ColumnError(
                f"Route needs the column {self.column!r}; the columns given are {sorted(columns) or 'none'}"
            )
        return super().verify(completions, references, **columns)

    def _verify_batch(
        self, completions: list[str], references: list[Any], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        tasks = columns[self.column]
        results = [
            Result.bad_reference(f"{self.column}={task!r} has no verifier; known: {sorted(self.verifiers)}")
            for task in tasks
        ]
        for name, verifier in self.verifiers.items():
            mine = [index for index, task in enumerate(tasks) if task == name]
            judged = verifier.verify(
                [completions[i] for i in mine],
                [references[i] for i in mine],
                **{column: [values[i] for i in mine] for column, values in columns.items()},
            )
            for index, result in zip(mine, judged, strict=True):
                results[index] = result
        return results


def _check_named(owner: str, parts: object, value: str) -> None:
    """Raise ``InputError`` where parts came without their names."""
    if not isinstance(parts, Mapping):
        shown = repr(parts)
        raise InputError(
            f"{owner} was given {shown if len(shown) <= 100 else shown[:99] + '…'}; expected a mapping of names to "
            f"parts: {owner}({{'name': {value}, ...}})"
        )


def _first_failure(results: Mapping[str, Result]) -> Result | None:
    return next((result for result in results.values() if result.verdict.is_ours), None)
