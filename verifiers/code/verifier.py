"""``CodeVerifier``: judges the program in a completion by a test suite."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from ...errors import InputError
from ...sandbox.base import Limits, Sandbox
from ..base import Result, Verifier
from .extract import TAGS, extract
from .suite import TestSuite

PLANS_KEPT = 4096


class CodeVerifier(Verifier[TestSuite | str]):
    """Judges programs by test suites, in sandboxes.

    Expected values, checkers and test text never enter the process that runs the policy's program: inputs go in, plain
    values come out over a private channel, and the comparison happens elsewhere. References are suites, or their
    JSON text as ``TestSuite.to_json`` writes it.

    A result's ``parts`` hold the score of every test, None for tests that were not run. Its ``details`` hold
    ``passed``, ``total``, ``failure`` (the kind of the first failure: "syntax_error", "runtime_error", "wrong_answer",
    "time_limit", "memory_limit", "output_limit", ...) and ``tests`` (what became of each).

    Args:
        sandbox: Where programs run: an open sandbox, which stays the caller's to close, or the name of a backend,
            opened when first needed; None is "auto". An open sandbox is not pickled: a copy opens "auto".
        limits: What each run may use. A run is one input of a "stdio" suite, or all calls of any other.
        all_or_nothing: Whether a program that fails a test gets 0; else it gets the fraction of tests that it passed.
        stop_at_first_failure: Whether the tests after the first failure are left out; they count as not passed.
        language: The language of whole programs ("stdio" suites); all other suites judge Python.

    Raises:
        InputError: There is no such language.
    """

    def __init__(
        self,
        sandbox: Sandbox | str | None = None,
        *,
        limits: Limits | None = None,
        all_or_nothing: bool = False,
        stop_at_first_failure: bool = False,
        language: str = "python",
    ) -> None:
        if language not in TAGS:
            raise InputError(f"no language is called {language!r}; there are {', '.join(TAGS)}")
        self.limits = limits or Limits()
        self.all_or_nothing = all_or_nothing
        self.stop_at_first_failure = stop_at_first_failure
        self.language = language
        self._backend = sandbox if isinstance(sandbox, str) else "auto"
        self._given = None if isinstance(sandbox, str) else sandbox
        self._start()

    def _start(self) -> None:
        """What a pickle does not carry."""
        self._opened: Sandbox | None = None
        self._lock = threading.Lock()
        self._plan = lru_cache(PLANS_KEPT)(_plan)

    def __getstate__(self) -> dict[str, Any]:
        left_behind = ("_opened", "_lock", "_plan")
        return {**{name: value for name, value in self.__dict__.items() if name not in left_behind}, "_given": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def close(self) -> None:
        """Close the sandbox that this verifier opened; the next use opens another."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sandbox(self) -> Sandbox:
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                from ...sandbox import open_sandbox  # here, so that importing the verifiers stays light

                self._opened = open_sandbox(self._backend)
            return self._opened

    def _verify_batch(
        self, completions: list[str], references: list[TestSuite | str], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        """Extract the programs, judge each different (program, suite) once, all in one go."""
        from .job import Job, Settings  # here, so that importing the verifiers stays light
        from .judging import judge
        from .outcome import result_of

        results: list[Result | None] = [None] * len(completions)
        jobs: dict[Any, Job[Any]] = {}
        waiting: list[tuple[int, Any, str]] = []
        for index, (completion, reference) in enumerate(zip(completions, references, strict=True)):
            suite, plan = self._plan(reference) if isinstance(reference, TestSuite | str) else _plan(reference)
            if isinstance(plan, str):
                results[index] = Result.bad_reference(plan)
                continue
            if self.language != "python" and suite.kind != "stdio":
                results[index] = Result.bad_reference(f"a suite of {suite.kind} judges Python, not {self.language}")
                continue
            found = extract(completion, suite, self.language)
            if found is None:
                results[index] = Result.no_answer(f"no {self.language} program was found in the completion")
            elif not _encodable(found.sources):
                results[index] = _not_unicode(found.program)
            else:
                key = found.sources, suite
                jobs.setdefault(key, Job(found.sources, plan))
                waiting.append((index, key, found.program))
        if jobs:
            partial = not self.all_or_nothing
            settings = Settings(self._sandbox(), self.limits, self.language, self.stop_at_first_failure, partial)
            outcomes = dict(zip(jobs, judge(list(jobs.values()), settings), strict=True))
            for index, key, program in waiting:
                results[index] = result_of(outcomes[key], program, all_or_nothing=self.all_or_nothing)
        return [result for result in results if result is not None]


def _plan(reference: TestSuite | str) -> tuple[TestSuite, Any]:
    """A reference's suite with its plan, or with what is wrong with it."""
    from .plan import BadSuite
    from .planning import plan_of

    if not isinstance(reference, TestSuite | str):
        return TestSuite(""), (
            f"the reference is {reference!r:.60}, of type {type(reference).__name__}; expected a TestSuite, as "
            "TestSuite.from_asserts(...), from_stdio, from_calls and from_code make one, or the text of its to_json()"
        )
    try:
        suite = reference if isinstance(reference, TestSuite) else TestSuite.from_json(reference)
    except InputError as error:
        return TestSuite(""), str(error)
    try:
        return suite, plan_of(suite)
    except BadSuite as error:
        return suite, str(error)


def _not_unicode(program: str) -> Result:
    details = {"passed": 0, "total": 0, "failure": "syntax_error", "tests": []}
    return Result.incorrect(answer=program, reason="syntax error: the text is not Unicode", details=details)


def _encodable(sources: Sequence[str]) -> bool:
    try:
        "".join(sources).encode()
    except UnicodeEncodeError:
        return False
    return True
