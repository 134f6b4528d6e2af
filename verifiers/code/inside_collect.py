# ruff: noqa: N802, N815 - methods of unittest are called so
"""Runs inside the sandbox of the tests: finds the tests that a text defines, and runs them with what belongs to them.

Functions and classes as pytest takes them (``test_*``, ``Test*``, ``setup_module`` and its kin, ``parametrize``,
``skip``, ``skipif``, ``xfail``) and ``unittest`` cases with all their fixtures.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import CoroutineType, FunctionType, GeneratorType
from typing import Any

Action = Callable[[], Any]


class Skipped(Exception):
    """The text itself leaves a test out.

    Args:
        always: Whether it does so whatever happens; else a condition held when the text was read.
    """

    def __init__(self, reason: str, *, always: bool = False) -> None:
        super().__init__(reason)
        self.always = always


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
    marks = _marks_of(names.get("pytestmark"))
    for title, item in names.items():
        if title in stubs or getattr(item, "__test__", True) is False:
            continue
        if title.startswith("test") and isinstance(item, FunctionType):
            around = [_fixture(names.get(name), item) for name in ("setup_function", "teardown_function")]
            alone += _variants(title, item, partial(_call_between, *around, item), marks)
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


def settle(value: Any) -> None:
    """Run what a test only made: a coroutine, or a generator with assertions between its values."""
    if isinstance(value, CoroutineType):
        import asyncio

        asyncio.run(value)
    elif isinstance(value, GeneratorType):
        for _ in value:
            pass


def _plain_groups(title: str, kind: Any, marks: list[Any]) -> Iterator[Group]:
    """A class as pytest takes it, with a new instance for each test; and the classes within it."""
    tests: list[tuple[str, Action]] = []
    marks = [*marks, *_marks_of(getattr(kind, "pytestmark", None))]
    for name in dir(kind):
        item = getattr(kind, name)
        if name.startswith("Test") and isinstance(item, type) and getattr(item, "__test__", True):
            yield from _plain_groups(f"{title}.{name}", item, marks)
        elif name.startswith("test") and callable(item):
            tests += _variants(f"{title}.{name}", item, partial(_call_method, kind, name), marks)
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


def _variants(
    title: str, function: Any, call: Callable[..., Any], inherited: list[Any]
) -> Iterator[tuple[str, Action]]:
    """A test as often as its marks say, with the arguments that they give."""
    marks = [*inherited, *_marks_of(getattr(function, "pytestmark", None))]
    sets = [list(_rows(*mark.args[:2])) for mark in marks if mark.name == "parametrize"]
    if [] in sets:
        yield title, partial(_leave_out, "there are no parameters for it", always=False)
    for number, rows in enumerate(itertools.product(*sets)):
        keywords = {name: value for row, _ in rows for name, value in row.items()}
        mine = [*marks, *[mark for _, more in rows for mark in more]]
        names = getattr(function, "__globals__", {})
        yield f"{title}[{number}]" if sets else title, partial(_marked, mine, names, partial(call, **keywords))


def _rows(argument_names: Any, values: Any) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    several = not isinstance(argument_names, str) or "," in argument_names
    listed = argument_names.split(",") if isinstance(argument_names, str) else argument_names
    labels = [name.strip() for name in listed if name.strip()]
    for value in values:
        marked = type(value).__name__ == "ParameterSet"
        parts = value.values if marked else value if several else (value,)
        yield dict(zip(labels, parts, strict=True)), _marks_of(value.marks if marked else None)


def _marks_of(found: Any) -> list[Any]:
    """Marks, from what may be one or several, decorators too."""
    several = found if isinstance(found, (list, tuple)) else [] if found is None else [found]
    return [getattr(mark, "mark", mark) for mark in several]


def _marked(marks: list[Any], names: dict[str, Any], call: Action) -> None:
    """Run a test as its marks want it. One that may fail and may pass says nothing, so it is left out."""
    allowed: list[Any] = []
    for mark in marks:
        if mark.name in ("skip", "skipif", "xfail"):
            always, applies = _applies(mark, names)
            if not applies:
                continue
            if mark.name != "xfail" or not mark.kwargs.get("strict"):
                _leave_out(mark.kwargs.get("reason", ""), always=always)
            allowed.append(mark.kwargs.get("raises") or Exception)
    try:
        settle(call())
    except Exception as error:
        if not allowed or not isinstance(error, allowed[0]):
            raise
    else:
        if allowed:
            raise AssertionError("a test that should fail passed")


def _applies(mark: Any, names: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a mark has no condition, and whether it holds; a text is one that pytest would evaluate."""
    conditions = [mark.kwargs["condition"]] if "condition" in mark.kwargs else list(mark.args)
    if mark.name == "skip" or (mark.name == "xfail" and not conditions):
        return True, True
    known = {**{name: __import__(name) for name in ("os", "platform", "sys")}, **names}
    return False, any(eval(part, known) if isinstance(part, str) else part for part in conditions)  # noqa: S307


def _leave_out(reason: str, *, always: bool) -> None:
    raise Skipped(reason, always=always)


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
