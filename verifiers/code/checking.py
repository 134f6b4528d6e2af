"""Special checkers: trusted code that decides on outputs, in sandboxes that never see the policy's program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...sandbox.base import Execution, Status
from .bundle import new_token, program
from .channel import Forged, read_channel
from .job import Settings
from .outcome import Kind, Outcome


@dataclass(frozen=True, slots=True)
class Question:
    """Outputs of one program for its checker.

    Attributes:
        checker: Source that defines ``check``.
        names: A name for each item.
        items: Arguments of ``check`` for each output, encoded and as JSON: what a program wrote is not parsed here.
    """

    checker: str
    names: Sequence[str]
    items: Sequence[Sequence[str]]


def ask(questions: Sequence[Question], settings: Settings) -> list[list[Outcome]]:
    """The outcomes of every item of every question, in their order."""
    asked = [question for question in questions if question.items]
    token = new_token()
    programs = [
        program("checker", {"source": q.checker, "items": q.items, "token": token}, imports=q.checker) for q in asked
    ]
    executions = iter(settings.sandbox.run(programs, settings.limits) if programs else [])
    return [_outcomes(question, next(executions), token) if question.items else [] for question in questions]


def _outcomes(question: Question, execution: Execution, token: str) -> list[Outcome]:
    answers: dict[int, list[Any]] = {}
    try:
        events = read_channel(execution.result, token, len(question.items))
    except Forged:
        fault = "the checker wrote to file descriptor 3, which is not its own"
        return [Outcome(Kind.BAD_TESTS, name, fault) for name in question.names]
    for frame in events:
        if frame[0] == "load":
            fault = f"the checker cannot be used: {frame[1]}"
            return [Outcome(Kind.BAD_TESTS, name, fault) for name in question.names]
        answers[frame[0]] = frame[1:]
    return [_outcome(name, answers.get(index), execution) for index, name in enumerate(question.names)]


def _outcome(name: str, answer: list[Any] | None, execution: Execution) -> Outcome:
    if answer is None:
        if execution.status is Status.SANDBOX_ERROR:
            return Outcome(Kind.SANDBOX_ERROR, name, execution.reason)
        return Outcome(Kind.WRONG_ANSWER, name, f"the checker did not finish on it ({execution.status.name.lower()})")
    if answer[0] == "judged":
        return (
            Outcome(Kind.PASSED, name)
            if answer[1] is True
            else Outcome(Kind.WRONG_ANSWER, name, "the checker refused it")
        )
    if answer[0] == "broken":
        return Outcome(Kind.BAD_TESTS, name, f"the checker failed: {answer[1]}")
    return Outcome(Kind.WRONG_ANSWER, name, f"the checker raised {answer[1]}")
