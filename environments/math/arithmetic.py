"""``math/arithmetic-v1``: sums of two whole numbers, made up on the spot, in six levels; the demonstration's task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...errors import InputError
from ...verifiers.base import Result, Verifier
from ..base import Environment, Task
from ..hashing import hashed_fraction, item_random

LEVELS = (1, 2, 3, 4, 5, 6)
_NAME = "math/arithmetic-v1"
_WIDTH = max(LEVELS)
_COMPLETION = re.compile(r"\A<think>[^<]*</think><answer>([^<]*)</answer>\Z")
_NUMBER = re.compile(r"[0-9]{1,20}")
# Upper ends of the splits on the scale of a question's hash.
_SHARES = (("test", 0.4), ("validation", 0.6), ("train", 1.0))


class TaggedSum(Verifier[str]):
    """Correct when the whole completion is ``<think>…</think><answer>N</answer>`` and N equals the reference.

    Nothing may stand before, between or after the two elements. Leading zeros of N are allowed.

    >>> TaggedSum().verify(["<think>231</think><answer>132</answer>"], ["132"])[0].answer
    '132'
    """

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        found = _COMPLETION.match(completion)
        return self._judge(found and found[1], reference)

    def verify_answers(self, answers: Sequence[str], references: Sequence[str]) -> list[Result]:
        """Judge answers that are already extracted: n answers, n references, n results."""
        return [self._judge(answer, reference) for answer, reference in zip(answers, references, strict=True)]

    def _judge(self, text: str | None, reference: str) -> Result:
        if not _NUMBER.fullmatch(reference):
            return Result.bad_reference(f"the reference {reference!r} is not a whole number")
        if text is None:
            return Result.no_answer("the completion is not <think>…</think><answer>…</answer> and nothing else")
        if not _NUMBER.fullmatch(text):
            return Result.incorrect(answer=text, reason=f"{text[:40]!r} is not a whole number")
        answer = str(int(text))  # so that 0132 and 132 are one answer where answers vote
        if answer == str(int(reference)):
            return Result.correct(answer=answer)
        return Result.incorrect(answer=answer, reason=f"{answer} is not {reference}")


class Arithmetic(Environment):
    """Two numbers of as many digits as the level says; the answer is their sum.

    The prompt is ``000047+000085=``: operands are padded with zeros to six digits, so that all prompts
    are equally long.

    * A question belongs to one split, decided by a hash of its unordered operands; so no question, not even with its
      operands exchanged, is in two splits, whatever the seed.
    * Item i has level ``levels[i % len(levels)]``: every level has the same share of every split.
    * ``test`` (180) and ``validation`` (120) hold no question twice. ``train`` (60,000) draws with replacement: its
      10,000 items of level 1 repeat the 34 questions that there are, those of level 2 the 3,241.

    Args:
        seed: Another seed draws other items; a question never changes its split.
        levels: Some of 1 to 6, each once.
    """

    name = _NAME
    splits: ClassVar[Mapping[str, int | None]] = {"train": 60_000, "validation": 120, "test": 180}
    domain = "math"
    licence = "Apache-2.0"
    source = "generated"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] = LEVELS) -> None:
        if not levels or len(set(levels)) != len(levels) or not set(levels) <= set(LEVELS):
            raise InputError(f"levels is {levels!r}; expected some of {', '.join(map(str, LEVELS))}, each once")
        self.seed = seed
        self.levels = tuple(levels)
        self.verifier = TaggedSum()

    def load(self, split: str) -> Iterator[Task]:
        """The items of a split, made one by one."""
        size = self.splits[split] or 0
        distinct = split != "train"
        seen: set[tuple[int, int]] = set()
        for index in range(size // len(LEVELS) * len(self.levels)):
            level = self.levels[index % len(self.levels)]
            draw = item_random(self.name, split, self.seed, index)
            operands = _operands(draw.random, level)
            while split_of(*operands) != split or operands in seen:
                operands = _operands(draw.random, level)
            if distinct:
                seen.add(operands)
            yield _task(*operands, level)

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The right answer after an empty thought."""
        return (f"<think></think><answer>{task.reference}</answer>",)


def split_of(first: int, second: int) -> str:
    """The one split that the question ``first + second`` belongs to, in either order of the operands."""
    place = hashed_fraction(_NAME, *sorted((first, second)))
    return next(split for split, end in _SHARES if place < end)


def _operands(uniform: Any, level: int) -> tuple[int, int]:
    """Two numbers of ``level`` digits each, every pair as likely as any other; zero has one digit."""
    low = 0 if level == 1 else 10 ** (level - 1)
    span = 10**level - low
    return low + int(uniform() * span), low + int(uniform() * span)


def _task(first: int, second: int, level: int) -> Task:
    content = f"{first:0{_WIDTH}d}+{second:0{_WIDTH}d}="
    return Task([{"role": "user", "content": content}], str(first + second), float(level), {"level": level})
