# ruff: noqa: N802, N815 - methods of unittest are called so
"""Runs inside the sandbox of the tests: finds the tests that a text defines, and runs them with what belongs to them.

Functions and classes as pytest takes them (``test_*``, ``Test*``, ``setup_module`` and its kin, with their marks) and
``unittest`` cases with all their fixtures.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

from .inside_marks import Action, Skipped, marks_of, settle, variants


class Group:
    """Tests with a common set-up.

    Args:
        title: What they are called together.
        begin: The set-up; if it fails, so do all of them.
        tests: Their titles and actions.
        end: What follows them; it is a test only where it fails.
    """

    def __init__(self, title: str, begin: Action, tests: list[tuple[str, Action]], end: Action) -> None:
        self.title = title
        self.begin = begin
        self.tests = tests
        self.end = end


def groups_in(names: dict[str, Any], stubs: list[str], called: int) -> list[Group]:
    """The tests that executing a text only defined.

    Args:
        names: What it defined.
        stubs: What stands for the program's functions, which are no tests; ``check`` is called with the first.
        called: How often it has called the program already; if it has, ``check`` is taken to be done.
    """
    alone: list[tuple[str, Action]] = []
    groups = [Group("", nothing, alone, nothing)]
    check = names.get("check")
    if isinstance(check, FunctionType) and not called:
        entry = names[stubs[0]]
        alone.append(("check", lambda: check(entry) if check.__code__.co_argcount else check()))
    unittest = sys.modules.get("unittest")
    marks = marks_of(names.get("pytestmark"))
    for title, item in names.items():
        if title in stubs or getattr(item, "__test__", True) is False:
            continue
        if title.startswith("test") and isinstance(item, FunctionType):
            around = [_fixture(names.get(name), item) for name in ("setup_function", "teardown_function")]
            alone += variants(title, item, partial(_call_between, *around, item), marks)
        elif unittest and isinstance(item, type) and issubclass(item, unittest.TestCase):
            groups.append(_unittest_group(title, item))
        elif title.startswith("Test") and isinstance(item, type):
            groups += _plain_groups(title, item, marks)
    return [group for group in groups if group.tests]


def module_fixtures(names: dict[str, Any]) -> tuple[Action, Action]:
    """What comes before and after all tests of a text."""
    begin = names.get("setUpModule") or names.get("setup_module")
    end = names.get("tearDownModule") or names.get("teardown_module")
    return _fixture(begin), _fixture(end)


def nothing() -> None:
    """No set-up."""


def _fixture(function: Any, *arguments: Any) -> Action:
    """A fixture; pytest hands some of them what they belong to, if they take it."""
    if not callable(function):
        return nothing

    def run() -> Any:
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        takes = code.co_argcount - (function is not getattr(function, "__func__", function)) if code else 0
        return settle(function(*arguments[:takes]))

    return run


def _plain_groups(title: str, kind: Any, marks: list[Any]) -> Iterator[Group]:
    """A class as pytest takes it, with a new instance for each test; and the classes within it."""
    tests: list[tuple[str, Action]] = []
    marks = [*marks, *marks_of(getattr(kind, "pytestmark", None))]
    for name in dir(kind):
        item = getattr(kind, name)
        if name.startswith("Test") and isinstance(item, type) and getattr(item, "__test__", True):
            yield from _plain_groups(f"{title}.{name}", item, marks)
        elif name.startswith("test") and callable(item):
            tests += variants(f"{title}.{name}", item, partial(_call_method, kind, name), marks)
    begin, end = getattr(kind, "setup_class", None), getattr(kind, "teardown_class", None)
    yield Group(title, _fixture(begin, kind), tests, _fixture(end, kind))


def _call_method(kind: Any, name: str, *arguments: Any, **keywords: Any) -> None:
    instance = kind()
    method = getattr(instance, name)
    begin, end = getattr(instance, "setup_method", None), getattr(instance, "teardown_method", None)
    _call_between(_fixture(begin, method), _fixture(end, method), method, *arguments, **keywords)


def _call_between(begin: Action, end: Action, test: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    begin()
    try:
        settle(test(*arguments, **keywords))
    finally:
        end()


def _unittest_group(title: str, kind: Any) -> Group:
    import unittest

    def begin() -> None:
        if not getattr(kind, "__unittest_skip__", False):
            kind.setUpClass()

    def end() -> None:
        if not getattr(kind, "__unittest_skip__", False):
            try:
                kind.tearDownClass()
            finally:
                kind.doClassCleanups()

    methods = unittest.TestLoader().getTestCaseNames(kind)
    return Group(title, begin, [(f"{title}.{name}", partial(_run_case, kind, name)) for name in methods], end)


def _run_case(kind: Any, name: str) -> None:
    """Run a method with its fixtures; raises what made it fail."""
    import unittest

    errors: list[BaseException] = []
    expected: list[BaseException] = []
    skips: list[str] = []

    class Findings(unittest.TestResult):
        def addError(self, test: Any, err: Any) -> None:
            errors.append(err[1])

        addFailure = addError

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
            if err is not None:
                errors.append(err[1])

        def addSkip(self, test: Any, reason: str) -> None:
            skips.append(reason)

        def addExpectedFailure(self, test: Any, err: Any) -> None:
            expected.append(err[1])

        def addUnexpectedSuccess(self, test: Any) -> None:
            errors.append(AssertionError("a test that should fail passed"))

    kind(name).run(Findings())
    errors += [error for error in expected if not isinstance(error, Exception)]  # the process is gone
    if errors:
        raise next((error for error in errors if not isinstance(error, Exception)), errors[0])
    if skips and (hasattr(kind, "__unittest_skip__") or hasattr(getattr(kind, name), "__unittest_skip__")):
        raise Skipped(skips[0])
    if skips:
        raise unittest.SkipTest(skips[0])
