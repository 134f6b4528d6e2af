"""What compiled expressions are, and what they run on."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .guards import TooMuch

BUDGET = 2_000_000
MOST_NANOSECONDS = 10_000_000_000


class Unsupported(Exception):
    """The expression has a part that this interpreter does not evaluate."""


@dataclass(slots=True)
class Frame:
    """What one evaluation works on.

    Attributes:
        result: The value of the i-th call of the policy's functions; raises where that call failed.
        names: Variables of comprehensions and those that hold results.
        budget: Steps left and the end of the thread's CPU time, in a list that frames of the same check share.
    """

    result: Callable[[int], Any]
    names: dict[str, Any] = field(default_factory=dict)
    budget: list[int] = field(default_factory=lambda: [BUDGET, time.thread_time_ns() + MOST_NANOSECONDS])

    def spend(self, steps: int) -> None:
        """Take ``steps`` from the budget, or raise ``TooMuch``."""
        before = self.budget[0]
        self.budget[0] = left = before - steps
        if left < 0:
            raise TooMuch("the check takes too many steps")
        # A step may be a search through a long list: steps alone do not bound the time.
        if left >> 5 != before >> 5 and time.thread_time_ns() > self.budget[1]:
            raise TooMuch("the check takes too long")

    def inner(self) -> Frame:
        """A frame for a comprehension: its variables are its own."""
        return Frame(self.result, dict(self.names), self.budget)


Run = Callable[[Frame], Any]


class Code(NamedTuple):
    """A compiled expression, and whether its value is the same in every frame."""

    run: Run
    constant: bool


def constant(value: Any) -> Code:
    """Code whose value is known."""
    return Code(lambda frame: value, True)


def target_names(target: ast.expr) -> tuple[str, ...]:
    """The names that an assignment target binds, in order."""
    if isinstance(target, ast.Name):
        return (target.id,)
    if isinstance(target, (ast.Tuple, ast.List)):
        return tuple(name for item in target.elts for name in target_names(item))
    raise Unsupported(f"{type(target).__name__} is not bound")


def bind(target: ast.expr, value: Any, names: dict[str, Any]) -> None:
    """Bind the names of a target to a value, as an assignment does."""
    if isinstance(target, ast.Name):
        names[target.id] = value
        return
    assert isinstance(target, (ast.Tuple, ast.List))  # target_names refused everything else
    for item, part in zip(target.elts, list(value), strict=True):
        bind(item, part, names)
