"""The contract of a verifier as a test class: inherit it, name a verifier and examples, and run pytest.

::

    class TestMine(VerifierConformance):
        verifier = Mine()
        examples = [("42", "42", Verdict.CORRECT), ("41", "42", Verdict.INCORRECT)]
"""

from __future__ import annotations

import asyncio
import math
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any, ClassVar

import pytest

from ..errors import InputError
from .base import Result, Verdict, Verifier

HOSTILE: Sequence[str] = (
    "",
    " ",
    "\x00",
    "\ud800",
    "nan",
    "-inf",
    "1e999999999",
    "\\boxed{",
    "\\boxed{}" * 50,
    "{" * 5000,
    "(" * 5000 + ")" * 5000,
    "<think>" * 2000,
    "</answer><answer>",
    "9" * 20000,
    "2^{2^{2^{2^{2^{2}}}}}",
    "\u202e24\u202c\u200b",
    "__import__('os').system('true')",
    "```python\nwhile True: pass\n```" * 20,
    "a\n" * 20000,
)


class VerifierConformance:
    """What every verifier must do. Examples are ``(completion, reference, verdict)``.

    Attributes:
        verifier: The instance under test.
        examples: At least one correct and one incorrect example.
        columns: Constant values of the columns that the verifier needs, by name.
    """

    verifier: ClassVar[Verifier[Any]]
    examples: ClassVar[Sequence[tuple[str, Any, Verdict]]]
    columns: ClassVar[dict[str, Any]] = {}

    def _verify(self, rows: Sequence[tuple[str, Any]], verifier: Verifier[Any] | None = None) -> list[Result]:
        return _judge(verifier or self.verifier, rows, self.columns)

    @property
    def _rows(self) -> list[tuple[str, Any]]:
        return [(completion, reference) for completion, reference, _ in self.examples]

    def test_examples_are_judged_as_labelled(self) -> None:
        """The examples, one correct and one incorrect at least, get their verdicts."""
        wanted = [verdict for _, _, verdict in self.examples]
        assert Verdict.CORRECT in wanted
        assert len(set(wanted)) > 1
        assert [result.verdict for result in self._verify(self._rows)] == wanted

    def test_an_empty_batch_is_an_empty_list(self) -> None:
        """No rows, no results."""
        assert self._verify([]) == []

    def test_lengths_that_differ_are_refused(self) -> None:
        """One completion without a reference is the caller's error."""
        with pytest.raises(InputError, match="1 completions came with 0 references"):
            self.verifier.verify(["x"], [])

    def test_hostile_completions_are_scored_and_never_raise(self) -> None:
        """Whatever a policy wrote has a finite score in [0, 1]: it is never our error."""
        reference = self._rows[0][1]
        for text, result in zip(HOSTILE, self._verify([(text, reference) for text in HOSTILE]), strict=True):
            assert not result.verdict.is_ours, f"{text[:40]!r}: {result.reason}"
            assert result.score is not None
            assert math.isfinite(result.score)

    def test_a_verdict_does_not_depend_on_the_batch(self) -> None:
        """Alone, in order, reversed and repeated: the same verdicts."""
        rows = self._rows
        alone = [_outcome(self._verify([row])[0]) for row in rows]
        assert [_outcome(result) for result in self._verify(rows)] == alone
        assert [_outcome(result) for result in self._verify(rows[::-1])] == alone[::-1]
        assert [_outcome(result) for result in self._verify(rows * 3)] == alone * 3

    def test_it_survives_pickling(self) -> None:
        """A copy through pickle judges alike."""
        copy = pickle.loads(pickle.dumps(self.verifier))  # noqa: S301 - our own bytes
        assert list(map(_outcome, self._verify(self._rows, copy))) == list(map(_outcome, self._verify(self._rows)))

    def test_it_works_from_threads(self) -> None:
        """Eight threads at once, none of them the main one."""
        wanted = list(map(_outcome, self._verify(self._rows)))
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(self._verify, [self._rows] * 16):
                assert list(map(_outcome, found)) == wanted

    def test_it_works_in_a_spawned_process(self) -> None:
        """A process that inherited nothing judges alike."""
        wanted = list(map(_outcome, self._verify(self._rows)))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found = pool.submit(_judge, self.verifier, self._rows, self.columns).result()
        assert list(map(_outcome, found)) == wanted

    def test_it_works_in_an_asyncio_executor(self) -> None:
        """``asyncio.to_thread`` is enough to await it."""
        found = asyncio.run(asyncio.to_thread(self._verify, self._rows))
        assert list(map(_outcome, found)) == list(map(_outcome, self._verify(self._rows)))


def _judge(verifier: Verifier[Any], rows: Sequence[tuple[str, Any]], columns: dict[str, Any]) -> list[Result]:
    return verifier.verify(
        [completion for completion, _ in rows],
        [reference for _, reference in rows],
        **{name: [value] * len(rows) for name, value in columns.items()},
    )


def _outcome(result: Result) -> Result:
    """The result without its time, which may differ."""
    return replace(result, seconds=0.0)
