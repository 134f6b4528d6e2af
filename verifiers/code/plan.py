"""What is to be done to judge a program by a suite: plain records, made once per suite and shared by its programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .frame import Run

Compare = Callable[[str, str], bool]


class BadSuite(Exception):
    """The suite cannot be judged against; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of the tests, evaluated outside on the results of calls.

    Attributes:
        run: Its expression; None where only the call must return.
        text: Its source, for reports; a test is named by it.
        calls: Positions in ``CallPlan.items`` of the calls that it needs.
        bind: The variable that takes the value, where the statement is an assignment; then it is no test.
        scope: Statements of one scope end with the first assignment or bare call that fails.
    """

    run: Run | None
    text: str
    calls: tuple[int, ...]
    bind: str = ""
    scope: int = 0

    @property
    def is_test(self) -> bool:
        """Whether it counts as a test."""
        return self.run is not None and not self.bind


@dataclass(frozen=True, slots=True)
class CallPlan:
    """Calls to make in the policy's process, and what to evaluate outside.

    Attributes:
        items: As ``inside_calls.py`` reads them.
        steps: In the order of the tests.
        methods: Whether a function may be a method of a class ``Solution``.
        most_bytes: For each call, how long the encoded result can be at most to equal what is expected; empty where
            that is not known.
    """

    items: Sequence[Sequence[Any]]
    steps: Sequence[Step]
    methods: bool = False
    most_bytes: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class CheckerPlan:
    """Calls to make in the policy's process, and a checker for their results that runs in a sandbox of its own.

    Attributes:
        items: As ``inside_calls.py`` reads them.
        texts: A name for each case.
        contexts: For each case, encoded, what the checker gets before the result (arguments, keywords) and after it
            (expected).
        checker: The checker's source.
    """

    items: Sequence[Sequence[Any]]
    texts: Sequence[str]
    contexts: Sequence[tuple[Sequence[Any], Any]]
    checker: str


@dataclass(frozen=True, slots=True)
class StdioPlan:
    """Inputs for the whole program, and what it must print.

    Attributes:
        cases: (standard input, expected standard output).
        compare: Decides between the expected and the actual output; None where a checker does.
        checker: The checker's source.
    """

    cases: Sequence[tuple[str, str]]
    compare: Compare | None
    checker: str = ""


@dataclass(frozen=True, slots=True)
class LinkedPlan:
    """Tests that run as they are, in a sandbox of their own, linked to the one that runs the program.

    Attributes:
        test: Their source.
        names: The policy's functions that they call; the first is the entry point.
        prelude: Trusted code that they need.
    """

    test: str
    names: Sequence[str]
    prelude: str


Plan = CallPlan | CheckerPlan | StdioPlan | LinkedPlan
