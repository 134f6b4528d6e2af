"""What became of each test, and of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...sandbox.base import Execution, Status
from ..base import Result


class Kind(StrEnum):
    """What became of one test. The last two are ours, never the program's."""

    PASSED = "passed"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    SYNTAX_ERROR = "syntax_error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"
    NOT_RUN = "not_run"
    BAD_TESTS = "bad_tests"
    SANDBOX_ERROR = "sandbox_error"


LIMITS = (Kind.TIME_LIMIT, Kind.MEMORY_LIMIT, Kind.OUTPUT_LIMIT, Kind.PROCESS_LIMIT, Kind.DISK_LIMIT)
_BY_STATUS = {
    Status.SANDBOX_ERROR: Kind.SANDBOX_ERROR,
    Status.TIME_LIMIT: Kind.TIME_LIMIT,
    Status.MEMORY_LIMIT: Kind.MEMORY_LIMIT,
    Status.OUTPUT_LIMIT: Kind.OUTPUT_LIMIT,
    Status.PROCESS_LIMIT: Kind.PROCESS_LIMIT,
    Status.DISK_LIMIT: Kind.DISK_LIMIT,
    Status.COMPILE_ERROR: Kind.SYNTAX_ERROR,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one test.

    Attributes:
        kind: In a word.
        name: The test's text.
        text: What happened, in a sentence.
    """

    kind: Kind
    name: str
    text: str = ""


def failure(execution: Execution, name: str = "") -> Outcome:
    """The outcome of a test whose run brought no answer."""
    kind = _BY_STATUS.get(execution.status, Kind.RUNTIME_ERROR)
    if execution.status is Status.OK and execution.truncated:
        kind = Kind.OUTPUT_LIMIT
    text = execution.reason
    if not text and kind is Kind.RUNTIME_ERROR:
        how = f"signal {execution.signal}" if execution.signal else f"exit code {execution.exit_code}"
        text = f"the program ended the process ({how})"
    return Outcome(kind, name, text or kind.replace("_", " "))


def raised(text: str, name: str = "") -> Outcome:
    """The outcome of a test in which the program raised an exception."""
    kind = Kind.MEMORY_LIMIT if text.startswith("MemoryError") else Kind.RUNTIME_ERROR
    return Outcome(kind, name, text)


def result_of(outcomes: Sequence[Outcome], program: str, *, all_or_nothing: bool) -> Result:
    """The result of a program from the outcomes of its tests, in their order.

    Args:
        outcomes: At least one.
        program: What was judged.
        all_or_nothing: Whether a part of the tests is worth nothing.
    """
    for kind, make in ((Kind.SANDBOX_ERROR, Result.error), (Kind.BAD_TESTS, Result.bad_reference)):
        ours = next((outcome for outcome in outcomes if outcome.kind is kind), None)
        if ours is not None:
            return make(f"{kind.replace('_', ' ')}: {ours.text}"[:500], answer=program)
    passed = sum(outcome.kind is Kind.PASSED for outcome in outcomes)
    first = next((outcome for outcome in outcomes if outcome.kind is not Kind.PASSED), None)
    details = {
        "passed": passed,
        "total": len(outcomes),
        "failure": first.kind.value if first else None,
        "tests": [{"test": o.name, "outcome": o.kind.value, "text": o.text} for o in outcomes],
    }
    parts = {f"test {number}": _score(outcome) for number, outcome in enumerate(outcomes, start=1)}
    if first is None:
        return Result.correct(answer=program, reason=f"passed all {passed} tests", parts=parts, details=details)
    number = outcomes.index(first) + 1
    reason = f"{passed} of {len(outcomes)} tests passed; {first.kind.replace('_', ' ')} in test {number}: {first.text}"[
        :500
    ]
    if passed and not all_or_nothing:
        return Result.partial(passed / len(outcomes), answer=program, reason=reason, parts=parts, details=details)
    if first.kind in LIMITS:
        return Result.limit_exceeded(reason, answer=program, parts=parts, details=details)
    return Result.incorrect(answer=program, reason=reason, parts=parts, details=details)


def _score(outcome: Outcome) -> float | None:
    return None if outcome.kind is Kind.NOT_RUN else float(outcome.kind is Kind.PASSED)
