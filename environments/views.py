"""``TaskView``: filter, shuffle, skip and take, lazily, on a split of any length."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..bounds import at_least
from ..errors import InputError
from .hashing import hashed_integer, item_random

if TYPE_CHECKING:
    from .base import Task

Source = Callable[[], Iterable["Task"]]


class TaskView:
    """Some tasks of one split, read anew each time the view is iterated. Each method gives another view.

    The order of the calls counts, as in ``itertools``: ``shuffle(0).take(100)`` is a random hundred,
    ``take(100).shuffle(0)`` the first hundred in another order.

    Args:
        source: Gives a fresh iterable of tasks at each call.
        name: What a shuffle is keyed by: the environment and the split.
        endless: Whether the source never ends.
    """

    def __init__(self, source: Source, *, name: str, endless: bool = False) -> None:
        self._source = source
        self._name = name
        self._endless = endless

    @property
    def is_endless(self) -> bool:
        """Whether reading it never ends; ``take`` ends it."""
        return self._endless

    def __iter__(self) -> Iterator[Task]:
        return iter(self._source())

    def filter(self, keep: Callable[[Task], bool]) -> TaskView:
        """Those tasks for which ``keep`` is true."""
        source = self._source
        return self._with(lambda: (task for task in source() if keep(task)))

    def take(self, count: int) -> TaskView:
        """The first ``count`` tasks, or all where there are fewer."""
        source, wanted = self._source, _counted(count)
        return TaskView(lambda: itertools.islice(source(), wanted), name=self._name)

    def skip(self, count: int) -> TaskView:
        """All but the first ``count`` tasks."""
        source, unwanted = self._source, _counted(count)
        return self._with(lambda: itertools.islice(source(), unwanted, None))

    def shuffle(self, seed: int = 0, *, buffer: int | None = None) -> TaskView:
        """The tasks in another order, the same for equal seeds on every machine.

        Args:
            seed: Another seed, another order.
            buffer: Shuffle through a window of so many tasks instead of reading all first; an endless view needs one.

        Raises:
            InputError: The view is endless and no buffer is given, or the buffer is not positive.
        """
        if buffer is not None:
            at_least(1, buffer=buffer)
        if buffer is None and self._endless:
            raise InputError(f"{self._name} is endless: shuffle it through a window, as in shuffle(buffer=1000)")
        source, name = self._source, self._name
        if buffer is None:
            return self._with(lambda: _ordered(source(), name, seed))
        return self._with(lambda: _windowed(source(), name, seed, buffer))

    def _with(self, source: Source) -> TaskView:
        return TaskView(source, name=self._name, endless=self._endless)


def _counted(count: int) -> int:
    if count < 0:
        raise InputError(f"count is {count}; expected 0 or more")
    return count


def _ordered(tasks: Iterable[Task], name: str, seed: int) -> list[Task]:
    """By the hash of the id, so that a task's rank among others does not depend on which others there are."""
    ranked = [(hashed_integer("shuffle", name, seed, task.id), index, task) for index, task in enumerate(tasks)]
    return [task for _, _, task in sorted(ranked, key=lambda entry: entry[:2])]


def _windowed(tasks: Iterable[Task], name: str, seed: int, buffer: int) -> Iterator[Task]:
    window: list[Task] = []
    draw = item_random(name, "shuffle", seed, buffer)
    for task in tasks:
        window.append(task)
        if len(window) > buffer:
            chosen = draw.randrange(len(window))
            window[chosen], window[-1] = window[-1], window[chosen]
            yield window.pop()
    draw.shuffle(window)
    yield from window
