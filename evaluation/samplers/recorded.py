"""Completions that were sampled before, to be judged again: by a changed verifier, or without the model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...environments.base import Prompt
from ...errors import InputError
from ..files import read_lines
from .base import Completion, sample_seed


class RecordedSampler:
    """Gives the completions of a ``samples.jsonl``; a (task, sample) that is not in it is a failure, and shown.

    Args:
        file: Rows with ``task``, ``sample`` and ``completion``, or the folder of a run that holds ``samples.jsonl``.

    Raises:
        InputError: There is no such file, or a row lacks one of the three.
    """

    batch_size = 1024

    def __init__(self, file: str | os.PathLike[str]) -> None:
        path = Path(file)
        self.path = path / "samples.jsonl" if path.is_dir() else path
        if not self.path.is_file():
            raise InputError(f"no recorded completions: {self.path} is not a file")
        self._completions: dict[int, Completion] = {}
        for number, row in enumerate(read_lines(self.path, torn_end=True), start=1):
            try:
                key = sample_seed(0, str(row["task"]), int(row["sample"]))
                found = Completion(str(row["completion"]), row.get("tokens"), bool(row.get("truncated", False)))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"{self.path}, line {number} lacks task, sample or completion: {error!r}") from error
            if row.get("sampled", True):
                self._completions.setdefault(key, found)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The content of the file."""
        return {"kind": "recorded", "content": sha256(self.path.read_bytes()).hexdigest()[:16], "seed": 0}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt, found by its seed, which stands for task and sample."""
        missing = Completion("", failure=f"{self.path} holds no completion for this task and sample")
        return [self._completions.get(seed, missing) for seed in seeds]
