"""``format/ifeval-v1`` and ``format/ifbench-v1``: instructions whose keeping a rule can check."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...verifiers.format.instructions import InstructionVerifier
from ..base import Task
from ..datasets import DataFile, Row
from ..rows import RowEnvironment, asked

_COLUMNS = ("prompt", "instruction_id_list", "kwargs")
_IFEVAL, _IFEVAL_REVISION = "google/IFEval", "966cd89545d6b6acfd7638bc708b98261ca58e84"
_IFBENCH, _IFBENCH_REVISION = "allenai/IFBench_test", "2e8a48de45ff3bf41242f927254ca81b59ca3ae2"


class IFEval(RowEnvironment):
    """541 prompts with 25 types of instruction (Zhou et al. 2023, https://arxiv.org/abs/2311.07911).

    The hub has all of them; the file ``input_data_540.jsonl``, an older revision, lacks one. So no size is declared.

    A response that keeps some of a prompt's instructions scores their share; keeping all of them is correct.

    Args:
        path: A folder with ``input_data_540.jsonl``, or the file; without it ``ifeval/`` below ``ASSAY_DATA``, else the
            hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "format/ifeval-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": None}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("ifeval/input_data_540.jsonl", _COLUMNS, _IFEVAL, None, "train", _IFEVAL_REVISION)
    }
    domain = "format"
    licence = "Apache-2.0"
    source = f"{_IFEVAL}@{_IFEVAL_REVISION[:12]}"

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        super().__init__(path, streaming=streaming)
        self.verifier = InstructionVerifier()

    def task_of(self, row: Row) -> Task:
        """The prompt as it is; the reference is the JSON text of its instructions."""
        names, arguments = list(row["instruction_id_list"]), list(row["kwargs"])
        given = [{key: value for key, value in (one or {}).items() if value is not None} for one in arguments]
        reference = json.dumps({"instruction_id_list": names, "kwargs": given}, ensure_ascii=False)
        return Task(asked(row["prompt"]), reference, float(len(names)), {"instructions": names})

    def reference_completions(self, task: Task) -> Sequence[str]:
        """None: no response that keeps the instructions is published."""
        return ()


class IFBench(IFEval):
    """300 prompts with instructions beyond those of IFEval (Pyatkin et al. 2025, https://arxiv.org/abs/2507.02833).

    Args:
        path: A folder with ``IFBench_test.jsonl``, or the file; without it ``ifbench/`` below ``ASSAY_DATA``, else the
            hub.
        streaming: As in ``RowEnvironment``.
    """

    name = "format/ifbench-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 300}
    files: ClassVar[Mapping[str, DataFile]] = {
        "test": DataFile("ifbench/IFBench_test.jsonl", _COLUMNS, _IFBENCH, None, "train", _IFBENCH_REVISION)
    }
    licence = "ODC-BY 1.0"
    source = f"{_IFBENCH}@{_IFBENCH_REVISION[:12]}"
