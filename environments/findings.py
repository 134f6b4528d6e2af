"""What a check finds: ``Trouble``, ``Finding`` and ``CheckReport``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Trouble(StrEnum):
    """What is wrong with a row, or with the split."""

    FALSE_FAIL = "its reference fails"
    IDLE = "doing nothing passes"
    NOT_JUDGED = "cannot be judged"
    UNSTEADY = "judged differently each time"
    OTHER_TYPE = "has a reference of another type"
    SIZE = "is not as large as declared"
    EMPTY = "is empty"
    DUPLICATE = "repeats another row"
    CONFLICT = "contradicts another row"
    SHARED = "is in another split as well"


class Finding(NamedTuple):
    """One trouble with one row, or with the whole split.

    Attributes:
        trouble: Its kind.
        row: The row's index in the split, from 0; None where the split is meant. ``detail`` and ``assay check`` count
            rows from 1, as everywhere in messages.
        task: The task's id; empty where the split is meant.
        detail: What was tried and what came of it.
    """

    trouble: Trouble
    row: int | None
    task: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found.

    Attributes:
        environment: Its name.
        split: The split.
        tasks: How many tasks were checked.
        without_reference: How many of them have no completion that is known to be right.
        findings: What is wrong, in the order of the rows.
    """

    environment: str
    split: str
    tasks: int
    without_reference: int
    findings: tuple[Finding, ...]

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def counts(self) -> dict[Trouble, int]:
        """How many findings there are of each kind; kinds without one are left out."""
        return dict(Counter(finding.trouble for finding in self.findings))
