"""What a verifier is: ``Verdict``, ``Result`` and ``Verifier``. Everything that judges is built on this file."""

from __future__ import annotations

import math
import time
from abc import ABC
from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, NoReturn, TypeVar

from ..errors import InputError

Ref = TypeVar("Ref")
_EMPTY: Mapping[str, Any] = MappingProxyType({})


class Verdict(StrEnum):
    """The kind of outcome. ``BAD_REFERENCE`` and ``ERROR`` are ours, never the policy's.

    ``SHAPING`` is a score that says nothing about right or wrong: a learned reward, a length.
    """

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    NO_ANSWER = "no_answer"
    LIMIT_EXCEEDED = "limit_exceeded"
    SHAPING = "shaping"
    BAD_REFERENCE = "bad_reference"
    ERROR = "error"

    @property
    def is_ours(self) -> bool:
        """Whether the judge, not the policy, is to blame: such a result has no score."""
        return self in (Verdict.BAD_REFERENCE, Verdict.ERROR)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of judging one completion. Use the named constructors: each makes one verdict.

    Attributes:
        verdict: The kind of outcome.
        score: In [0, 1]; None exactly when the verdict is BAD_REFERENCE or ERROR.
        reason: One sentence for a person.
        answer: What was extracted from the completion, None where nothing was.
        seconds: Wall time that the judgement took, filled in by ``Verifier.verify``.
        parts: Component scores by name, each in [0, 1] or None.
        details: Anything else worth keeping, as JSON values.

    Raises:
        InputError: The score does not fit the verdict, or lies outside [0, 1].

    >>> Result.correct(answer="42").score
    1.0
    >>> Result.error("the sandbox is gone").score is None
    True
    """

    verdict: Verdict
    score: float | None
    reason: str = ""
    answer: str | None = None
    seconds: float = 0.0
    parts: Mapping[str, float | None] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.verdict, Verdict):
            raise InputError(f"verdict is {self.verdict!r}; expected a Verdict, such as Verdict.CORRECT")
        if self.verdict.is_ours != (self.score is None):
            wanted = "None" if self.verdict.is_ours else "a number in [0, 1]"
            raise InputError(f"a {self.verdict} result has the score {self.score!r}; expected {wanted}")
        for name, score in [("score", self.score), *self.parts.items()]:
            if score is not None and not (math.isfinite(score) and 0.0 <= score <= 1.0):
                raise InputError(f"{name} is {score!r}; expected a number in [0, 1]")

    @property
    def is_correct(self) -> bool | None:
        """Correctness apart from any shaping: True, False, or None when the judge failed or only shapes."""
        unknown = self.verdict.is_ours or self.verdict is Verdict.SHAPING
        return None if unknown else self.verdict is Verdict.CORRECT

    @classmethod
    def correct(cls, *, answer: str | None = None, reason: str = "", **rest: Any) -> Result:
        """A right answer: score 1."""
        return cls(Verdict.CORRECT, 1.0, reason, answer, **rest)

    @classmethod
    def partial(cls, score: float, *, answer: str | None = None, reason: str = "", **rest: Any) -> Result:
        """Partly right: ``score`` strictly between 0 and 1."""
        if not 0.0 < score < 1.0:
            raise InputError(f"a partial result has the score {score!r}; expected one strictly between 0 and 1")
        return cls(Verdict.PARTIAL, score, reason, answer, **rest)

    @classmethod
    def incorrect(cls, *, answer: str | None = None, reason: str = "", **rest: Any) -> Result:
        """A wrong answer: score 0."""
        return cls(Verdict.INCORRECT, 0.0, reason, answer, **rest)

    @classmethod
    def no_answer(cls, reason: str, **rest: Any) -> Result:
        """Nothing in the completion could be read as an answer: score 0."""
        return cls(Verdict.NO_ANSWER, 0.0, reason, **rest)

    @classmethod
    def limit_exceeded(cls, reason: str, *, answer: str | None = None, **rest: Any) -> Result:
        """The answer needed more time, memory, output or size than allowed: score 0."""
        return cls(Verdict.LIMIT_EXCEEDED, 0.0, reason, answer, **rest)

    @classmethod
    def shaping(cls, score: float, *, answer: str | None = None, reason: str = "", **rest: Any) -> Result:
        """A score in [0, 1] that only shapes: neither right nor wrong."""
        return cls(Verdict.SHAPING, score, reason, answer, **rest)

    @classmethod
    def bad_reference(cls, reason: str, *, answer: str | None = None, **rest: Any) -> Result:
        """The reference cannot be judged against: no score."""
        return cls(Verdict.BAD_REFERENCE, None, reason, answer, **rest)

    @classmethod
    def error(cls, reason: str, *, answer: str | None = None, **rest: Any) -> Result:
        """The judge failed: no score."""
        return cls(Verdict.ERROR, None, reason, answer, **rest)


class Verifier(ABC, Generic[Ref]):
    """Judges completions against references, in batches.

    A verifier of one's own is one method::

        class Exact(Verifier[str]):
            def _verify_one(self, completion, reference, **columns):
                return Result.correct(answer=completion) if completion == reference else Result.incorrect()

    Verifiers that hand whole batches to a pool override ``_verify_batch`` instead. Either hook may raise: the boundary
    in ``verify`` turns that into ``Result.error`` for the items concerned. Instances are picklable, keep no global
    state, and work from any thread or process.
    """

    @property
    def name(self) -> str:
        """A short name for logs; the class name unless a subclass says better."""
        return type(self).__name__

    @property
    def deciding(self) -> Verifier[Any]:
        """The verifier whose results these are: itself, or another one where this only moves the work elsewhere."""
        return self

    def __call__(self, *given: Any, **columns: Any) -> NoReturn:
        """Refuse: a trainer was handed the verifier itself and calls it as a reward function."""
        raise InputError(
            f"{self.name} is a verifier, not a reward function; call verify(completions, references), and give a "
            f"trainer reward_funcs=[RewardFunction({self.name}(...), reference='answer')], from assay.integrations.trl"
        )

    def verify(self, completions: Sequence[str], references: Sequence[Ref], **columns: Sequence[Any]) -> list[Result]:
        """Judge each completion against the reference of the same index.

        Args:
            completions: n texts, each the last assistant message.
            references: n references.
            **columns: Further values by name, n each (a data set's columns). Verifiers take what they know by name.

        Returns:
            n results in the order given. Pairs that are identical, columns included, are judged once.

        Raises:
            InputError: The lengths differ, or one of them is no list. No item's content ever raises.
        """
        for name, values in {"completions": completions, "references": references, **columns}.items():
            if isinstance(values, str | bytes) or not isinstance(values, Sized):
                raise InputError(f"{name} is {values!r:.80}; expected a list, with one value for each completion")
            if len(values) != len(completions):
                raise InputError(
                    f"{len(completions)} completions came with {len(values)} {name}; expected one for each"
                )
        first: dict[Hashable, int] = {}
        unique: list[int] = []
        where: list[int] = []
        for index, (completion, reference) in enumerate(zip(completions, references, strict=True)):
            key = _key(completion, reference, tuple(values[index] for values in columns.values()))
            if key not in first:
                first[key] = len(unique)
                unique.append(index)
            where.append(first[key])
        results = self._guarded(
            [completions[i] for i in unique],
            [references[i] for i in unique],
            {name: [values[i] for i in unique] for name, values in columns.items()},
        )
        return [results[i] for i in where]

    def _guarded(self, completions: list[str], references: list[Ref], columns: dict[str, list[Any]]) -> list[Result]:
        """The single boundary: a failure of ours becomes a result without a score."""
        started = time.perf_counter()
        try:
            results = list(self._verify_batch(completions, references, columns))
            if len(results) != len(completions):
                raise InputError(f"{self.name} returned {len(results)} results for {len(completions)} completions")  # noqa: TRY301 - the boundary reports it like any other failure
        except (Exception, SystemExit) as error:  # noqa: BLE001 - this is the boundary; a judge that exits failed
            results = [Result.error(_failure(self.name, error))] * len(completions)
        share = (time.perf_counter() - started) / max(1, len(completions))
        results = [one if isinstance(one, Result) else Result.error(_no_result(self.name, one)) for one in results]
        return [result if result.seconds else replace(result, seconds=share) for result in results]

    def _verify_batch(
        self, completions: list[str], references: list[Ref], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        """Judge distinct items; the default judges them one by one. Override to use a pool."""
        results = []
        for index, (completion, reference) in enumerate(zip(completions, references, strict=True)):
            started = time.perf_counter()
            try:
                result = self._verify_one(completion, reference, **{name: v[index] for name, v in columns.items()})
                if not isinstance(result, Result):
                    result = Result.error(_no_result(self.name, result))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - the same boundary, for one item
                result = Result.error(_failure(self.name, error))
            results.append(replace(result, seconds=time.perf_counter() - started))
        return results

    def _verify_one(self, completion: str, reference: Ref, **columns: Any) -> Result:
        """Judge one item."""
        raise NotImplementedError(f"{self.name} defines neither _verify_one nor _verify_batch")


def _failure(name: str, error: BaseException) -> str:
    return f"{name} failed: {type(error).__name__}: {error}"[:2000]


def _no_result(name: str, value: object) -> str:
    return f"{name} returned {value!r:.200}; expected a Result, as Result.correct() or Result.partial(0.5)"


def _key(*values: Any) -> Hashable:
    """A key under which equal content, and only equal content, meets: 1, 1.0 and True stay apart."""
    try:
        hash(values)
    except TypeError:
        return tuple(id(value) for value in values)
    return values, _types(values)


def _types(value: Any) -> Any:
    return tuple(_types(item) for item in value) if isinstance(value, tuple) else type(value)
