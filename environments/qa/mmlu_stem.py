"""``qa/mmlu-stem-v1``: questions of science, technology and mathematics with four options each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from ...errors import InputError
from ...verifiers.choice import ChoiceVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_HUB, _REVISION = "cais/mmlu", "c30699e8356da336a370243923dbaf21066bb9fe"
_INSTRUCTION = "Reason step by step, and put the letter of the right option in \\boxed{}."
_LETTERS = "ABCD"
#: The subjects that count as STEM.
SUBJECTS = frozenset(
    {
        *("abstract_algebra", "astronomy", "college_biology", "college_chemistry", "college_computer_science"),
        *("college_mathematics", "college_physics", "computer_security", "conceptual_physics"),
        *("electrical_engineering", "elementary_mathematics", "high_school_biology", "high_school_chemistry"),
        *("high_school_computer_science", "high_school_mathematics", "high_school_physics"),
        *("high_school_statistics", "machine_learning"),
    }
)


class MMLUStem(RowEnvironment):
    """The 3,018 test questions of 18 subjects (Hendrycks et al. 2021, https://arxiv.org/abs/2009.03300).

    Args:
        path: A folder with ``test.jsonl``, or the file; without it ``mmlu_stem/`` below ``ASSAY_DATA``, else the hub,
            of whose questions those of other subjects are left out.
        streaming: As in ``RowEnvironment``.
    """

    name = "qa/mmlu-stem-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 3018}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("mmlu_stem/test.jsonl", ("question", "choices", "answer"), _HUB, "all", "test", _REVISION)
    }
    columns = ("options",)
    domain = "qa"
    licence = "MIT"
    source = f"{_HUB}@{_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = ChoiceVerifier(_LETTERS)

    def task_of(self, row: Row) -> Task | None:
        """A question with its lettered options; None for another subject."""
        subject = row["subject"] if "subject" in row else row["type"]
        if subject not in SUBJECTS:
            return None
        options, answer = [str(option).strip() for option in row["choices"]], row["answer"]
        if len(options) != len(_LETTERS) or answer not in range(len(_LETTERS)):
            raise InputError(f"it has {len(options)} options and the answer {answer!r}; expected 4, and 0 to 3")
        listed = "\n".join(f"{letter}) {option}" for letter, option in zip(_LETTERS, options, strict=True))
        prompt = asked(f"{row['question'].strip()}\n\n{listed}\n\n{_INSTRUCTION}")
        return Task(prompt, _LETTERS[answer], None, {"subject": subject, "options": options})
