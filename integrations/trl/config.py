"""``CurriculumConfig``: how groups that teach are found."""

from __future__ import annotations

from dataclasses import dataclass

from ...environments.curriculum import DrawOptions, Order
from ...errors import InputError
from .options import CheckedOptions
from .signals import GroupTest


@dataclass(frozen=True, kw_only=True)
class CurriculumConfig(CheckedOptions, DrawOptions):
    """How groups that teach are found, beside the options of ``DrawOptions``, which say how tasks are drawn.

    Attributes:
        mode: "resample" replaces groups that teach nothing; "mask" keeps them out of the loss, which raises the
            effective learning rate of losses that divide by the number of tokens; "off" trains on them.
        max_rounds: Generations beyond the first in one step.
        oversample: Groups generated for each missing one; None for as many as the share of dead ones suggests.
        on_exhausted: What fills the batch when the rounds are over: "keep" the dead groups, "duplicate" the others,
            or "raise" ``NoSignal``.
        signal: What counts as correct: a reward's name, "reward" for the weighted sum; None for the verdict of the
            first of our rewards that judged the row, since shaped rewards hide groups that are all wrong.
        window: A group's pass rate must lie strictly between these two.
        pass_above: Where values count, not verdicts: a value above this is a pass.
        tolerance: Where values count: those that differ by at most this much are equal.
        id_column: Column with the tasks' ids; the prompt stands for the id where it is absent.
        difficulty_column: Column for the orders that need difficulties.

    Raises:
        InputError: A number is out of its range, a word is not one of those above, or there is no such option.
    """

    mode: str = "resample"
    max_rounds: int = 3
    oversample: float | None = None
    on_exhausted: str = "keep"
    signal: str | None = None
    window: tuple[float, float] = (0.0, 1.0)
    pass_above: float = 0.5
    tolerance: float = 1e-6
    id_column: str = "task_id"
    difficulty_column: str = "difficulty"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, words in (("mode", ("resample", "mask", "off")), ("on_exhausted", ("keep", "duplicate", "raise"))):
            if getattr(self, name) not in words:
                raise InputError(f"{name} is {getattr(self, name)!r}; expected one of {', '.join(words)}")
        if self.max_rounds < 0:
            raise InputError(f"max_rounds is {self.max_rounds!r}; expected 0 or more")
        if self.oversample is not None and not self.oversample >= 1.0:
            raise InputError(f"oversample is {self.oversample!r}; expected 1 or more, or None")
        self.group_test()

    def group_test(self) -> GroupTest:
        """When a group is worth training on."""
        return GroupTest(window=self.window, pass_above=self.pass_above, tolerance=self.tolerance)

    @property
    def draws_tasks(self) -> bool:
        """Whether rows are drawn here at all, so that the data set must be open to any index."""
        return self.mode == "resample" or Order(self.order) is not Order.STOCK
