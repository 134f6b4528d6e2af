"""``math/aime24-v1`` and ``math/aime25-v1``: thirty problems a year whose answers are whole numbers from 0 to 999."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from ...errors import InputError
from ...verifiers import MathVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_INSTRUCTION = "Reason step by step, and put the final answer, a whole number from 0 to 999, in \\boxed{}."
_AIME24, _AIME24_REVISION = "HuggingFaceH4/aime_2024", "2fe88a2f1091d5048c0f36abc874fb997b3dd99a"
_AIME25, _AIME25_REVISION = "math-ai/aime25", "563bb8404243c5f09de6ec262f2db674fe5bce9b"


class AIME24(RowEnvironment):
    """The American Invitational Mathematics Examinations of 2024; both papers.

    Args:
        path: A folder with ``test.jsonl``, or the file; without it ``aime24/`` below ``ASSAY_DATA``, else the hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/aime24-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 30}
    files: ClassVar[Mapping[str, DataFile]] = {
        # The hub calls the only split of these thirty "train".
        "test": DataFile("aime24/test.jsonl", ("problem", "answer"), _AIME24, None, "train", _AIME24_REVISION)
    }
    domain = "math"
    licence = "not stated"
    source = f"{_AIME24}@{_AIME24_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = MathVerifier()

    def task_of(self, row: Row) -> Task:
        """A problem with its answer, without leading zeros."""
        answer = str(row["answer"]).strip()
        if not answer.isdecimal() or not 0 <= int(answer) <= 999:
            raise InputError(f"the answer is {answer!r}; expected a whole number from 0 to 999")
        return Task(asked(f"{row['problem']}\n\n{_INSTRUCTION}"), str(int(answer)))


class AIME25(AIME24):
    """The American Invitational Mathematics Examinations of 2025; both papers.

    Args:
        path: A folder with ``test.jsonl``, or the file; without it ``aime25/`` below ``ASSAY_DATA``, else the hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/aime25-v1"
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("aime25/test.jsonl", ("problem", "answer"), _AIME25, None, "test", _AIME25_REVISION)
    }
    source = f"{_AIME25}@{_AIME25_REVISION[:12]}"
