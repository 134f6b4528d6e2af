# ruff: noqa: N802, N815 - methods of unittest are called so
"""Runs inside the sandbox of the tests: finds the tests that a text defines, and runs them with what belongs to them.

Functions and classes as pytest takes them (``test_*``, ``Test*``, ``setup_module``, ``setup_class``, ``setup_method``,
``parametrize``, ``skip``, ``skipif``, ``xfail`` without options) and ``unittest`` cases with all their fixtures.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import CoroutineType, FunctionType, GeneratorType
from typing import Any

Action = Callable[[], Any]


class Skipped(Exception):
    """The text itself leaves a test out."""


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
    for title, item in names.items():
        if title in stubs:
            continue
        if title.startswith("test") and isinstance(item, FunctionType):
            alone += _variants(title, item, item)
        elif unittest and isinstance(item, type) and issubclass(item, unittest.TestCase):
            groups.append(_unittest_group(title, item))
        elif title.startswith("Test") and isinstance(item, type):
            groups.append(_plain_group(title, item))
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


def settle(value: Any) -> None:
    """Run what a test only made: a coroutine, or a generator with assertions between its values."""
    if isinstance(value, CoroutineType):
        import asyncio

        asyncio.run(value)
    elif isinstance(value, GeneratorType):
        for _ in value:
            pass


def _plain_group(title: str, kind: Any) -> Group:
    """A class as pytest takes it: a new instance for each test."""
    tests: list[tuple[str, Action]] = []
    for name in dir(kind):
        method = getattr(kind, name)
        if name.startswith("test") and callable(method):
            tests += _variants(f"{title}.{name}", method, partial(_call_method, kind, name))
    begin, end = getattr(kind, "setup_class", None), getattr(kind, "teardown_class", None)
    return Group(title, _fixture(begin, kind), tests, _fixture(end, kind))


def _call_method(kind: Any, name: str, *arguments: Any, **keywords: Any) -> None:
    instance = kind()
    method = getattr(instance, name)
    _fixture(getattr(instance, "setup_method", None), method)()
    try:
        settle(method(*arguments, **keywords))
    finally:
        _fixture(getattr(instance, "teardown_method", None), method)()


def _variants(title: str, function: Any, call: Callable[..., Any]) -> Iterator[tuple[str, Action]]:
    """A test as often as its marks say, with the arguments that they give."""
    marks = getattr(function, "pytestmark", [])
    sets = [list(_rows(*mark.args[:2])) for mark in marks if mark.name == "parametrize"]
    for number, rows in enumerate(itertools.product(*sets)):
        keywords = {name: value for row in rows for name, value in row.items()}
        yield f"{title}[{number}]" if sets else title, partial(_marked, marks, partial(call, **keywords))


def _rows(argument_names: Any, values: Any) -> Iterator[dict[str, Any]]:
    several = not isinstance(argument_names, str) or "," in argument_names
    listed = argument_names.split(",") if isinstance(argument_names, str) else argument_names
    labels = [name.strip() for name in listed if name.strip()]
    for value in values:
        row = getattr(value, "values", value) if type(value).__name__ == "ParameterSet" else value
        parts = row if several or row is not value else (row,)
        yield dict(zip(labels, parts, strict=True))


def _marked(marks: list[Any], call: Action) -> None:
    fails = False
    for mark in marks:
        if mark.name == "skip" or (mark.name == "skipif" and mark.args and mark.args[0]):
            raise Skipped
        fails = fails or (mark.name == "xfail" and not mark.args)
    try:
        settle(call())
    except Exception as error:
        if not fails or type(error).__name__ == "PolicyGone":
            raise
    else:
        if fails and any(mark.kwargs.get("strict") for mark in marks if mark.name == "xfail"):
            raise AssertionError("a test that should fail passed")


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
    if skips:
        raise Skipped(skips[0])
