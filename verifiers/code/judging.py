"""Judge a batch of programs, each by its kind of plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .job import Job, Settings
from .judge_calls import judge_calls, judge_checked
from .judge_linked import judge_linked
from .judge_stdio import judge_stdio
from .outcome import Kind, Outcome
from .plan import CallPlan, CheckerPlan, LinkedPlan, StdioPlan

_JUDGES: tuple[tuple[type, Callable[..., list[list[Outcome]]]], ...] = (
    (CallPlan, judge_calls),
    (CheckerPlan, judge_checked),
    (StdioPlan, judge_stdio),
    (LinkedPlan, judge_linked),
)


def judge(jobs: Sequence[Job[Any]], settings: Settings) -> list[list[Outcome]]:
    """The outcomes of every job's tests, in the order of the jobs; jobs of one kind share their runs."""
    outcomes: list[list[Outcome]] = [[] for _ in jobs]
    for kind, judge_kind in _JUDGES:
        chosen = [index for index, job in enumerate(jobs) if isinstance(job.plan, kind)]
        if chosen:
            found = judge_kind([jobs[index] for index in chosen], settings)
            for index, tests in zip(chosen, found, strict=True):
                outcomes[index] = _until_failure(tests) if settings.stop else tests
    return outcomes


def _until_failure(tests: list[Outcome]) -> list[Outcome]:
    """The outcomes with everything after the first failure left out, whether it was run or not."""
    first = next((index for index, test in enumerate(tests) if test.kind is not Kind.PASSED), len(tests))
    return tests[: first + 1] + [Outcome(Kind.NOT_RUN, test.name) for test in tests[first + 1 :]]
