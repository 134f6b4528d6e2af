"""Judge programs by what their functions return; what was expected is looked at here, outside of their process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...sandbox.base import Execution, Status
from .bundle import new_token, program
from .channel import Forged, read_channel
from .checking import Question, ask
from .codec import NotComparable
from .compare import shorten
from .decoding import decode
from .frame import Frame
from .job import Job, Settings
from .outcome import Kind, Outcome, failure, raised
from .plan import CallPlan, CheckerPlan, Step

MAX_RUNS = 4  # of one program: after so many that were killed, the calls left over fail as the last one did


class CallFailed(Exception):
    """A call brought no value; ``outcome`` says why."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.text)
        self.outcome = outcome


@dataclass(slots=True)
class Answers:
    """What came back of the calls of one program, by their number.

    Attributes:
        forms: Encoded values.
        failures: Why others have none.
    """

    forms: dict[int, Any] = field(default_factory=dict)
    failures: dict[int, Outcome] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)

    def value(self, number: int) -> Any:
        """The value of a call, decoded when it is first needed: the same object each time."""
        if number in self.values:
            return self.values[number]
        if number not in self.forms:
            raise CallFailed(self.failures[number])
        try:
            self.values[number] = decode(self.forms[number])
        except NotComparable as error:
            raise CallFailed(Outcome(Kind.WRONG_ANSWER, "", f"the result cannot be compared: {error}")) from None
        return self.values[number]


def judge_calls(jobs: Sequence[Job[CallPlan]], settings: Settings) -> list[list[Outcome]]:
    """Make the calls of every job and evaluate its steps.

    Returns:
        For each job the outcomes of its tests in their order.
    """
    answers = _call([(job.sources, job.plan.items, job.plan.methods) for job in jobs], settings)
    return [_evaluate(job.plan.steps, found) for job, found in zip(jobs, answers, strict=True)]


def judge_checked(jobs: Sequence[Job[CheckerPlan]], settings: Settings) -> list[list[Outcome]]:
    """Make the calls of every job and have its checker look at the results."""
    answers = _call([(job.sources, job.plan.items, True) for job in jobs], settings)
    questions = []
    for job, found in zip(jobs, answers, strict=True):
        numbers = [number for number in range(len(job.plan.texts)) if number in found.forms]
        items = [[*job.plan.contexts[n][0], found.forms[n], job.plan.contexts[n][1]] for n in numbers]
        questions.append(Question(job.plan.checker, [job.plan.texts[n] for n in numbers], items))
    outcomes = []
    for job, found, judged in zip(jobs, answers, ask(questions, settings), strict=True):
        checked = iter(judged)
        outcomes.append(
            [
                next(checked) if n in found.forms else Outcome(found.failures[n].kind, text, found.failures[n].text)
                for n, text in enumerate(job.plan.texts)
            ]
        )
    return outcomes


def _call(
    requests: Sequence[tuple[tuple[str, ...], Sequence[Sequence[Any]], bool]], settings: Settings
) -> list[Answers]:
    """Run every program with its calls. Where a part counts, calls after one that was killed get a run of their own."""
    answers = [Answers() for _ in requests]
    todo = {index: list(range(_count(items))) for index, (_, items, _) in enumerate(requests)}
    for turn in range(MAX_RUNS):
        programs, token = [], new_token()
        for index, numbers in todo.items():
            sources, items, methods = requests[index]
            wanted = items if not turn else [items[number] for number in numbers]
            job = {"sources": sources, "items": wanted, "methods": methods, "token": token}
            programs.append(program("calls", job, imports="\n".join(sources)))
        executions = settings.sandbox.run(programs, settings.limits)
        left: dict[int, list[int]] = {}
        for (index, numbers), execution in zip(todo.items(), executions, strict=True):
            rest = _read(execution, token, numbers, answers[index])
            again = settings.partial and not settings.stop and all(item[0] == "call" for item in requests[index][1])
            if rest and again and turn + 1 < MAX_RUNS and execution.status is not Status.SANDBOX_ERROR:
                left[index] = rest
            else:
                last = failure(execution)
                answers[index].failures.update(dict.fromkeys(rest, last))
        todo = left
        if not todo:
            break
    return answers


def _count(items: Sequence[Sequence[Any]]) -> int:
    return sum(item[0] != "exec" for item in items)


def _read(execution: Execution, token: str, numbers: list[int], answers: Answers) -> list[int]:
    """Take the answers of one run; the numbers of the calls that it did not come to, after the one that ended it."""
    try:
        events = read_channel(execution.result, token, len(numbers) + 1)
    except Forged as error:
        answers.failures.update(dict.fromkeys(numbers, Outcome(Kind.RUNTIME_ERROR, "", str(error))))
        return []
    if events and events[0][0] == "load" and len(events[0]) == 3:
        kind, text = str(events[0][1]), str(events[0][2])[:300]
        outcome = Outcome(Kind.SYNTAX_ERROR, "", text) if kind == "syntax" else raised(text)
        answers.failures.update(dict.fromkeys(numbers, outcome))
        return []
    found = {event[0]: event for event in events if type(event[0]) is int and len(event) == 3}
    for position, number in enumerate(numbers):
        if position in found:
            _take(found[position], number, answers)
    missing = [number for position, number in enumerate(numbers) if position not in found]
    if not missing:
        if execution.status is not Status.OK:  # every answer came, but the run did not end as it should
            answers.forms.pop(numbers[-1], None)
            answers.failures[numbers[-1]] = failure(execution)
        return []
    answers.failures[missing[0]] = failure(execution)
    if not events:  # it did not even load: no other call would fare better
        answers.failures.update(dict.fromkeys(missing, failure(execution)))
        return []
    return missing[1:]


def _take(frame: list[Any], number: int, answers: Answers) -> None:
    if frame[1] == "ok":
        answers.forms[number] = frame[2]
    elif frame[1] == "raised":
        answers.failures[number] = raised(str(frame[2])[:300])
    else:
        answers.failures[number] = Outcome(Kind.WRONG_ANSWER, "", f"the result cannot be compared: {frame[2]!s:.200}")


def _evaluate(steps: Sequence[Step], answers: Answers) -> list[Outcome]:
    """Go through the statements as Python would; a failed one that is no test fails what follows it in its scope."""
    outcomes: list[Outcome] = []
    names: dict[str, Any] = {}
    broken: dict[int, Outcome] = {}
    for step in steps:
        outcome = broken.get(step.scope) or _step(step, answers, names)
        if step.is_test:
            outcomes.append(Outcome(outcome.kind, step.text, outcome.text))
        elif outcome.kind is not Kind.PASSED and step.scope not in broken:
            broken[step.scope] = outcome
            outcomes.append(Outcome(outcome.kind, step.text, outcome.text))
    return outcomes


def _step(step: Step, answers: Answers, names: dict[str, Any]) -> Outcome:
    for number in step.calls:
        failed = answers.failures.get(number)
        if failed is not None and (step.run is not None or not _returned(failed)):
            return failed
    if step.run is None:
        return Outcome(Kind.PASSED, step.text)
    try:
        value = step.run(Frame(answers.value, dict(names)))
        holds = bool(step.bind or value)
    except CallFailed as error:
        return error.outcome
    except Exception as error:  # noqa: BLE001  (what the expression raises, natively fails the assert)
        return Outcome(Kind.WRONG_ANSWER, step.text, f"{type(error).__name__}: {error}"[:300])
    if step.bind:
        names[step.bind] = value
    return Outcome(Kind.PASSED, step.text) if holds else Outcome(Kind.WRONG_ANSWER, step.text, _got(step, answers))


def _returned(outcome: Outcome) -> bool:
    """Whether a call did return, though nothing that can be compared."""
    return outcome.kind is Kind.WRONG_ANSWER


def _got(step: Step, answers: Answers) -> str:
    results = ", ".join(shorten(answers.value(number)) for number in step.calls)
    return f"got {results}" if results else "it does not hold"
