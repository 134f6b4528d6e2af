"""Judgements of stored completions, and the file that holds them while a rescoring goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, StorageFailed
from ..verifiers.base import Verdict
from .json_lines import json_object


class Judged(NamedTuple):
    """One stored completion with its new judgement.

    Attributes:
        row: Its index in the file.
        task: The id of its task, empty where there is none.
        verdict: The new verdict.
        score: The new score, None where the judge failed.
        answer: What was extracted.
        reason: One sentence.
        stored: The score that the file holds, None where it holds none.
        other_verdict: The verdict of the second judge, None where there is none.
        other_score: Its score.
        other_reason: Its reason.
    """

    row: int
    task: str
    verdict: Verdict
    score: float | None
    answer: str | None
    reason: str
    stored: float | None
    other_verdict: Verdict | None = None
    other_score: float | None = None
    other_reason: str = ""

    @property
    def agrees_with_stored(self) -> bool:
        """Whether the stored score, if any, is the new one."""
        return self.stored is None or self.stored == self.score

    @property
    def agrees_with_other(self) -> bool:
        """Whether the second judge, if any, gives the same verdict and score."""
        return self.other_verdict is None or (self.other_verdict, self.other_score) == (self.verdict, self.score)


class JudgedFile:
    """The output file: a first line that says whose judgements it holds, then one line for each row.

    Args:
        output: Its path; None keeps nothing.
        identity: Whose judgements these are.
    """

    def __init__(self, output: str | os.PathLike[str] | None, identity: Mapping[str, Any]) -> None:
        self.path = None if output is None else Path(output)
        self.identity = dict(identity)

    def read(self) -> list[Judged]:
        """What an earlier call left, up to a torn last line, which is cut off.

        Raises:
            InputError: The file holds something else, or other judgements.
        """
        if self.path is None or not self.path.exists():
            self._write(json.dumps(self.identity) + "\n", "w")
            return []
        try:
            text = self.path.read_text(encoding="utf-8")
            lines = text[: text.rfind("\n") + 1].splitlines()
            rows = [json_object(self.path, number, line) for number, line in enumerate(lines, start=1)]
            identity = rows[0] if rows else None
            judged = [_loaded(row) for row in rows[1:]]
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"{self.path} is not the output of a rescoring: {error}") from error
        if identity != self.identity:
            raise InputError(f"{self.path} holds judgements of other completions or judges; choose another file")
        self._write("\n".join(lines) + "\n", "w")
        return judged

    def append(self, judged: Sequence[Judged]) -> None:
        """Add lines.

        Raises:
            StorageFailed: The disk is full, or refuses.
        """
        self._write("".join(json.dumps(row._asdict()) + "\n" for row in judged), "a")

    def _write(self, text: str, mode: str) -> None:
        if self.path is None:
            return
        try:
            with self.path.open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise StorageFailed(f"{self.path} cannot be written: {error}") from error


def _loaded(row: Mapping[str, Any]) -> Judged:
    other = row["other_verdict"]
    verdicts = {"verdict": Verdict(row["verdict"]), "other_verdict": None if other is None else Verdict(other)}
    return Judged(**{**row, **verdicts})
