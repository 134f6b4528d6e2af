"""``math/gsm8k-v1``: grade-school word problems whose answers are numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from ...errors import InputError
from ...verifiers import MathVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_HUB, _REVISION = "openai/gsm8k", "740312add88f781978c0658806c59bc2815b9866"
_INSTRUCTION = "Reason step by step, and put the final answer, a number, in \\boxed{}."


class GSM8K(RowEnvironment):
    """7,473 training and 1,319 test problems (Cobbe et al. 2021, https://arxiv.org/abs/2110.14168).

    Args:
        path: A folder with ``train.jsonl`` and ``test.jsonl``, or one such file. Without it the rows come from
            ``gsm8k/`` below the folder ``ASSAY_DATA``, else from the hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "math/gsm8k-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 7473, "test": 1319}
    files: ClassVar[Mapping[str, DataFile]] = {
        split: DataFile(f"gsm8k/{split}.jsonl", ("question", "answer"), _HUB, "main", split, _REVISION)
        for split in ("train", "test")
    }
    domain = "math"
    licence = "MIT"
    source = f"{_HUB}@{_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = MathVerifier()

    def task_of(self, row: Row) -> Task:
        """A question with the number behind ``####``."""
        _, mark, answer = row["answer"].rpartition("####")
        if not mark or not answer.strip():
            raise InputError(f"the answer does not end with '#### N': {row['answer']!r}")
        return Task(asked(f"{row['question']}\n\n{_INSTRUCTION}"), answer.strip().replace(",", ""))
