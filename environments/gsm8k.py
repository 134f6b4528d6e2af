"""``math/gsm8k-v1``: grade-school word problems whose answers are numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import ClassVar

from ..errors import InputError
from ..verifiers import MathVerifier
from .base import Environment, Task
from .datasets import DataFile, load_rows

_REVISION = "740312add88f781978c0658806c59bc2815b9866"
_INSTRUCTION = "Reason step by step, and put the final answer, a number, in \\boxed{}."


class GSM8K(Environment):
    """7,473 training and 1,319 test problems (Cobbe et al. 2021, https://arxiv.org/abs/2110.14168).

    Args:
        path: A folder with ``train.jsonl`` and ``test.jsonl``, or one such file. Without it the rows come from
            ``gsm8k/`` below the folder ``ASSAY_DATA``, else from the hub.
    """

    name = "math/gsm8k-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 7473, "test": 1319}
    domain = "math"
    licence = "MIT"
    source = f"openai/gsm8k@{_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = path
        self.verifier = MathVerifier()

    def load(self, split: str) -> Iterator[Task]:
        """The problems in the order of the published files."""
        data = DataFile(f"gsm8k/{split}.jsonl", ("question", "answer"), "openai/gsm8k", "main", split, _REVISION)
        rows, origin = load_rows(data, self._path)
        for number, row in enumerate(rows, start=1):
            _, mark, answer = row["answer"].rpartition("####")
            if not mark or not answer.strip():
                raise InputError(f"{origin}, row {number}: the answer does not end with '#### N': {row['answer']!r}")
            content = f"{row['question']}\n\n{_INSTRUCTION}"
            yield Task([{"role": "user", "content": content}], answer.strip().replace(",", ""))
