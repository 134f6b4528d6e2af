"""Judge whole programs by what they print."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ...sandbox.base import Execution, Program, Status
from .checking import Question, ask
from .codec import encode
from .compare import shorten
from .job import Job, Settings
from .outcome import Kind, Outcome, failure
from .plan import StdioPlan

_SYNTAX = ("SyntaxError", "IndentationError", "TabError")


def judge_stdio(jobs: Sequence[Job[StdioPlan]], settings: Settings) -> list[list[Outcome]]:
    """Run every program on every input; with ``settings.stop`` in waves that double, until its first failure.

    Returns:
        For each job the outcomes of its cases in their order.
    """
    outcomes: list[list[Outcome]] = [[] for _ in jobs]
    alive = [index for index, job in enumerate(jobs) if job.plan.cases]
    wave = 1
    while alive:
        spans = [range(len(outcomes[i]), min(len(jobs[i].plan.cases), len(outcomes[i]) + wave)) for i in alive]
        if not settings.stop:
            spans = [range(len(jobs[i].plan.cases)) for i in alive]
        executions = iter(settings.sandbox.run(_programs(jobs, alive, spans, settings.language), settings.limits))
        asked = [[next(executions) for _ in span] for span in spans]
        judged = _judge([jobs[i].plan for i in alive], spans, asked, settings)
        for index, found in zip(alive, judged, strict=True):
            outcomes[index].extend(found)
        alive = [i for i in alive if len(outcomes[i]) < len(jobs[i].plan.cases) and _all_passed(outcomes[i])]
        wave *= 2
    return [found + _not_run(job.plan, len(found)) for job, found in zip(jobs, outcomes, strict=True)]


def _programs(jobs: Sequence[Job[StdioPlan]], alive: list[int], spans: list[range], language: str) -> list[Program]:
    return [
        Program(
            jobs[i].sources[-1], stdin=jobs[i].plan.cases[case][0].encode("utf-8", "surrogatepass"), language=language
        )
        for i, span in zip(alive, spans, strict=True)
        for case in span
    ]


def _judge(
    plans: list[StdioPlan], spans: list[range], asked: list[list[Execution]], settings: Settings
) -> list[list[Outcome]]:
    """Compare the outputs, or have them checked."""
    found: list[list[Outcome | None]] = []
    questions: list[Question] = []
    for plan, span, executions in zip(plans, spans, asked, strict=True):
        names = [f"stdin {shorten(plan.cases[case][0], 80)}" for case in span]
        first = [_failed(execution, name) for execution, name in zip(executions, names, strict=True)]
        texts = [execution.stdout.decode("utf-8", "surrogateescape") for execution in executions]
        items, open_names = [], []
        for position, case in enumerate(span):
            stdin, expected = plan.cases[case]
            if first[position] is None and plan.compare is not None:
                first[position] = _compared(plan, names[position], expected, texts[position])
            elif first[position] is None:
                items.append([json.dumps(encode(text)) for text in (stdin, texts[position], expected)])
                open_names.append(names[position])
        found.append(first)
        questions.append(Question(plan.checker, open_names, items))
    answers = [iter(outcomes) for outcomes in ask(questions, settings)]
    return [[o or next(checked) for o in first] for first, checked in zip(found, answers, strict=True)]


def _compared(plan: StdioPlan, name: str, expected: str, printed: str) -> Outcome:
    assert plan.compare is not None
    if plan.compare(expected, printed):
        return Outcome(Kind.PASSED, name)
    return Outcome(Kind.WRONG_ANSWER, name, f"expected {shorten(expected)}, got {shorten(printed)}")


def _failed(execution: Execution, name: str) -> Outcome | None:
    """The outcome of a run that did not end well; None where its output is to be looked at."""
    if execution.status is Status.OK and not execution.truncated:
        return None
    if execution.status is Status.NONZERO_EXIT:
        last = execution.stderr.rstrip().rpartition(b"\n")[2].decode("utf-8", "replace")[:200]
        if last.startswith(_SYNTAX):
            return Outcome(Kind.SYNTAX_ERROR, name, last)
        if last.startswith("MemoryError"):
            return Outcome(Kind.MEMORY_LIMIT, name, last)
        return Outcome(Kind.RUNTIME_ERROR, name, f"exit code {execution.exit_code}: {last}")
    return failure(execution, name)


def _all_passed(outcomes: list[Outcome]) -> bool:
    return all(outcome.kind is Kind.PASSED for outcome in outcomes)


def _not_run(plan: StdioPlan, done: int) -> list[Outcome]:
    return [Outcome(Kind.NOT_RUN, f"stdin {shorten(stdin, 80)}") for stdin, _ in plan.cases[done:]]
