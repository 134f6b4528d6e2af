"""``ProceduralEnvironment``: tasks made up by a rule, with splits that cannot meet."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import ClassVar

from ..errors import InputError
from .base import Environment, Task
from .hashing import hashed_fraction, item_random

#: Upper ends of the splits on the scale of a content's hash.
SHARES: Mapping[str, float] = {"test": 0.25, "validation": 0.4, "train": 1.0}
# A level whose contents are this hard to find anew is as good as exhausted.
_ATTEMPTS = 400


class ProceduralEnvironment(Environment):
    """An environment that makes up its tasks: subclasses name their levels and write ``draw``.

    * Item i of a split is drawn from a hash of (name, split, seed, i), and has level ``levels[i % len(levels)]``.
    * A content belongs to one split, decided by a hash of it, so no content is in two splits, whatever the seeds.
    * No split repeats a content while its space lasts.

    Args:
        seed: Another seed draws other items.
        levels: Some of ``LEVELS``, each once, in any order.
        train_size: Tasks of the split "train"; None makes it endless.

    Attributes:
        LEVELS: The levels there are, from easy to hard.
    """

    LEVELS: ClassVar[Sequence[int]]
    splits: ClassVar[Mapping[str, int | None]] = {"train": 20_000, "validation": 200, "test": 500}
    source = "generated"
    licence = "Apache-2.0"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] | None = None, train_size: int | None = 20_000) -> None:
        chosen = tuple(self.LEVELS if levels is None else levels)
        if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(self.LEVELS):
            known = ", ".join(map(str, self.LEVELS))
            raise InputError(f"levels is {levels!r}; expected some of {known}, each once")
        if train_size is not None and train_size < 1:
            raise InputError(f"train_size is {train_size}; expected at least 1, or None for an endless split")
        self.seed = seed
        self.levels = chosen
        # Sizes are class attributes elsewhere; here an object may have its own.
        vars(self).update(
            splits={**type(self).splits, "train": train_size},
            endless=frozenset({"train"}) if train_size is None else frozenset(),
        )

    @abstractmethod
    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """One task of a level, with its content: equal contents are the same question, however it is worded."""

    def load(self, split: str) -> Iterator[Task]:
        """The items of a split, made one by one."""
        size = self.splits[split]
        seen: set[str] = set()
        for index in itertools.count() if size is None else range(size):
            level = self.levels[index % len(self.levels)]
            random = item_random(self.name, split, self.seed, index)
            content, task = self._fresh(random, level, split, seen)
            seen.add(content)
            yield task

    def split_of(self, content: str) -> str:
        """The one split that a content belongs to."""
        place = hashed_fraction(self.name, content)
        return next(split for split, end in SHARES.items() if place < end)

    def _fresh(self, random: Random, level: int, split: str, seen: set[str]) -> tuple[str, Task]:
        """The next content of this split that it has not shown; once a level is exhausted, any of this split."""
        for attempt in itertools.count():
            content, task = self.draw(random, level)
            if self.split_of(content) == split and (content not in seen or attempt >= _ATTEMPTS):
                return content, task
        raise AssertionError  # the count never ends
