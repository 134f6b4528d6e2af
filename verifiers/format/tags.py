"""``TagFormat``: is the completion the tags asked for, in order, each exactly once?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ..base import Result, Verifier

_NAME = re.compile(r"[A-Za-z][\w.-]*\Z")


class TagFormat(Verifier[Any]):
    r"""Whether a completion consists of the given tags: in order, each exactly once, closed, nothing outside.

    White space around the tags is free. A score is 1 or 0: correctness of the form, never of the content. The
    reference is not looked at.

    Args:
        *tags: Names in the order wanted; ``think`` and ``answer`` when none is given.
        prefilled: Whether the chat template already wrote the first opening tag into the prompt. The completion then
            begins inside it; one that repeats the tag is fine too.
        answer: The tag whose content is the result's ``answer``; the last one when None.

    Raises:
        InputError: A name is not a tag name, is given twice, or ``answer`` is not among them.

    >>> TagFormat().verify(["<think>2+2</think><answer>4</answer>"], [None])[0].answer
    '4'
    >>> TagFormat().verify(["<answer>4</answer>"], [None])[0].reason
    'expected <think>, found <answer>'
    """

    def __init__(self, *tags: str, prefilled: bool = False, answer: str | None = None) -> None:
        self.tags = tags or ("think", "answer")
        self.prefilled = prefilled
        self.answer = self.tags[-1] if answer is None else answer
        for tag in self.tags:
            if not _NAME.match(tag):
                raise InputError(f"{tag!r} is not a tag name; expected letters, digits, '_', '.' or '-'")
        if len(set(self.tags)) != len(self.tags):
            raise InputError(f"a tag is named twice in {self.tags}; each stands exactly once")
        if self.answer not in self.tags:
            raise InputError(f"answer={answer!r} is not one of the tags {self.tags}")
        self._mark = re.compile(rf"<(/?)({'|'.join(map(re.escape, self.tags))})>")

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        text = completion
        if self.prefilled and not text.lstrip().startswith(f"<{self.tags[0]}>"):
            text = f"<{self.tags[0]}>{text}"
        marks = list(self._mark.finditer(text))
        expected = [slash + tag for tag in self.tags for slash in ("", "/")]
        for mark, want in zip(marks, expected, strict=False):
            if mark[1] + mark[2] != want:
                return Result.incorrect(reason=f"expected <{want}>, found {mark[0]}")
        if len(marks) < len(expected):
            return Result.incorrect(reason=f"<{expected[len(marks)]}> is missing")
        if len(marks) > len(expected):
            return Result.incorrect(reason=f"{marks[len(expected)][0]} comes after the last tag closed")
        if outside := _outside(text, marks):
            return Result.incorrect(reason=f"text outside the tags: {outside[:60]!r}")
        inside = {mark[2]: text[mark.end() : end.start()] for mark, end in _pairs(marks)}
        return Result.correct(answer=inside[self.answer].strip())


def _pairs(marks: Sequence[re.Match[str]]) -> list[tuple[re.Match[str], re.Match[str]]]:
    return list(zip(marks[::2], marks[1::2], strict=True))


def _outside(text: str, marks: Sequence[re.Match[str]]) -> str:
    """What stands before, between and after the tags, white space at its ends apart."""
    edges = [0, *(edge for start, end in _pairs(marks) for edge in (start.start(), end.end())), len(text)]
    return " ".join(part for i in range(0, len(edges), 2) if (part := text[edges[i] : edges[i + 1]].strip()))
