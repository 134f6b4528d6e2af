"""``PatternFormat``: does a regular expression match, within a time that really stops?"""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Iterator
from typing import Any

from ...bounds import positive
from ...errors import InputError, WorkerTimeout
from ..base import Result, Verifier

WAIT_FACTOR = 120.0  # real time allowed per second of processor time: a busy machine must not change a verdict
_WHERE = ("full", "search", "start")


class CPULimit(Exception):
    """The processor time of a call is used up."""


class PatternFormat(Verifier[str | None]):
    """Whether a completion matches a regular expression of Python's ``re``. A score is 1 or 0.

    A pattern like ``(a+)+$`` needs exponential time on a hostile text, and no thread can stop ``re``. So the match runs
    in a process of its own under a limit of **processor** time: the same text exceeds it on every run, however busy the
    machine. Whoever passes it gets LIMIT_EXCEEDED, score 0.

    The reference is a pattern, or None for the one given here.

    Args:
        pattern: The pattern of rows whose reference is None.
        where: ``full``: the whole text; ``search``: anywhere; ``start``: from the first character on.
        flags: Of ``re``, like ``re.DOTALL``.
        answer: The group whose text is the result's ``answer``; the whole match by default.
        cpu_seconds: Processor time for one text, more than 0.

    Raises:
        InputError: The pattern cannot be compiled, has no such group, or an argument is out of range.

    >>> PatternFormat(r"(a+)+b").verify(["a" * 40], [None])[0].verdict.value
    'limit_exceeded'
    """

    def __init__(
        self,
        pattern: str | None = None,
        *,
        where: str = "full",
        flags: int = 0,
        answer: int | str = 0,
        cpu_seconds: float = 0.25,
    ) -> None:
        if where not in _WHERE:
            raise InputError(f"where is {where!r}; expected one of {', '.join(_WHERE)}")
        positive(cpu_seconds=cpu_seconds)
        if pattern is not None and (wrong := _wrong(pattern, flags, answer)):
            raise InputError(wrong)
        from ...sandbox.worker import Worker  # here: processes and sockets take a tenth of the time to import assay

        self.pattern = pattern
        self.where = where
        self.flags = int(flags)
        self.answer = answer
        self.cpu_seconds = cpu_seconds
        self._worker = Worker(f"{__name__}:match_limited")

    def _verify_one(self, completion: str, reference: str | None, **columns: Any) -> Result:
        pattern = self.pattern if reference is None else reference
        if pattern is None or not isinstance(pattern, str):
            return Result.bad_reference(
                f"the reference is {reference!r}; expected a pattern, none was given beforehand"
            )
        if wrong := _wrong(pattern, self.flags, self.answer):
            return Result.bad_reference(wrong)
        arguments = (pattern, self.flags, self.where, self.answer, completion, self.cpu_seconds)
        try:
            ended, answer = self._worker.call(*arguments, deadline_seconds=self.cpu_seconds * WAIT_FACTOR)
        except WorkerTimeout as error:
            return Result.error(f"the machine gave the match too little processor time: {error}")
        if not ended:
            return Result.limit_exceeded(f"matching needs more than {self.cpu_seconds:g} s of processor time")
        if answer is None:
            return Result.incorrect(reason=f"the pattern {pattern[:80]!r} does not match")
        return Result.correct(answer=answer)


def match_limited(
    pattern: str, flags: int, where: str, group: int | str, text: str, cpu_seconds: float
) -> tuple[bool, str | None]:
    """Whether the match ended within its limit, and the group's text; runs in a process of its own."""
    compiled = re.compile(pattern, flags)
    match = {"full": compiled.fullmatch, "search": compiled.search, "start": compiled.match}[where]
    try:
        with cpu_limit(cpu_seconds):
            found = match(text)
    except CPULimit:
        return False, None
    return True, None if found is None else found[group] or ""


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise ``CPULimit`` after so much processor time; for the main thread of a process of our own only.

    Python's ``re`` looks for signals while it matches, so the timer's handler ends it.
    """

    def stop(number: int, frame: Any) -> None:
        raise CPULimit

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _wrong(pattern: str, flags: int, answer: int | str) -> str:
    """What is wrong about a pattern; "" when nothing is."""
    try:
        compiled = re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        return f"the pattern {pattern[:80]!r} cannot be compiled: {error}"
    known = answer <= compiled.groups if isinstance(answer, int) else answer in compiled.groupindex
    return "" if known else f"the pattern {pattern[:80]!r} has no group {answer!r}"
