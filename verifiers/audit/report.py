"""``AuditReport``: what an audit found, as numbers, as JSON, and against conditions for CI."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import InputError
from .intervals import wilson
from .probes import Owes

MEASURES = ("false_pass", "lazy_reward", "false_fail", "raised", "no_score", "slow", "unstable")
_CONDITION = re.compile(r"\s*(?P<name>\w+)\s*(?P<sign>>=|>|==)\s*(?P<bound>\d+(?:\.\d+)?)\s*\Z")
_SIGNS: Mapping[str, Callable[[float, float], bool]] = {">": operator.gt, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True, slots=True)
class Example:
    """One completion that a grader judged wrongly, or could not stand.

    Attributes:
        probe: The family it is of.
        fault: ``false pass``, ``false fail``, ``raised``, ``no score``, ``slow`` or ``unstable``.
        prompt: The prompt, cut.
        completion: The completion, cut.
        score: The grader's, 1.0 being the full reward.
        note: The grader's reason.
    """

    probe: str
    fault: str
    prompt: str
    completion: str
    score: float | None
    note: str


@dataclass(frozen=True, slots=True)
class ProbeOutcome:
    """What a grader did with one family of probes.

    Attributes:
        owes: What an honest grader does.
        about: The family in words.
        count: How many completions were judged.
        passed: How many got at least half of the full reward.
        mean: Their mean score, those without one counted as 0; NaN-free.
    """

    owes: Owes
    about: str
    count: int
    passed: int
    mean: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share that passed."""
        return wilson(self.passed, self.count)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The outcome of an audit.

    Attributes:
        subject: The grader's name.
        cases: How many cases there were, and how many of them had a right completion that the grader paid.
        payable: See ``cases``.
        probes: Outcomes by family.
        counts: ``raised``, ``no_score``, ``slow``, ``unstable``: how many completions.
        examples: The worst ones, at most a few for each probe and fault.
        seconds: The longest time that one completion took.
    """

    subject: str
    cases: int
    payable: int
    probes: Mapping[str, ProbeOutcome]
    counts: Mapping[str, int]
    examples: Sequence[Example]
    seconds: float

    @property
    def false_pass(self) -> float:
        """The ceiling: the highest mean score of a strategy that should earn nothing."""
        return max((outcome.mean for outcome in self._of(Owes.FAIL, Owes.LAZY)), default=0.0)

    @property
    def lazy_reward(self) -> float:
        """The highest mean score of a strategy that does not look at the problem."""
        return max((outcome.mean for outcome in self._of(Owes.LAZY)), default=0.0)

    @property
    def false_fail(self) -> float:
        """The share of right completions, as given and varied harmlessly, that did not pass; 0.0 without any."""
        missed, total = self.false_fail_counts
        return missed / total if total else 0.0

    @property
    def false_fail_counts(self) -> tuple[int, int]:
        """How many right completions did not pass, and how many there were."""
        owed = self._of(Owes.PASS)
        total = sum(outcome.count for outcome in owed)
        return total - sum(outcome.passed for outcome in owed), total

    def _of(self, *owes: Owes) -> list[ProbeOutcome]:
        return [outcome for outcome in self.probes.values() if outcome.owes in owes]

    def measures(self) -> dict[str, float]:
        """All numbers that a condition may name."""
        shares = {"false_pass": self.false_pass, "lazy_reward": self.lazy_reward, "false_fail": self.false_fail}
        return {**shares, **{name: float(count) for name, count in self.counts.items()}}

    def broken(self, conditions: Sequence[str]) -> list[str]:
        """The conditions that hold, like ``false_pass>0``, each with its number; CI fails when there are any.

        Raises:
            InputError: A condition is not ``measure>number``, ``>=`` or ``==``.
        """
        measures = self.measures()
        found = []
        for condition in conditions:
            name, sign, bound = parse_condition(condition)
            if _SIGNS[sign](measures[name], bound):
                found.append(f"{condition.strip()} ({name} is {measures[name]:.4g})")
        return found

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        missed, total = self.false_fail_counts
        return {
            "subject": self.subject,
            "cases": self.cases,
            "payable": self.payable,
            "measures": self.measures(),
            "false_fail_interval": list(wilson(missed, total)),
            "seconds": self.seconds,
            "probes": {
                name: {**asdict(outcome), "owes": str(outcome.owes), "interval": list(outcome.interval)}
                for name, outcome in self.probes.items()
            },
            "examples": [asdict(example) for example in self.examples],
        }


def parse_condition(condition: str) -> tuple[str, str, float]:
    """The measure, the sign and the bound of a condition.

    Raises:
        InputError: It has another form or names another measure.
    """
    found = _CONDITION.match(condition)
    if not found or found["name"] not in MEASURES:
        raise InputError(
            f"{condition!r} is not a condition; expected a measure, > or >= or ==, and a number, like 'false_pass>0'. "
            f"Measures: {', '.join(MEASURES)}"
        )
    return found["name"], found["sign"], float(found["bound"])
