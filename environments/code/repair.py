"""``code/repair-v1``: write a program, run a test, see how it fails, try again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ...errors import InputError, VerifierFailed
from ...verifiers.base import Result
from ...verifiers.code import CodeVerifier, TestSuite
from ..base import Task
from ..datasets import Row
from ..episodes import Episode, MultiTurnEnvironment, ReplayVerifier, ScoredEpisode, calls_text
from ..rows import asked
from .failing import Failing, FailingPrograms, fenced
from .mbpp import MBPP

_MOST_CALLS = 5


class RepairEpisode(ScoredEpisode):
    """Attempts at one problem; the last one counts.

    Args:
        judge: Runs the tests; shared by all episodes of a process. Each run is isolated from every other.
        most_calls: Attempts.
    """

    def __init__(self, judge: CodeVerifier, *, most_calls: int = _MOST_CALLS) -> None:
        self._judge = judge
        self._most_calls = most_calls

    def _begin(self, reference: str) -> None:
        try:
            suites = json.loads(reference)
            self._visible, self._hidden = (str(suites[key]) for key in ("visible", "hidden"))
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"the reference {reference!r:.100} does not hold visible and hidden tests") from error
        self._program: str | None = None
        self._left = self._most_calls

    def test(self, program: str) -> str:
        """Run the visible test on a program; the last program tested is your answer.

        Args:
            program: The whole Python program.

        Returns:
            Whether the test passes, or how it fails.
        """
        if not isinstance(program, str):
            raise InputError(f"program is {program!r:.100}; expected the text of a Python program")
        if self._left < 1:
            raise InputError(f"all {self._most_calls} attempts are used; the last program tested is your answer")
        self._left -= 1
        self._program = program
        [result] = self._judge.verify([fenced(program)], [self._visible])
        if result.verdict.is_ours:
            raise VerifierFailed(f"the test could not be run: {result.reason}")
        if result.is_correct:
            return "The visible test passes."
        return f"The visible test fails: {result.reason}. Attempts left: {self._left}."

    def _result(self) -> Result:
        if self._program is None:
            return Result.no_answer("no program was tested")
        return self._judge.verify([fenced(self._program)], [self._hidden])[0]


class CodeRepair(MultiTurnEnvironment, MBPP):
    """The problems of MBPP, with the first assert to run as often as allowed; all asserts judge the last attempt.

    Args:
        path: As in ``MBPP``.
        streaming: As in ``MBPP``.
        most_calls: Attempts.
        judge: Runs the tests; by default a ``CodeVerifier`` that wants all of them passed.
        start: A failing program to begin with, shown with what the visible test says of it: ``"mutant"``, the published
            solution with one place changed, or a file with programs that a policy wrote (``FailingPrograms``). Tasks
            for which none is known are left out. Without it an episode begins with nothing.
    """

    name = "code/repair-v1"
    episode: ClassVar[type[Episode]] = RepairEpisode
    most_turns: ClassVar[int] = _MOST_CALLS + 2

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        streaming: bool = False,
        most_calls: int = _MOST_CALLS,
        judge: CodeVerifier | None = None,
        start: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(path, streaming=streaming)
        self._judge = judge or CodeVerifier(all_or_nothing=True)
        self._most_calls = most_calls
        self.verifier = ReplayVerifier(self.environment_factory)  # type: ignore[arg-type, assignment]  # scored episodes
        self._failing = None if start is None else FailingPrograms(start, self._judge)
        if start is not None:  # how many tasks are left is known when their programs have run
            vars(self).update(splits=dict.fromkeys(self.splits))
        self._mbpp_ids: dict[str, str] = {}

    def episode_options(self) -> dict[str, Any]:
        """The judge that all episodes of a process share, and the number of attempts."""
        return {"judge": self._judge, "most_calls": self._most_calls}

    def load(self, split: str) -> Iterator[Task]:
        """The problems of the split, each with its failing program where there is to be one."""
        tasks = super().load(split)
        if self._failing is None:
            return tasks
        begun = ((task, self._mbpp_ids[task.id], self._solutions[task.id]) for task in tasks)
        return (self._begun(task, failing) for task, failing in self._failing.begin(begun))

    def _begun(self, task: Task, failing: Failing) -> Task:
        """The task with a program to repair."""
        content = (
            f"{task.prompt[0]['content']}\n\nRepair this program, which {failing.said}\n\n"  # type: ignore[index]
            f"{fenced(failing.program)}"
        )
        begun = Task(asked(content), task.reference, None, task.metadata)
        self._solutions[begun.id] = self._solutions[task.id]
        return begun

    def task_of(self, row: Row) -> Task:
        """A sentence and its first assert; the reference holds that assert and all of them, as two suites."""
        tests = [*row["test_list"], *(row.get("challenge_test_list") or [])]
        setup = row.get("test_setup_code") or ""
        visible, hidden = (TestSuite.from_asserts(part, setup=setup).to_json() for part in (tests[:1], tests))
        content = (
            f"{row['text'].strip()}\n\nThis must hold:\n\n```python\n{tests[0].strip()}\n```\n\n"
            f"Call test with the whole program. You have {self._most_calls} attempts; the last program you test is "
            "judged by further tests."
        )
        reference = json.dumps({"visible": visible, "hidden": hidden})
        task = Task(asked(content), reference, None, {"source_id": int(row["task_id"])})
        self._solutions[task.id] = row["code"]
        if self._failing is not None:
            self._mbpp_ids[task.id] = super().task_of(row).id
        return task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """One attempt, with the published program."""
        program = self._solutions.get(task.id)
        return () if program is None else (calls_text([("test", {"program": program})]),)
