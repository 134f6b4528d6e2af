"""Runs inside the sandbox of the tests: their connection to the process that runs the policy's program."""

import builtins
import io
import json
import os
import sys
from typing import Any

from .aliases import Registry, SharingDecoder, SharingEncoder
from .codec import NotComparable, TooLarge
from .inside_calls import CHANNEL, describe


class PolicyRaised(Exception):
    """Stands for an exception of the policy's program whose class is not a builtin one."""


class PolicyGone(BaseException):
    """The policy's process ended; a test that catches Exception does not catch this."""


class CannotCross(BaseException):
    """An argument of the tests has no plain content, so this way of judging cannot carry it."""


class Stream:
    """The connection to the policy's process.

    Attributes:
        calls: How often the tests used it.
        answers: How often something came back.
    """

    def __init__(self, token: str) -> None:
        self.token = token.encode()
        self.reader = io.BufferedReader(io.FileIO(CHANNEL, "rb", closefd=False))
        self.registry = Registry(0)
        self.calls = 0
        self.answers = 0

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
        anew = self.registry.full()
        if anew:
            self.registry.forget()
        encoder = SharingEncoder(self.registry)
        try:
            forms = encoder.all([*arguments, *keywords.values()])
        except TooLarge as error:  # tests are small: it comes from what the program returned
            raise PolicyRaised(f"an argument of {name} cannot be sent: {error}") from None
        except Exception as error:  # noqa: BLE001  (objects of the tests may raise anything)
            text = f"an argument of {name} cannot be sent: {describe(error)}"
            if self.answers and not isinstance(
                error, NotComparable
            ):  # an iterator over an answer, which it cannot take
                raise PolicyRaised(text) from None
            raise CannotCross(text) from None
        self.registry.open = encoder.said  # what the call may change: its arguments
        self._send([name, forms[: len(arguments)], dict(zip(keywords, forms[len(arguments) :], strict=True)), anew])
        answer = self.receive()
        self.answers += 1
        return self._answer(answer, len(forms))

    def _send(self, request: list[Any]) -> None:
        line = (json.dumps(request, separators=(",", ":")) + "\n").encode()
        try:
            while line:
                line = line[os.write(CHANNEL, line) :]
        except OSError:
            raise PolicyGone("the program's process ended") from None

    def _answer(self, answer: Any, count: int) -> Any:
        """The result in an answer, or its exception; mutable arguments change as they did over there."""
        kind = answer[0] if type(answer) is list and answer else None
        if kind == "ok" and len(answer) == 2 and type(answer[1]) is list and len(answer[1]) == count + 1:
            try:
                return SharingDecoder(self.registry).all(answer[1])[-1]
            except NotComparable as error:
                raise PolicyRaised(f"the result cannot be compared: {error}") from None
        if kind == "raised" and len(answer) == 3:
            raise remote_exception(str(answer[1]), str(answer[2]))
        raise PolicyRaised(f"the result cannot be compared: {str(answer)[:200]}")


def remote_exception(kind: str, text: str) -> Exception:
    """The exception that the policy's program raised, as far as it is a builtin one.

    Some kinds end a loop over the tests or an attempt to look something up as if all were well, without a word in the
    tests' text; where they would, another kind is raised.
    """
    found = getattr(builtins, kind, None)
    silent = ["StopIteration", "StopAsyncIteration"]
    within = set(_callers())
    silent += ["IndexError"] if "__getitem__" in within else []
    silent += ["AttributeError"] if within & {"__getattr__", "__getattribute__"} else []
    if isinstance(found, type) and issubclass(found, Exception) and kind not in silent:
        try:
            error: Exception = found(text)
        except TypeError:
            error = PolicyRaised(text)
    else:
        error = PolicyRaised(text)
    error.from_policy = True  # type: ignore[attr-defined]
    return error


def _callers() -> list[str]:
    """The names of the functions that are being executed."""
    frame = sys._getframe(1)
    found = []
    while frame is not None:
        found.append(frame.f_code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return found
