"""What the adapters of all trainers are made of: a judge by name, texts judged in batches, and a rule for failures.

A judge's failure, or a reference that cannot be judged against, leaves a result without a score. Few trainers have a
place for that, so each adapter says what becomes of it; none makes a silent 0 of it (docs/decisions/0090).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from ..environments.base import Environment
from ..environments.registry import make
from ..environments.rescoring import find_verifier
from ..errors import ColumnError, InputError, VerifierFailed
from ..registry import Registry
from ..verifiers.base import Result, Verdict, Verifier
from .by_prompt import PROMPT, ByPrompt

#: What a row without a score becomes where a trainer needs a number: an exception, or this number, openly chosen.
OnFailure = Literal["raise"] | float
_TARGETS: Registry[Any] = Registry("judge")  # by path alone; environments have names beside


class Judge:
    """A verifier or an environment's, ready for rows of any trainer.

    Args:
        judge: A verifier; an environment; or the name of either: ``math/gsm8k-v1``, ``package.module:attribute``,
            ``file.py:attribute``.
        options: For a judge given by name, what its class or function takes.
        on_failure: What a row without a score becomes: "raise" ``VerifierFailed``, or a number.

    Raises:
        RegistryError: Nothing has that name.
        InputError: It is neither a verifier nor an environment, or ``on_failure`` is neither.
    """

    def __init__(
        self,
        judge: Verifier[Any] | Environment | str,
        options: Mapping[str, Any] | None = None,
        *,
        on_failure: OnFailure = "raise",
    ) -> None:
        _check_rule(on_failure)
        found = named(judge, options) if isinstance(judge, str) else judge
        self.environment = found if isinstance(found, Environment) else None
        self.verifier: Verifier[Any]
        self.columns: tuple[str, ...]
        if isinstance(found, Environment):
            self.verifier, self.columns = found.verifier, found.columns
        elif isinstance(found, Verifier):
            self.verifier, self.columns = found, ()
        else:
            raise InputError(f"the judge is {found!r:.100}; expected a verifier, an environment, or the name of one")
        self.on_failure = on_failure

    def judge(
        self,
        completions: Sequence[str],
        references: Sequence[Any],
        rows: Sequence[Mapping[str, Any]] | None = None,
    ) -> list[Result]:
        """One result for each completion.

        Args:
            completions: n texts.
            references: n references; arrays, as Parquet files are read into, become lists again.
            rows: n mappings in which the columns are looked up that the environment's verifier reads. A column that
                only some rows have is None in the others; None for a trainer that hands over no rows.

        Raises:
            ColumnError: No row has a column that is read.
            InputError: A row is no mapping.
        """
        given = [{}] * len(completions) if rows is None else rows
        if rows and self.columns:
            self._check_columns(rows)
        columns = {name: [plain(row.get(name)) for row in given] for name in self.columns}
        return self.verifier.verify(list(completions), [plain(reference) for reference in references], **columns)

    def by_prompt(self) -> Judge:
        """The same for a trainer that hands over prompts and no columns: those come from the environment's tasks.

        Returns:
            A judge that reads the column ``prompt``; this one where it reads no columns.

        Raises:
            DataUnavailable: The tasks are neither on disk nor reachable.
        """
        if self.environment is None or not self.columns:
            return self
        verifier = ByPrompt(self.environment)
        verifier.read()
        judge = Judge(verifier, on_failure=self.on_failure)
        judge.columns = (PROMPT,)
        return judge

    def _check_columns(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Judged without a column that it needs, a right answer could be scored as a wrong one."""
        for row in rows:
            if not isinstance(row, Mapping):
                raise InputError(f"a row is {row!r:.100}; expected a mapping with {', '.join(self.columns)}")
        for name in self.columns:
            if not any(name in row for row in rows):
                have = ", ".join(sorted({str(key) for row in rows for key in row})[:20])
                raise ColumnError(f"{self.verifier.name} reads the column {name!r}; the rows have {have or 'none'}")

    def reward(self, result: Result) -> float:
        """The score, or what stands for it.

        Raises:
            VerifierFailed: There is none, and ``on_failure`` says so.
        """
        if result.score is not None:
            return result.score
        if self.on_failure == "raise":
            raise VerifierFailed(
                f"{self.verifier.name} could not judge a completion: {result.reason}. To train on without its score, "
                "choose a number for such rows with on_failure"
            )
        return float(self.on_failure)


@lru_cache(maxsize=64)
def _judge_of(judge: str, options: str, on_failure: OnFailure) -> Judge:
    return Judge(judge, json.loads(options), on_failure=on_failure)


def judge_of(judge: str, options: Mapping[str, Any] | None, on_failure: OnFailure) -> Judge:
    """A judge by name; one for equal arguments in each process, since trainers call plain functions, row by row."""
    _check_rule(on_failure)
    try:
        text = json.dumps(plain(dict(options or {})), sort_keys=True, default=list)
    except (TypeError, ValueError) as error:
        raise InputError(f"the options of {judge!r} are not JSON values: {error}") from error
    return _judge_of(judge, text, on_failure)


def measures(result: Result) -> dict[str, float]:
    """A result as numbers, the same names for every result: what trainers average and log.

    ``acc`` is right or wrong apart from any shaping; of a result that only shapes, or failed, it is the score or 0.
    """
    correct = result.is_correct
    return {
        "acc": float(correct if correct is not None else result.score or 0.0),
        "no_answer": float(result.verdict is Verdict.NO_ANSWER),
        "limit_exceeded": float(result.verdict is Verdict.LIMIT_EXCEEDED),
        "judge_failed": float(result.verdict.is_ours),
    }


def plain(value: Any) -> Any:
    """A value without NumPy's types, in which data frames and their files are read."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if type(value) is list else value


def _check_rule(on_failure: object) -> None:
    number = isinstance(on_failure, int | float) and not isinstance(on_failure, bool) and math.isfinite(on_failure)
    if on_failure != "raise" and not number:
        raise InputError(f"on_failure is {on_failure!r}; expected 'raise' or the number that stands for no score")


def named(name: str, options: Mapping[str, Any] | None = None) -> Any:
    """The verifier or environment of a name, made with these options.

    Raises:
        RegistryError: Nothing has that name.
        InputError: It cannot be made with the options.
    """
    options = dict(options or {})
    if ":" not in name:
        return make(name, **options)
    target = _TARGETS.get(name)
    if isinstance(target, Environment) or (isinstance(target, type) and issubclass(target, Environment)):
        return make(name, **options)
    if not options:
        return find_verifier(name)
    try:
        return target(**options)
    except TypeError as error:
        raise InputError(f"{name!r} cannot be made with {options}: {error}") from error
