"""Runs inside the other sandbox of two: executes the tests, with stubs in place of the policy's functions.

The policy's program is not here. File descriptor 3 leads to it (``inside_solution.py``); only plain values come
back, in lines that start with its token. Standard input brings::

    {"prelude": text, "test": text, "names": [...], "theirs": its token, "token": text}

The verdict is the token and a JSON object on standard output, and the other side never learns this token.
"""

import json
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .inside_calls import describe, read_job
from .inside_collect import Group, groups_in, module_fixtures
from .inside_faults import FAULTS, is_inevitable
from .inside_marks import Action, Skipped, settle
from .inside_stream import CannotCross, PolicyGone, Stream

SOURCE_NAME = "the_tests.py"  # no file of the harness is called so
LEFT_OUT = ("left out", "left out by a condition", "left out by a statement")


def main() -> None:
    """Run the tests and write the verdict."""
    out = os.dup(1)
    job = read_job()
    stream = Stream(job["theirs"])
    verdict = judge(job, stream)
    text = job["token"] + json.dumps({**verdict, "calls": stream.calls}) + "\n"
    line = text.encode()
    while line:
        line = line[os.write(out, line) :]
    os._exit(0)


def judge(job: dict[str, Any], stream: Stream) -> dict[str, Any]:
    """The outcome of every test as [name, kind, text], or why there is none."""
    try:
        greeting = stream.receive()
    except PolicyGone as error:
        greeting = ["gone", str(error)]
    if greeting != ["loaded"]:
        return {"load": greeting}
    names: dict[str, Any] = {"__name__": "tests"}
    outcomes = Outcomes(stream, job["test"])

    def execute() -> None:
        exec(compile(job["prelude"], "prelude.py", "exec", dont_inherit=True), names)  # noqa: S102
        for name in job["names"]:
            names[name] = stub(name, stream)
        take_over_runners(job["test"])
        try:
            exec(compile(job["test"], SOURCE_NAME, "exec", dont_inherit=True), names)  # noqa: S102
        except SystemExit as stop:  # how a text that runs its own tests ends
            if stop.code:
                raise

    if outcomes.attempt("module", execute):
        outcomes.loading = outcomes.shared = stream.calls
        groups = groups_in(names, job["names"], stream.calls)
        begin, end = module_fixtures(names)
        everything = Group("the tests", begin, [test for group in groups for test in group.tests], end)
        outcomes.around(everything, lambda: list(map(outcomes.run, groups)))
        if outcomes.rows[1:] or (groups and not stream.calls):
            del outcomes.rows[0]  # that the text could be executed is no test beside others
    return {"tests": outcomes.rows, "skipped": outcomes.skipped}


class Outcomes:
    """What became of the tests so far, as rows of name, kind and text.

    Args:
        stream: Tells whether a test called the program.
        source: The tests.

    Attributes:
        skipped: How many tests were left out by their own text before they called the program.
        loading: How many calls the text itself made.
        shared: Those, and the calls of what was set up for the present test and others.
    """

    def __init__(self, stream: Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.rows: list[list[str]] = []
        self.skipped = 0
        self.loading = self.shared = 0

    def _outcome(self, action: Action) -> tuple[str, str]:
        called = self.stream.calls
        kind, text = outcome(action, self._is_broken)
        if kind not in LEFT_OUT:
            return kind, text
        known = (0, self.loading, self.shared)[LEFT_OUT.index(kind)]
        if known or self.stream.calls > called:  # what the program answered shall not leave tests out
            return "wrong", f"left out after a call: {text}"
        return "skipped", text

    def _is_broken(self, error: BaseException) -> bool:
        """Whether the text is to blame for a fault, not what the program answered."""
        return not self.stream.answers or is_inevitable(error, self.source, SOURCE_NAME)

    def attempt(self, title: str, action: Action) -> bool:
        """Run a test; whether it passed."""
        kind, text = self._outcome(action)
        if kind == "skipped":
            self.skipped += 1
        else:
            self.rows.append([title, kind, text])
        return kind == "passed"

    def run(self, group: Group) -> None:
        """Run the tests of a group with what belongs to it."""
        self.around(group, lambda: [self.attempt(title, action) for title, action in group.tests])

    def around(self, group: Group, run: Action) -> None:
        """Set up, run, tear down; where the set-up fails, so do all tests of the group."""
        shared, called = self.shared, self.stream.calls
        kind, text = self._outcome(group.begin)
        if kind == "skipped":
            self.skipped += len(group.tests)
        elif kind != "passed":
            self.rows += [[title, kind, f"setting up {group.title} failed: {text}"] for title, _ in group.tests]
        else:
            self.shared += self.stream.calls - called
            run()
            self.shared = shared
            kind, text = self._outcome(group.end)
            if kind not in ("passed", "skipped"):
                self.rows.append([f"after {group.title}", kind, text])


def outcome(action: Action, is_broken: Callable[[BaseException], bool]) -> tuple[str, str]:
    """What became of one test: its kind and a sentence.

    Args:
        action: The test.
        is_broken: Whether the text of the tests is to blame for an undefined name, a missing module, or no Python.
    """
    try:
        settle(action())
    except PolicyGone as error:
        return "gone", str(error)
    except CannotCross as error:
        return "reference", str(error)
    except BaseException as error:  # noqa: BLE001  (whatever a test raises is its outcome)
        if getattr(error, "from_policy", False):
            return "raised", describe(error)
        if isinstance(error, FAULTS) and is_broken(error):
            return "reference", describe(error)
        if isinstance(error, Skipped):
            return LEFT_OUT[0 if error.always else 1], describe(error)
        if type(error).__name__ in ("Skipped", "XFailed", "SkipTest"):  # pytest's and unittest's
            return LEFT_OUT[2], describe(error)
        return "wrong", describe(error)
    return "passed", ""


def stub(name: str, stream: Stream) -> Callable[..., Any]:
    """A function that sends its arguments to the policy's process and returns the plain result."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        return stream.call(name, arguments, keywords)

    call.__name__ = call.__qualname__ = name
    return call


def take_over_runners(text: str) -> None:
    """Let ``unittest.main()`` and ``pytest.main()`` do nothing: what they would run is found and run here."""
    if "unittest" in text:
        import unittest

        finished = SimpleNamespace(result=unittest.TestResult())
        for name in ("main", "TestProgram"):
            setattr(unittest, name, lambda *arguments, **keywords: finished)
    if "pytest" in text:
        try:
            import pytest
        except ImportError:
            return
        pytest.main = lambda *arguments, **keywords: 0
