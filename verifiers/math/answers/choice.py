"""Letters of multiple choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge

_LATEX = re.compile(
    r"\\(?:text|mbox|textbf|textrm|textit|mathrm|mathbf|textsf|rm|bf|boxed|fbox|left|right)(?![A-Za-z])|[{}$*`]|\\[,;:!\s]|~|\\q?quad"
)
_REFERENCE = re.compile(r"\(?([A-J])\)?[.):]?\s*\Z")
_LABELLED = re.compile(r"\(?([A-J])\)?[.)]?\s+(?![A-J]\b|or\b|and\b|[,&/])[A-Z][^\W\d_]+(?:\s+[^\W\d_]+)*\Z")
_SEVERAL = re.compile(r"\(?[A-J]\)?(?:\s*(?:,|and|&|;|、)\s*\(?[A-J]\)?)+\Z")
_TOGETHER = re.compile(r"[A-H]{2,5}\Z")
_OPTION = re.compile(r"(?:option|choice|answer)\s*:?\s*", re.I)
_ONE = re.compile(
    r"\(?([A-Ja-j])\)?\s*(?:\Z|[.):。：]\s*\Z)|\(([A-J])\)|([A-J])(?:[.):。：]|\s+(?!(?:[A-J]\b|or\b|and\b|[,&/+=<>|*^-]))|(?=[^\x00-\x7f])(?![、或和与及]))"
)


@dataclass(frozen=True)
class Choice(Answer):
    """One letter or several.

    Attributes:
        letters: The letters.
        reading: The reference read as anything else: A may be a point, AC a segment.
    """

    letters: frozenset[str]
    reading: Answer | None = None
    label: ClassVar[str] = "a choice"

    @classmethod
    def from_reference(cls, text: str) -> Choice | None:
        """The choice that a reference stands for; None where it is no letter and no ascending run of letters."""
        plain = _LATEX.sub(" ", text).strip()
        if found := _REFERENCE.match(plain) or _LABELLED.match(plain):
            return cls(frozenset(found[1]))
        if _SEVERAL.match(plain):
            return cls(frozenset(re.findall(r"[A-J]", plain.replace("and", ""))))
        if _TOGETHER.match(plain) and list(plain) == sorted(set(plain)):
            return cls(frozenset(plain))
        return None

    @classmethod
    def from_answer(cls, text: str) -> Choice | None:
        """What an answer chooses, known that the reference is a choice; None where it hedges or chooses nothing."""
        plain = _OPTION.sub("", _LATEX.sub(" ", text).strip(), count=1).strip()
        if _SEVERAL.match(plain):
            return cls(frozenset(re.findall(r"[A-J]", plain.replace("and", ""))))
        if _TOGETHER.match(plain) and len(set(plain)) == len(plain):
            return cls(frozenset(plain))
        found = _ONE.match(plain)
        if found is None:
            return None
        return cls(frozenset((found[1] or found[2] or found[3]).upper()))

    def equals(self, other: Choice, judge: Judge) -> Outcome:
        return EQUAL if self.letters == other.letters else unequal("another choice")

    def views(self) -> Iterator[Answer]:
        if self.reading is not None:
            yield self.reading

    @property
    def size(self) -> int:
        return len(self.letters)
