"""What a model already passes: pass rates by task, the dead groups they mean, and the tasks left to learn from."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..environments.pass_rates import informative_chance
from ..errors import InputError, StorageFailed
from .metrics import dead_group_probability
from .report import Report
from .samples import SampleFolder

GROUP_SIZES = (4, 8, 16, 32, 64)


class DeadGroups(NamedTuple):
    """How many groups of one size teach nothing.

    Attributes:
        size: G.
        share: Of groups that all pass or all fail, in [0, 1].
        wasted: Rollouts generated for each one that teaches: 1 / (1 - share); infinite where all are dead.
        extrapolated: Whether G is larger than the samples of a task, so that a Beta distribution had to be fitted.
    """

    size: int
    share: float
    wasted: float
    extrapolated: bool


@dataclass(frozen=True)
class Profile:
    """Pass rates of a model, task by task, out of an evaluation.

    Attributes:
        report: The evaluation.
    """

    report: Report

    def judged(self) -> list[tuple[str, int, int]]:
        """Id, passes and judged samples of every task that has a judged sample; failures of ours are left out."""
        counts = [(item.id, item.correct, item.samples - item.failures) for item in self.report.outcomes]
        return [count for count in counts if count[2]]

    def rates(self) -> dict[str, float]:
        """Pass rates by task id."""
        return {name: passed / judged for name, passed, judged in self.judged()}

    def histogram(self, bins: int = 10) -> list[tuple[float, float, int]]:
        """Lower end, upper end and number of tasks of each bin; all fail and all pass have bins of their own.

        Returns:
            ``bins`` + 2 entries, from rate 0 to rate 1.
        """
        rates = list(self.rates().values())
        counts = [0] * bins
        for rate in rates:
            if 0.0 < rate < 1.0:
                counts[min(bins - 1, int(rate * bins))] += 1
        inner = [(place / bins, (place + 1) / bins, count) for place, count in enumerate(counts)]
        return [(0.0, 0.0, rates.count(0.0)), *inner, (1.0, 1.0, rates.count(1.0))]

    def dead_groups(self, size: int) -> DeadGroups:
        """The expected share of groups of ``size`` that are all pass or all fail.

        Without bias where every task has ``size`` judged samples: [C(c, G) + C(n - c, G)] / C(n, G), the chance that G
        of the n samples agree. Elsewhere the tasks' rates are taken to be Beta distributed, fitted by moments.

        Raises:
            InputError: No sample was judged.
        """
        counts = self.judged()
        if not counts:
            raise InputError("no sample was judged; there is nothing to profile")
        enough = all(judged >= size for _, _, judged in counts)
        if enough:
            chances = [dead_group_probability(n=judged, correct=passed, group=size) for _, passed, judged in counts]
            share = math.fsum(chances) / len(chances)
        else:
            share = self._extrapolated(size)
        return DeadGroups(size, share, math.inf if share >= 1.0 else 1.0 / (1.0 - share), not enough)

    def _extrapolated(self, size: int) -> float:
        if not any(0 < passed < judged for _, passed, judged in self.judged()):
            return 1.0  # no task was seen to go both ways: nothing tells how far from it any is
        passed = np.array([count[1] for count in self.judged()], dtype=np.float64)
        judged = np.array([count[2] for count in self.judged()], dtype=np.float64)
        mean, strength = _fitted_beta(passed, judged)
        chance = informative_chance(passed + mean * strength, judged - passed + (1.0 - mean) * strength, size)
        return float(1.0 - chance.mean())

    def inside(self, low: float = 0.0, high: float = 1.0) -> list[str]:
        """Ids of tasks whose pass rate lies strictly between ``low`` and ``high``.

        Raises:
            InputError: The window is empty or not within [0, 1].
        """
        if not 0.0 <= low < high <= 1.0:
            raise InputError(f"the window is {low} to {high}; expected 0 <= low < high <= 1")
        return [name for name, rate in self.rates().items() if low < rate < high]

    def write(self, path: str | os.PathLike[str], low: float = 0.0, high: float = 1.0) -> int:
        """Write the tasks inside the window as JSONL, with their pass rates and what these were measured with.

        Args:
            path: The file; ``environment.trl(profile=path)`` reads it.
            low: Lower end of the window, itself outside.
            high: Upper end, itself outside.

        Returns:
            How many tasks were written.

        Raises:
            InputError: The window is empty, no task lies in it, or the evaluation is not on disk.
            StorageFailed: The file cannot be written.
        """
        if self.report.folder is None:
            raise InputError("this report was never on disk, so its tasks are unknown; profile a saved evaluation")
        kept = set(self.inside(low, high))
        if not kept:
            raise InputError(f"no pass rate lies between {low} and {high}; nothing would be left to train on")
        counts = {name: (passed, judged) for name, passed, judged in self.judged()}
        lines = [
            json.dumps({**task, **self._measured(*counts[task["id"]])}, ensure_ascii=False)
            for task in SampleFolder(self.report.folder).tasks()
            if task["id"] in kept
        ]
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise StorageFailed(f"{os.fspath(path)} cannot be written: {error}") from error
        return len(lines)

    def _measured(self, passed: int, judged: int) -> Mapping[str, Any]:
        config = self.report.config
        return {
            "pass_rate": passed / judged,
            "passed": passed,
            "judged": judged,
            "model": self.report.model,
            "temperature": config["sampler"].get("temperature"),
            "environment": config["environment"],
            "verifier": config["verifier"],
            "assay": config["assay"],
        }


def _fitted_beta(passed: np.ndarray, judged: np.ndarray) -> tuple[float, float]:
    """Mean and strength (a + b) of a Beta distribution by moments: the rates' variance less that of drawing."""
    rates = passed / judged
    mean = float(np.clip(passed.sum() / judged.sum(), 1e-3, 1.0 - 1e-3))
    drawing = float(np.mean(rates * (1.0 - rates) / np.maximum(judged - 1.0, 1.0)))
    between = float(np.clip(np.var(rates) - drawing, 1e-3, None))
    return mean, float(np.clip(mean * (1.0 - mean) / between - 1.0, 0.05, 1e4))
