"""Judge programs by what their functions return; what was expected is looked at here, outside of their process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...sandbox.base import Execution, Status
from .bundle import new_token, program
from .channel import Forged, read_channel, read_form
from .checking import Question, ask
from .codec import NotComparable
from .compare import shorten
from .decoding import Decoder
from .frame import Frame
from .job import Job, Settings
from .outcome import Kind, Outcome, failure, raised
from .plan import CallPlan, CheckerPlan, Step

MAX_RUNS = 4  # of one program: after so many that were killed, the calls left over fail as the last one did
MOST_NODES = 1_000_000  # of all results of one program that are decoded here: each takes about a microsecond


class CallFailed(Exception):
    """A call brought no value; ``outcome`` says why."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.text)
        self.outcome = outcome


@dataclass(slots=True)
class Answers:
    """What came back of the calls of one program, by their number.

    Attributes:
        most_bytes: For each call, how long a result can be to be the expected one; empty where that is not known.
        forms: Encoded values, as they came.
        failures: Why others have none.
        values: Those in use.
        nodes: How much was decoded.
    """

    most_bytes: Sequence[int] = ()
    forms: dict[int, bytes] = field(default_factory=dict)
    failures: dict[int, Outcome] = field(default_factory=dict)
    values: dict[int, Any] = field(default_factory=dict)
    nodes: int = 0

    def value(self, number: int) -> Any:
        """The value of a call, decoded when it is first needed: the same object until it is let go of."""
        if number in self.values:
            return self.values[number]
        if number not in self.forms:
            raise CallFailed(self.failures[number])
        if self.nodes > MOST_NODES:
            text = f"the results of its calls hold more than {MOST_NODES} values together"
            raise CallFailed(Outcome(Kind.OUTPUT_LIMIT, "", text))
        decoder = Decoder(None)
        try:
            self.values[number] = decoder.whole(read_form(self.forms[number]))
        except NotComparable as error:
            raise CallFailed(Outcome(Kind.WRONG_ANSWER, "", f"the result cannot be compared: {error}")) from None
        finally:
            self.nodes += decoder.nodes
        return self.values[number]

    def keep(self, number: int, form: bytes) -> None:
        """Take an encoded value, unless it is too long to be the expected one: then it need not be read."""
        most = self.most_bytes[number] if self.most_bytes else len(form)
        if len(form) > most:
            text = f"got a value of {len(form)} bytes, encoded; the expected one is far smaller"
            self.failures[number] = Outcome(Kind.WRONG_ANSWER, "", text)
        else:
            self.forms[number] = form


def judge_calls(jobs: Sequence[Job[CallPlan]], settings: Settings) -> list[list[Outcome]]:
    """Make the calls of every job and evaluate its steps.

    Returns:
        For each job the outcomes of its tests in their order.
    """
    answers = [Answers(job.plan.most_bytes) for job in jobs]
    _call([(job.sources, job.plan.items, job.plan.methods) for job in jobs], answers, settings)
    outcomes = []
    for job in reversed(jobs):
        outcomes.append(_evaluate(job.plan.steps, answers.pop()))  # one at a time, and then it is let go of
    return outcomes[::-1]


def judge_checked(jobs: Sequence[Job[CheckerPlan]], settings: Settings) -> list[list[Outcome]]:
    """Make the calls of every job and have its checker look at the results."""
    answers = [Answers() for _ in jobs]
    _call([(job.sources, job.plan.items, True) for job in jobs], answers, settings)
    questions = []
    for job, found in zip(jobs, answers, strict=True):
        numbers = [number for number in range(len(job.plan.texts)) if number in found.forms]
        items = [
            [*map(json.dumps, before), found.forms[n].decode("utf-8", "replace"), json.dumps(after)]
            for n, (before, after) in ((n, job.plan.contexts[n]) for n in numbers)
        ]
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
    requests: Sequence[tuple[tuple[str, ...], Sequence[Sequence[Any]], bool]],
    answers: Sequence[Answers],
    settings: Settings,
) -> None:
    """Run every program with its calls. Where a part counts, calls after one that was killed get a run of their own."""
    todo = {index: list(range(_count(items))) for index, (_, items, _) in enumerate(requests)}
    for turn in range(MAX_RUNS):
        programs, token = [], new_token()
        for index, numbers in todo.items():
            sources, items, methods = requests[index]
            wanted = items if not turn else [items[number] for number in numbers]
            job = {"sources": sources, "items": wanted, "methods": methods, "token": token}
            programs.append(program("calls", job, imports="\n".join(sources)))
        executions = settings.sandbox.run(programs, settings.limits)[::-1]
        left: dict[int, list[int]] = {}
        for index, numbers in todo.items():
            execution = executions.pop()  # so that its bytes are not held beside what is taken of them
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
        answers.keep(number, frame[2])
    elif frame[1] == "raised":
        answers.failures[number] = raised(str(frame[2])[:300])
    else:
        answers.failures[number] = Outcome(Kind.WRONG_ANSWER, "", f"the result cannot be compared: {frame[2]!s:.200}")


def _evaluate(steps: Sequence[Step], answers: Answers) -> list[Outcome]:
    """Go through the statements as Python would; a failed one that is no test fails what follows it in its scope."""
    outcomes: list[Outcome] = []
    names: dict[str, Any] = {}
    broken: dict[int, Outcome] = {}
    last = {number: step for step in steps for number in step.calls}
    for step in steps:
        outcome = broken.get(step.scope) or _step(step, answers, names)
        if step.is_test:
            outcomes.append(Outcome(outcome.kind, step.text, outcome.text))
        elif outcome.kind is not Kind.PASSED and step.scope not in broken:
            broken[step.scope] = outcome
            outcomes.append(Outcome(outcome.kind, step.text, outcome.text))
        for number in step.calls:
            if last[number] is step:
                answers.values.pop(number, None)
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
