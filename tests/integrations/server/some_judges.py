"""Judges for tests: some that take their time, one that fails, one that reads a column."""

import time
from pathlib import Path
from typing import Any

from assay.verifiers import Result, Verifier


def nap(completion: str, reference: str) -> Result:
    time.sleep(float(completion))
    return Result.correct(answer=completion)


def held(completion: str, reference: str) -> Result:
    """Ready when there is a file of that name."""
    while not Path(completion).exists():
        time.sleep(0.01)
    return Result.correct(answer=completion)


def broken(completion: str, reference: str) -> Result:
    raise RuntimeError("the judge is broken")


def leaving(completion: str, reference: str) -> Result:
    raise SystemExit(3)


class Within(Verifier[str]):
    """Right where it is as long as the column ``longest`` allows."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        return Result.correct() if len(completion) <= columns["longest"] else Result.incorrect()
