"""Runs inside the other sandbox of two: executes the tests, with stubs in place of the policy's functions.

The policy's program is not here. File descriptor 3 leads to it (``inside_solution.py``); only plain values come
back, in lines that start with its token. Standard input brings::

    {"prelude": text, "test": text, "names": [...], "theirs": its token, "token": text}

The verdict is the token and a JSON object on standard output, and the other side never learns this token.
"""

import builtins
import io
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from types import CoroutineType, FunctionType, GeneratorType
from typing import Any

from .codec import NotComparable, TooLarge, decode, encode
from .inside_calls import CHANNEL, describe, read_job

REFERENCE_FAULTS = (NameError, ImportError, SyntaxError)


class PolicyRaised(Exception):
    """Stands for an exception of the policy's program whose class is not a builtin one."""


class PolicyGone(BaseException):
    """The policy's process ended; a test that catches Exception does not catch this."""


class CannotCross(BaseException):
    """An argument of the tests has no plain content, so this way of judging cannot carry it."""


class Stream:
    """The connection to the policy's process, and how often the tests used it."""

    def __init__(self, token: str) -> None:
        self.token = token.encode()
        self.reader = io.BufferedReader(io.FileIO(CHANNEL, "rb", closefd=False))
        self.calls = 0

    def receive(self) -> Any:
        """The next line of the other side."""
        line = self.reader.readline(64 << 20)
        if not line:
            raise PolicyGone("the program's process ended")
        try:
            if line.startswith(self.token) and line.endswith(b"\n"):
                return json.loads(line[len(self.token) :])
        except (ValueError, RecursionError):
            pass
        raise PolicyGone("the program wrote to the channel of the judge")

    def call(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Have the other side call one of its functions."""
        self.calls += 1
        try:
            request = [name, [encode(a) for a in arguments], {k: encode(v) for k, v in keywords.items()}]
        except TooLarge as error:  # tests are small: it comes from what the program returned
            raise PolicyRaised(f"an argument of {name} cannot be sent: {error}") from None
        except Exception as error:  # noqa: BLE001  (objects of the tests may raise anything)
            raise CannotCross(f"an argument of {name} cannot be sent: {describe(error)}") from None
        line = (json.dumps(request, separators=(",", ":")) + "\n").encode()
        try:
            while line:
                line = line[os.write(CHANNEL, line) :]
        except OSError:
            raise PolicyGone("the program's process ended") from None
        return self.answer(self.receive(), arguments)

    def answer(self, answer: Any, arguments: tuple[Any, ...]) -> Any:
        """The result in an answer, or its exception; mutable arguments change as they did over there."""
        kind = answer[0] if type(answer) is list and answer else None
        if kind == "ok" and len(answer) == 3 and type(answer[2]) is list:
            result = value(answer[1])
            for mine, theirs in zip(arguments, answer[2], strict=False):
                give_back(mine, value(theirs))
            return result
        if kind == "raised" and len(answer) == 3:
            raise remote_exception(str(answer[1]), str(answer[2]))
        raise PolicyRaised(f"the result cannot be compared: {str(answer)[:200]}")


def value(form: Any) -> Any:
    """A decoded value; NumPy arrays are real ones here."""

    def array(dtype: str, shape: list[int], items: list[Any]) -> Any:
        try:
            import numpy
        except ImportError:
            raise NotComparable("an array, and there is no NumPy here") from None
        return numpy.array(items, dtype=dtype).reshape(shape)

    return decode(form, array=array)


def give_back(mine: Any, theirs: Any) -> None:
    """Let a mutable argument of the tests show what the call did to it."""
    if type(mine) is not type(theirs) or mine == theirs:
        return
    if type(mine) is list:
        mine[:] = theirs
    elif type(mine) in (dict, set):
        mine.clear()
        mine.update(theirs)


def remote_exception(kind: str, text: str) -> Exception:
    """The exception that the policy's program raised, as far as it is a builtin one."""
    found = getattr(builtins, kind, None)
    silent = ("StopIteration", "StopAsyncIteration")  # loops over the tests would end at them as if all had passed
    if isinstance(found, type) and issubclass(found, Exception) and kind not in silent:
        try:
            error: Exception = found(text)
        except TypeError:
            error = PolicyRaised(text)
    else:
        error = PolicyRaised(text)
    error.from_policy = True  # type: ignore[attr-defined]
    return error


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
    outcomes: list[list[str]] = []

    def attempt(title: str, action: Callable[[], Any]) -> bool:
        outcomes.append([title, *outcome(action)])
        return outcomes[-1][1] == "passed"

    def execute() -> None:
        exec(compile(job["prelude"], "prelude.py", "exec", dont_inherit=True), names)  # noqa: S102
        for name in job["names"]:
            names[name] = stub(name, stream)
        exec(compile(job["test"], "tests.py", "exec", dont_inherit=True), names)  # noqa: S102

    if attempt("module", execute):
        called = stream.calls
        found = tests_in(names, names[job["names"][0]], called)
        if found and not called:
            outcomes.clear()
        for title, action in found:
            attempt(title, action)
    return {"tests": outcomes}


def outcome(action: Callable[[], Any]) -> tuple[str, str]:
    """What became of one test: its kind and a sentence."""
    try:
        settle(action())
    except PolicyGone as error:
        return "gone", str(error)
    except CannotCross as error:
        return "reference", str(error)
    except BaseException as error:  # noqa: BLE001  (whatever a test raises is its outcome)
        if getattr(error, "from_policy", False):
            return "raised", describe(error)
        if isinstance(error, REFERENCE_FAULTS):
            return "reference", describe(error)
        return "wrong", describe(error)
    return "passed", ""


def settle(value: Any) -> None:
    """Run what a test only made: a coroutine, or a generator with assertions between its values."""
    if isinstance(value, CoroutineType):
        import asyncio

        asyncio.run(value)
    elif isinstance(value, GeneratorType):
        for _ in value:
            pass


def stub(name: str, stream: Stream) -> Callable[..., Any]:
    """A function that sends its arguments to the policy's process and returns the plain result."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        return stream.call(name, arguments, keywords)

    call.__name__ = call.__qualname__ = name
    return call


def tests_in(names: dict[str, Any], entry: Any, called: int) -> list[tuple[str, Callable[[], Any]]]:
    """The tests that executing the text only defined: ``check(candidate)``, ``test_*`` and ``unittest`` cases."""
    found: list[tuple[str, Callable[[], Any]]] = []
    check = names.get("check")
    if isinstance(check, FunctionType) and not called:
        found.append(("check", lambda: check(entry) if check.__code__.co_argcount else check()))
    unittest = sys.modules.get("unittest")
    for title, item in list(names.items()):
        if title.startswith("test") and isinstance(item, FunctionType) and _needs_nothing(item):
            found.append((title, item))
        elif unittest and isinstance(item, type) and issubclass(item, unittest.TestCase):
            for method in unittest.TestLoader().getTestCaseNames(item):
                found.append((f"{title}.{method}", item(method).debug))
        elif title.startswith("Test") and isinstance(item, type):
            methods = [name for name, value in vars(item).items() if name.startswith("test") and callable(value)]
            found += [(f"{title}.{name}", partial(_call_method, item, name)) for name in methods]
    return found


def _needs_nothing(function: FunctionType) -> bool:
    return function.__code__.co_argcount == len(function.__defaults__ or ())


def _call_method(kind: Any, name: str) -> Any:
    """A test method of a plain class, on an instance of its own, after its ``setup_method``."""
    instance = kind()
    if hasattr(instance, "setup_method"):
        instance.setup_method()
    return getattr(instance, name)()
