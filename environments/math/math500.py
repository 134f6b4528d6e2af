"""``math/math500-v1`` and ``math/math-v1``: competition problems with answers in LaTeX."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from ...errors import InputError
from ...verifiers import MathVerifier
from ..answers import last_boxed
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_INSTRUCTION = "Reason step by step, and put the final answer in \\boxed{}."
_MATH500, _MATH500_REVISION = "HuggingFaceH4/MATH-500", "6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be"
_MATH, _MATH_REVISION = "DigitalLearningGmbH/MATH-lighteval", "0530c78699ea5e8eb5530600900e1f328b48acad"


class Math500(RowEnvironment):
    """500 problems of the MATH test set (Lightman et al. 2023, https://arxiv.org/abs/2305.20050).

    Args:
        path: A folder with ``test.jsonl``, or the file; without it ``math500/`` below ``ASSAY_DATA``, else the hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/math500-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 500}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("math500/test.jsonl", ("problem", "answer"), _MATH500, None, "test", _MATH500_REVISION)
    }
    domain = "math"
    licence = "MIT"
    source = f"{_MATH500}@{_MATH500_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = MathVerifier()

    def task_of(self, row: Row) -> Task:
        """A problem with its answer in LaTeX; the published level, 1 to 5, is its difficulty."""
        level = _level(row.get("level"))
        subject = str(row.get("subject", ""))
        return Task(
            asked(f"{row['problem']}\n\n{_INSTRUCTION}"), str(row["answer"]).strip(), level, {"subject": subject}
        )


class Math(RowEnvironment):
    """7,500 training and 5,000 test problems (Hendrycks et al. 2021, https://arxiv.org/abs/2103.03874).

    The 500 problems of ``math/math500`` are among the test problems.

    Args:
        path: A folder with ``train.jsonl`` and ``test.jsonl``, or one such file; without it ``math/`` below
            ``ASSAY_DATA``, else the hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/math-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 7500, "test": 5000}
    files: ClassVar[Mapping[str, DataFile]] = {
        split: DataFile(f"math/{split}.jsonl", ("problem", "solution"), _MATH, None, split, _MATH_REVISION)
        for split in ("train", "test")
    }
    domain = "math"
    licence = "MIT"
    source = f"{_MATH}@{_MATH_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = MathVerifier()

    def task_of(self, row: Row) -> Task:
        r"""A problem with what its solution puts into the last ``\boxed{}``."""
        answer = last_boxed(row["solution"])
        if not answer:
            raise InputError(f"the solution has no \\boxed{{}} with an answer: {row['solution'][-120:]!r}")
        subject = str(row.get("type", ""))
        return Task(
            asked(f"{row['problem']}\n\n{_INSTRUCTION}"), answer, _level(row.get("level")), {"subject": subject}
        )


def _level(value: object) -> float | None:
    """5 and "Level 5" alike; None for "Level ?", which a few rows have."""
    digits = str(value).removeprefix("Level ").strip()
    return float(digits) if digits.isdecimal() else None
