"""Runs inside the sandbox of the tests: what pytest's marks make of a test.

``parametrize``, ``skip``, ``skipif`` and ``xfail``, on a function, a class or the whole text.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from types import CoroutineType, GeneratorType
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


def settle(value: Any) -> None:
    """Run what a test only made: a coroutine, or a generator with assertions between its values."""
    if isinstance(value, CoroutineType):
        import asyncio

        asyncio.run(value)
    elif isinstance(value, GeneratorType):
        for _ in value:
            pass


def variants(title: str, function: Any, call: Callable[..., Any], inherited: list[Any]) -> Iterator[tuple[str, Action]]:
    """A test as often as its marks say, with the arguments that they give."""
    marks = [*inherited, *marks_of(getattr(function, "pytestmark", None))]
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
        yield dict(zip(labels, parts, strict=True)), marks_of(value.marks if marked else None)


def marks_of(found: Any) -> list[Any]:
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
