"""``TagFormat``: is the completion the tags asked for, in order, each exactly once?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ..base import Result, Verifier

_NAME = re.compile(r"[A-Za-z][\w.-]*\Z")
_RULES = ("all_there", "each_once", "in_order", "nothing_outside")


class TagFormat(Verifier[Any]):
    r"""Whether a completion consists of the given tags: in order, each exactly once, closed, nothing outside.

    White space around the tags is free. A score is 1 or 0: correctness of the form, never of the content. The
    reference is not looked at. Four rules are scored in ``parts``, for partial credit: ``all_there`` (each tag opened
    and closed equally often), ``each_once``, ``in_order``, and ``nothing_outside`` (pairs side by side, only white
    space around them).

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
        self._expected = [slash + tag for tag in self.tags for slash in ("", "/")]
        self._mark = re.compile(rf"<(/?)({'|'.join(map(re.escape, self.tags))})>")

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        text = completion
        if self.prefilled and not text.lstrip().startswith(f"<{self.tags[0]}>"):
            text = f"<{self.tags[0]}>{text}"
        marks = list(self._mark.finditer(text))
        if reason := self._broken(text, marks):
            return Result.incorrect(reason=reason, parts=self._parts(text, marks))
        inside = {mark[2]: text[mark.end() : end.start()] for mark, end in _pairs(marks)}
        return Result.correct(answer=inside[self.answer].strip(), parts=dict.fromkeys(_RULES, 1.0))

    def _broken(self, text: str, marks: Sequence[re.Match[str]]) -> str:
        """The first thing that is not as asked; "" for nothing."""
        for mark, want in zip(marks, self._expected, strict=False):
            if mark[1] + mark[2] != want:
                return f"expected <{want}>, found {mark[0]}"
        if len(marks) < len(self._expected):
            return f"<{self._expected[len(marks)]}> is missing"
        if len(marks) > len(self._expected):
            return f"{marks[len(self._expected)][0]} comes after the last tag closed"
        outside = _outside(text, marks)
        return f"text outside the tags: {outside[:60]!r}" if outside else ""

    def _parts(self, text: str, marks: Sequence[re.Match[str]]) -> dict[str, float | None]:
        """Each rule by itself, for a completion that breaks one."""
        names = [mark[1] + mark[2] for mark in marks]
        counts = Counter(names)
        opened = [name for name in names if name[0] != "/"]
        closed = all(counts[tag] == counts[f"/{tag}"] > 0 for tag in self.tags)
        flat = closed and names == [name for tag in opened for name in (tag, f"/{tag}")]
        kept = {
            "all_there": closed,
            "each_once": all(counts[name] == 1 for name in self._expected),
            "in_order": list(dict.fromkeys(opened)) == list(self.tags),
            "nothing_outside": flat and not _outside(text, marks),
        }
        return {rule: float(kept[rule]) for rule in _RULES}


def _pairs(marks: Sequence[re.Match[str]]) -> list[tuple[re.Match[str], re.Match[str]]]:
    return list(zip(marks[::2], marks[1::2], strict=True))


def _outside(text: str, marks: Sequence[re.Match[str]]) -> str:
    """What stands before, between and after the tags, white space at its ends apart."""
    edges = [0, *(edge for start, end in _pairs(marks) for edge in (start.start(), end.end())), len(text)]
    return " ".join(part for i in range(0, len(edges), 2) if (part := text[edges[i] : edges[i + 1]].strip()))
