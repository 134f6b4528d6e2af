"""Judge programs by tests that run as they are: tests in one sandbox, the program in another, values between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...sandbox.base import Execution, Status
from .bundle import new_token, program
from .job import Job, Settings
from .outcome import Kind, Outcome, failure, raised
from .plan import LinkedPlan

_KINDS = {"passed": Kind.PASSED, "wrong": Kind.WRONG_ANSWER, "reference": Kind.BAD_TESTS}


def judge_linked(jobs: Sequence[Job[LinkedPlan]], settings: Settings) -> list[list[Outcome]]:
    """Run the tests of every job against its program.

    Returns:
        For each job the outcomes of its tests: one for the text as a whole, or one for each function that is a test.
    """
    tokens = [new_token() for _ in jobs]
    pairs = []
    for job, token in zip(jobs, tokens, strict=True):
        plan = job.plan
        imports = "\n".join([plan.prelude, plan.test, *job.sources])
        theirs = new_token()
        tests = {"prelude": plan.prelude, "test": plan.test, "names": plan.names, "theirs": theirs, "token": token}
        pairs.append(
            (
                program("tests", tests, imports=imports, channel=False),
                program("solution", {"sources": job.sources, "token": theirs}, imports=imports, channel=False),
            )
        )
    runs = settings.sandbox.run_linked(pairs, settings.limits)
    return [_outcomes(*run, token) for run, token in zip(runs, tokens, strict=True)]


def _outcomes(tests: Execution, solution: Execution, token: str) -> list[Outcome]:
    for execution in (tests, solution):
        if execution.status is Status.SANDBOX_ERROR:
            return [Outcome(Kind.SANDBOX_ERROR, "tests", execution.reason)]
    verdict = _verdict(tests.stdout, token)
    if verdict is None:
        return [_unfinished(tests, solution)]
    if "load" in verdict:
        return [_load_failure(verdict["load"], solution)]
    outcomes = [_outcome(name, kind, text, solution) for name, kind, text in verdict["tests"]]
    if not outcomes:
        return [Outcome(Kind.BAD_TESTS, "tests", "every test is left out by its own text")]
    if not verdict["calls"] and all(outcome.kind is Kind.PASSED for outcome in outcomes):
        return [Outcome(Kind.BAD_TESTS, "tests", "the tests passed without calling the program")]
    return outcomes


def _verdict(stdout: bytes, token: str) -> Any:
    """What the tests' process said, if it is its own word: the program's process never learns the token."""
    text = stdout.decode("utf-8", "replace")
    return json.loads(text[len(token) :]) if text.startswith(token) and text.endswith("\n") else None


def _unfinished(tests: Execution, solution: Execution) -> Outcome:
    """The tests did not come to an end: the program's process, or what it answered, kept them from it."""
    if solution.status not in (Status.OK, Status.NONZERO_EXIT):
        return failure(solution, "tests")
    if tests.status in (Status.OK, Status.NONZERO_EXIT):
        return Outcome(Kind.BAD_TESTS, "tests", "the tests ended their own process")
    return failure(tests, "tests")


def _load_failure(greeting: Any, solution: Execution) -> Outcome:
    if type(greeting) is list and len(greeting) == 3 and greeting[0] == "load":
        text = str(greeting[2])[:300]
        return Outcome(Kind.SYNTAX_ERROR, "load", text) if greeting[1] == "syntax" else raised(text, "load")
    return _ended(solution, "load", str(greeting)[:200])


def _ended(solution: Execution, name: str, text: str) -> Outcome:
    """The outcome where the program's process ended, or did not speak as agreed."""
    return Outcome(Kind.RUNTIME_ERROR, name, text) if solution.status is Status.OK else failure(solution, name)


def _outcome(name: str, kind: str, text: str, solution: Execution) -> Outcome:
    if kind == "raised":
        return raised(text, name)
    if kind == "gone":
        return _ended(solution, name, text)
    return Outcome(_KINDS[kind], name, text)
