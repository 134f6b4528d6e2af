"""``math/countdown-v1``: make a target of given numbers with the four operations."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, ClassVar

from ...errors import InputError
from ...verifiers.base import Result, Verifier
from ..answers import marked_answer
from ..base import Task
from ..datasets import DataFile, Row
from ..expressions import evaluate
from ..procedural import ProceduralEnvironment
from ..rows import RowEnvironment, asked

_REFERENCE = re.compile(r"\s*(\d+(?: \d+)*) -> (\d+)\s*\Z")
_WHOLE = re.compile(r"\d+\Z")
_INSTRUCTION = (
    "Use each of the numbers {numbers} exactly once, with + - * / and parentheses, to make {target}. "
    "Think step by step, and put the expression alone in <answer></answer>."
)


class CountdownVerifier(Verifier[str]):
    r"""Correct when the marked expression uses each given number exactly once and comes to the target.

    The reference is ``numbers -> target``, as in ``62 80 81 19 -> 43``. The expression stands in the last
    ``<answer></answer>`` or ``\boxed{}``; ``= 43`` may follow it. It is read by ``expressions.evaluate``, which knows
    numbers, operations and parentheses and nothing else; powers are not among the four operations.

    >>> CountdownVerifier().verify(["<answer>(62 - 19) * (81 - 80)</answer>"], ["62 80 81 19 -> 43"])[0].score
    1.0
    """

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        puzzle = _REFERENCE.match(reference) if isinstance(reference, str) else None
        if puzzle is None:
            return Result.bad_reference(f"the reference {reference!r:.100} is not of the form '62 80 81 19 -> 43'")
        answer = marked_answer(completion)
        if answer is None:
            return Result.no_answer("there is no <answer></answer> and no \\boxed{}")
        expression, equals, value = answer.partition("=")
        if equals and value.strip(" $") != puzzle[2]:
            return Result.incorrect(answer=answer, reason=f"it ends with {value.strip()[:40]!r}, not with {puzzle[2]}")
        return self._judge(expression.strip(), puzzle[1].split(), int(puzzle[2]))

    def _judge(self, expression: str, numbers: list[str], target: int) -> Result:
        if "**" in expression or "^" in expression:
            return Result.incorrect(answer=expression, reason="powers are not among the four operations")
        try:
            found = evaluate(expression)
        except InputError as error:
            return Result.incorrect(answer=expression, reason=str(error))
        used = [str(int(number)) if _WHOLE.match(number) else number for number in found.numbers]
        if Counter(used) != Counter(numbers):
            return Result.incorrect(
                answer=expression, reason=f"it uses {' '.join(used)}; expected each of {' '.join(numbers)} once"
            )
        if found.value != target:
            return Result.incorrect(answer=expression, reason=f"it comes to {found.value}, not to {target}")
        return Result.correct(answer=expression)


class Countdown(ProceduralEnvironment):
    """As many numbers from 1 to 99 as the level says; the target, from 10 to 999, can be made of them.

    Puzzles are made by combining the numbers step by step, so each has a solution, in ``metadata["solution"]``.
    """

    name = "math/countdown-v1"
    LEVELS: ClassVar[Sequence[int]] = (3, 4, 5, 6)
    domain = "math"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] | None = None, train_size: int | None = 20_000) -> None:
        super().__init__(seed=seed, levels=levels, train_size=train_size)
        self.verifier = CountdownVerifier()

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A puzzle; its content is the sorted numbers and the target."""
        while True:
            numbers = [random.randint(1, 99) for _ in range(level)]
            target, solution = _combined(random, numbers)
            if 10 <= target <= 999 and target not in numbers:
                return f"{sorted(numbers)} {target}", _task(numbers, target, solution, {"level": level})

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The expression that the puzzle was made of."""
        return (f"<answer>{task.metadata['solution']}</answer>",)


class Countdown600(RowEnvironment):
    """600 puzzles of four or so numbers with one solution each, from a file.

    Args:
        path: The file, or the folder that holds ``countdown_600.jsonl``; without it ``countdown/`` below the folder
            ``ASSAY_DATA``. It is not on the hub.
    """

    name = "math/countdown-600-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 500, "test": 100}
    _FILE = DataFile("countdown/countdown_600.jsonl", ("nums", "target", "solution", "split"))
    files: ClassVar[Mapping[str, DataFile]] = {"train": _FILE, "test": _FILE}
    domain = "math"
    licence = "CC0"
    source = "a local file"

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        self.verifier = CountdownVerifier()

    def task_of(self, row: Row) -> Task:
        """The puzzle of a row."""
        metadata = {"level": len(row["nums"]), "split": row["split"]}
        return _task([int(number) for number in row["nums"]], int(row["target"]), row["solution"], metadata)

    def load(self, split: str) -> Iterator[Task]:
        """The rows of the split."""
        return (task for task in super().load(split) if task.metadata["split"] == split)

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The solution in the file."""
        return (f"<answer>{task.metadata['solution']}</answer>",)


def _task(numbers: Sequence[int], target: int, solution: str, metadata: Mapping[str, Any]) -> Task:
    given = " ".join(map(str, numbers))
    prompt = asked(_INSTRUCTION.format(numbers=", ".join(map(str, numbers)), target=target))
    return Task(prompt, f"{given} -> {target}", float(len(numbers)), {**metadata, "solution": solution})


def _combined(random: Random, numbers: Sequence[int]) -> tuple[int, str]:
    """Combine two values at a time until one is left; every value on the way is a positive whole number."""
    values = [(number, str(number)) for number in numbers]
    while len(values) > 1:
        (left, left_text), (right, right_text) = (values.pop(random.randrange(len(values))) for _ in range(2))
        if left < right:
            left, left_text, right, right_text = right, right_text, left, left_text
        signs = ["+", "*"] + ["-"] * (left > right) + ["/"] * (right > 1 and left % right == 0)
        sign = random.choice(signs)
        value = {"+": left + right, "-": left - right, "*": left * right, "/": left // right}[sign]
        values.append((value, f"({left_text} {sign} {right_text})"))
    value, text = values[0]
    return value, text[1:-1] if text.startswith("(") else text


def solve(numbers: Sequence[int], target: int) -> tuple[str | None, int]:
    """A solution by exhaustive search over exact fractions, with the number of states that were looked at.

    Args:
        numbers: The numbers, each to be used once.
        target: What they shall come to.

    Returns:
        An expression, None where there is none, and the count.

    >>> solve([2, 3, 4], 20)[0]
    '4 * (2 + 3)'
    """
    seen: set[tuple[Fraction, ...]] = set()

    def search(values: list[tuple[Fraction, str]]) -> str | None:
        key = tuple(sorted(value for value, _ in values))
        if key in seen:
            return None
        seen.add(key)
        if len(values) == 1:
            return values[0][1] if values[0][0] == target else None
        for i in range(len(values)):
            for j in range(i):
                rest = [value for index, value in enumerate(values) if index not in (i, j)]
                for value in _pairs(values[j], values[i]):
                    found = search([*rest, value])
                    if found is not None:
                        return found
        return None

    text = search([(Fraction(number), str(number)) for number in numbers])
    return (text[1:-1] if text and text.startswith("(") else text), len(seen)


def _pairs(left: tuple[Fraction, str], right: tuple[Fraction, str]) -> Iterator[tuple[Fraction, str]]:
    (x, a), (y, b) = left, right
    yield x + y, f"({a} + {b})"
    yield x * y, f"({a} * {b})"
    yield x - y, f"({a} - {b})"
    yield y - x, f"({b} - {a})"
    if y:
        yield x / y, f"({a} / {b})"
    if x:
        yield y / x, f"({b} / {a})"
