"""ms-swift: a reward for ``--external_plugins plugin.py --reward_funcs assay``.

The plugin has two lines::

    from assay.integrations.swift import register
    register("assay", "math/gsm8k-v1", reference="solution")

Read at ms-swift 4.6.0 (``rewards/orm.py``, ``rl_core/grpo_algorithm.py``, ``rl_core/advantage.py``): called with the
texts of the completions and the data set's columns by name, n values each; ``prompt_id`` tells groups apart.

**Failures of the judge.** ms-swift allows None, but adds up a row's rewards without it, so that a row with no other
reward gets 0. With ``on_failure`` "neutral" such a row gets the mean of the others of its group instead, which is no
advantage and no disadvantage; None where the whole group failed: then all are equal. "none" is None always, "raise" an
exception.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Literal

from ..environments.base import Environment
from ..errors import ColumnError, InputError, MissingExtra, VerifierFailed
from ..verifiers.base import Result, Verifier
from .judging import Judge

_LOG = logging.getLogger("assay.swift")
_CHOICES = ("neutral", "none", "raise")


def reward_class(
    judge: Verifier[Any] | Environment | str,
    options: Mapping[str, Any] | None = None,
    *,
    reference: str = "solution",
    on_failure: Literal["neutral", "none", "raise"] = "neutral",
) -> type[Any]:
    """A class of rewards as ms-swift makes them: ``cls(args=…)`` gives a function of completions and columns.

    Args:
        judge: As ``Judge`` takes it.
        options: For a judge given by name, what it is made with.
        reference: The data set column with the references.
        on_failure: What a row without a score becomes; see the module.

    Raises:
        MissingExtra: ms-swift is not installed.
    """
    if on_failure not in _CHOICES:
        raise InputError(f"on_failure is {on_failure!r}; expected one of {', '.join(_CHOICES)}")
    found = Judge(judge, options)
    base: Any = _rewards().ORM

    class AssayORM(base):  # type: ignore[misc]
        """Completions, judged."""

        def __call__(self, completions: Sequence[str], **columns: Any) -> list[float | None]:
            """The rewards of a batch: n numbers, None as the module says."""
            return rewards(found, completions, columns, reference, on_failure)

    return AssayORM


def register(name: str, judge: Verifier[Any] | Environment | str, *given: Any, **options: Any) -> None:
    """Put a class of rewards into ms-swift's table under ``name``; see ``reward_class``."""
    _rewards().orms[name] = reward_class(judge, *given, **options)


def rewards(
    judge: Judge, completions: Sequence[str], columns: Mapping[str, Any], reference: str, on_failure: str
) -> list[float | None]:
    """Judge a batch and apply the rule for failures.

    Raises:
        ColumnError: The column with the references is absent, or a column is not as long as the batch.
        VerifierFailed: The judge failed and the rule is "raise".
    """
    if reference not in columns:
        raise ColumnError(f"the data set has no column {reference!r}; it has {', '.join(sorted(columns))}")
    for name in (reference, "prompt_id", *judge.columns):
        if name in columns and (not isinstance(columns[name], Sized) or len(columns[name]) != len(completions)):
            raise ColumnError(f"the column {name!r} is {columns[name]!r:.100}; expected {len(completions)} values")
    rows = [{name: columns[name][n] for name in judge.columns if name in columns} for n in range(len(completions))]
    results = judge.judge(completions, columns[reference], rows)
    failed = [result for result in results if result.score is None]
    if failed:
        said = f"{len(failed)} of {len(results)} completions could not be judged; the first: {failed[0].reason}"
        if on_failure == "raise":
            raise VerifierFailed(said)
        _LOG.warning(said)
    found = [result.score for result in results]
    return _neutral(results, columns.get("prompt_id")) if failed and on_failure == "neutral" else found


def _neutral(results: Sequence[Result], groups: Sequence[Any] | None) -> list[float | None]:
    """Scores, with the mean of the group for those that are missing."""
    keys = list(groups) if groups is not None else [None] * len(results)
    judged: dict[Any, list[float]] = {}
    for key, result in zip(keys, results, strict=True):
        if result.score is not None:
            judged.setdefault(key, []).append(result.score)
    means = {key: sum(scores) / len(scores) for key, scores in judged.items()}
    return [
        result.score if result.score is not None else means.get(key) for key, result in zip(keys, results, strict=True)
    ]


def _rewards() -> Any:
    try:
        return importlib.import_module("swift.rewards")
    except ImportError as error:
        raise MissingExtra("ms-swift") from error
