"""``math/svamp-v1``: one-step word problems, varied so that cues in their words mislead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from ...verifiers import MathVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_HUB, _REVISION = "ChilleD/SVAMP", "5e0bf1e5e7c0e9c4bc39180d224f41f3f801b7ef"
_INSTRUCTION = "Reason step by step, and put the final answer, a number, in \\boxed{}."


class SVAMP(RowEnvironment):
    """All 1,000 problems, to test on (Patel et al. 2021, https://arxiv.org/abs/2103.07191).

    Args:
        path: A folder with ``test.jsonl``, or the file; without it ``svamp/`` below ``ASSAY_DATA``, else the hub, whose
            two splits are read as one.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/svamp-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 1000}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("svamp/test.jsonl", ("Body", "Question", "Answer"), _HUB, None, "train+test", _REVISION)
    }
    domain = "math"
    licence = "MIT"
    source = f"{_HUB}@{_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = MathVerifier()

    def task_of(self, row: Row) -> Task:
        """The story, the question, and the number without a needless fraction: 145, not 145.0."""
        body = row["Body"].strip()
        story = body if body.endswith((".", "?", "!")) else f"{body}."
        metadata = {"kind": str(row.get("Type", ""))}
        return Task(
            asked(f"{story} {row['Question'].strip()}\n\n{_INSTRUCTION}"),
            str(Fraction(str(row["Answer"]))),
            None,
            metadata,
        )
