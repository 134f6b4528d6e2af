"""The order in which tasks are drawn for training, learned from how they went. No trainer is imported here."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import fraction, positive
from ..errors import InputError
from .base import Prompt
from .difficulty import Floats
from .hashing import hashed_integer
from .pass_rates import PassRates

_STATE_VERSION = 1
Tasks = NDArray[np.int64]


class Order(StrEnum):
    """In which order tasks are drawn.

    Attributes:
        STOCK: The trainer's own order; only refills are drawn here, each task as likely as any other.
        UNIFORM: Each task as likely as any other.
        INFORMATIVE: By the chance that a task's group has both passes and failures.
        TARGET: Nearest to a difficulty that follows the pass rate (AdaRFT).
        EASY_TO_HARD: By difficulty, upwards, again and again.
        GIVEN: As the data set has them, again and again.
    """

    STOCK = "stock"
    UNIFORM = "uniform"
    INFORMATIVE = "informative"
    TARGET = "target"
    EASY_TO_HARD = "easy_to_hard"
    GIVEN = "given"


@dataclass(frozen=True, kw_only=True)
class DrawOptions:
    """How tasks are drawn.

    Attributes:
        order: See ``Order``; its name will do.
        seed: Of the draws.
        exploration: In [0, 1]: the share of INFORMATIVE's weight that is spread evenly.
        sharpness: Exponent of INFORMATIVE's weight, which is the chance that the task's group is informative, divided
            by the root of one more than the groups of it that were seen of late: the most informative are preferred,
            but not the same ones again and again.
        half_life: After how many generation batches a judgement counts half, since the policy has changed.
        easy_fraction: In [0, 1]: the share of each INFORMATIVE draw that is kept for tasks above ``easy_above``.
        easy_above: A pass rate in [0, 1].

    Raises:
        InputError: A number is out of its range, or there is no such order.
    """

    order: Order | str = Order.INFORMATIVE
    seed: int = 0
    exploration: float = 0.02
    sharpness: float = 6.0
    half_life: float = 20.0
    easy_fraction: float = 0.0
    easy_above: float = 0.8

    def __post_init__(self) -> None:
        if self.order not in list(Order):
            raise InputError(f"order is {self.order!r}; expected one of {', '.join(Order)}")
        fraction(exploration=self.exploration, easy_fraction=self.easy_fraction, easy_above=self.easy_above)
        positive(sharpness=self.sharpness, half_life=self.half_life)


class Curriculum:
    """Draws tasks, learns from how they went, and can be saved and restored exactly.

    Tasks with the same key share what is learned about them. Nothing depends on a global generator: draw number i
    hashes the seed and i.

    Args:
        keys: One key a task, n of them: task ids.
        prompts: Their prompts, n of them; INFORMATIVE learns from them which tasks are alike.
        group_size: G.
        difficulties: n numbers, which TARGET and EASY_TO_HARD need.
        options: How tasks are drawn.

    Raises:
        InputError: There is no task, or the order lacks its difficulties.
    """

    def __init__(
        self,
        keys: Sequence[str],
        prompts: Sequence[Prompt],
        *,
        group_size: int,
        difficulties: Sequence[float | None] | None = None,
        options: DrawOptions | None = None,
    ) -> None:
        self.options = options or DrawOptions()
        self.order = Order(self.options.order)
        self.group_size = group_size
        if not keys:
            raise InputError("a curriculum was given no tasks; expected at least one")
        self._numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self._key_of: Tasks = np.array([self._numbers[key] for key in keys], dtype=np.int64)
        first = np.unique(self._key_of, return_index=True)[1]
        alike = [prompts[task] for task in first] if self.order is Order.INFORMATIVE else None
        self.rates = PassRates(list(self._numbers), alike, half_life=self.options.half_life)
        self._difficulty = _checked_difficulties(self.order, difficulties)
        self._line = np.argsort(self._difficulty, kind="stable") if len(self._difficulty) else np.arange(len(keys))
        self._target = float(self._difficulty.min()) if len(self._difficulty) else 0.0
        self._draws = 0
        self._place = 0

    def __len__(self) -> int:
        return len(self._key_of)

    def draw(self, count: int, exclude: Collection[str] = ()) -> list[int]:
        """The next ``count`` tasks, as indices; those whose key is in ``exclude`` only where nothing else is left.

        No key comes twice in a draw unless ``count`` exceeds what there is.
        """
        chosen: list[int] = []
        banned = {self._numbers[key] for key in exclude if key in self._numbers}
        while len(chosen) < count:
            found = self._draw_once(count - len(chosen), banned)
            chosen += found
            banned = banned | {int(self._key_of[task]) for task in found} if found else set()
        return chosen

    def _draw_once(self, count: int, banned: set[int]) -> list[int]:
        """At most ``count`` tasks with different keys, none of them banned."""
        if self.order in (Order.EASY_TO_HARD, Order.GIVEN):
            return self._next_in_line(count, banned)
        self._draws += 1
        random = np.random.default_rng(hashed_integer("curriculum", self.options.seed, self._draws))
        tasks = random.permutation(len(self._key_of))
        tasks = tasks[np.sort(np.unique(self._key_of[tasks], return_index=True)[1])]  # one task a key
        tasks = tasks[~np.isin(self._key_of[tasks], np.fromiter(banned, dtype=np.int64))]
        if self.order is Order.TARGET:
            tasks = tasks[np.argsort(np.abs(self._difficulty[tasks] - self._target), kind="stable")]
        elif self.order is Order.INFORMATIVE:
            tasks = tasks[self._by_weight(self._key_of[tasks], count, random)]
        return [int(task) for task in tasks[:count]]

    def _next_in_line(self, count: int, banned: set[int]) -> list[int]:
        chosen: dict[int, int] = {}
        for _ in range(len(self._line)):
            if len(chosen) == count:
                break
            task = int(self._line[self._place % len(self._line)])
            self._place += 1
            key = int(self._key_of[task])
            if key not in banned:
                chosen.setdefault(key, task)
        return list(chosen.values())

    def _by_weight(self, keys: Tasks, count: int, random: np.random.Generator) -> Tasks:
        """Weighted draws without replacement: the largest u^(1/w) win (Efraimidis and Spirakis 2006)."""
        chance = self.rates.informative(self.group_size)[keys]
        seen = self.rates.tried()[keys] / self.group_size
        weight = (chance / np.sqrt(1.0 + seen)) ** self.options.sharpness
        share = self.options.exploration
        weight = (1.0 - share) * weight + share * weight.sum() / max(len(keys), 1) + 1e-12
        lots = np.log(random.random(len(keys))) / weight
        if self.options.easy_fraction:
            easy = np.flatnonzero(self.rates.expected()[keys] >= self.options.easy_above)
            lots[easy[: round(self.options.easy_fraction * count)]] = np.inf  # they come shuffled
        return np.argsort(-lots, kind="stable")

    def update(self, judged: Iterable[tuple[str, float, float]]) -> None:
        """Learn from one generation batch.

        Args:
            judged: Key, number of passes and number of judged completions of each group.
        """
        judged = list(judged)
        self.rates.update(judged)
        total = sum(tried for _, _, tried in judged)
        if self.order is Order.TARGET and total:
            self._move_target(sum(passed for _, passed, _ in judged) / total)

    def _move_target(self, pass_rate: float) -> None:
        """T <- clip(T + eta tanh(2 (R - 1/2))), eta half the range of difficulties (AdaRFT, arXiv 2504.05520)."""
        low, high = float(self._difficulty.min()), float(self._difficulty.max())
        step = 0.5 * (high - low) * float(np.tanh(2.0 * (pass_rate - 0.5)))
        self._target = min(high, max(low, self._target + step))

    def _identity(self) -> dict[str, Any]:
        return {"version": _STATE_VERSION, "order": self.order.value, "tasks": len(self)}

    def state_dict(self) -> dict[str, Any]:
        """Everything that draws depend on beside the arguments, as JSON values."""
        state = {"draws": self._draws, "place": self._place, "target": self._target, "rates": self.rates.state_dict()}
        return {**self._identity(), **state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken.

        Raises:
            InputError: It belongs to another version, order or number of tasks.
        """
        mine = self._identity()
        theirs = {name: state.get(name) for name in mine}
        if theirs != mine:
            raise InputError(
                f"the saved curriculum is {json.dumps(theirs)}, this one is {json.dumps(mine)}; resume with the same "
                "order and data set, or start without the checkpoint"
            )
        self._draws, self._place, self._target = state["draws"], state["place"], state["target"]
        self.rates.load_state_dict(state["rates"])


def _checked_difficulties(order: Order, difficulties: Sequence[float | None] | None) -> Floats:
    if order not in (Order.TARGET, Order.EASY_TO_HARD):
        return np.zeros(0)
    if difficulties is None or any(value is None for value in difficulties):
        found = "there are none" if difficulties is None else "some have none"
        raise InputError(f"the order {order.value!r} needs a difficulty for every task; {found}")
    return np.asarray(difficulties, dtype=np.float64)
