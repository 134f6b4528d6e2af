"""Short texts: names of days, of shapes, of people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge

_COMMANDS = re.compile(r"\\(?:text|mbox|textbf|textit|mathrm|mathbf|textrm|rm)(?![A-Za-z])|[{}$*`]|\\[,;:!\s]|\\q?quad")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NUMBER_OR_SENTENCE = re.compile(r"\d|[\u0600-\uffff]{5}")
_ARTICLES = frozenset(["a", "an", "the"])
_SAME = {
    "dne": "does not exist", "undefined": "does not exist", "no solutions": "no solution", "none": "none",
    "nonexistent": "does not exist", "not defined": "does not exist", "no real solutions": "no real solution",
}  # fmt: skip


@dataclass(frozen=True)
class Text(Answer):
    """Words, compared without case, articles and punctuation.

    Attributes:
        words: The words.
        reading: The same letters read as mathematics, where they can be.
    """

    words: str
    reading: Answer | None = None
    label: ClassVar[str] = "a text"
    ops: ClassVar[tuple[str, ...]] = ("text",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(normal(node.value))

    @property
    def is_sentence(self) -> bool:
        """Whether the text is so long, or holds a number, that it may state a value."""
        return self.words.count(" ") >= 2 or _NUMBER_OR_SENTENCE.search(self.words) is not None

    def equals(self, other: Text, judge: Judge) -> Outcome:
        return EQUAL if self.words == other.words else unequal("another text")

    def views(self) -> Iterator[Answer]:
        if self.reading is not None:
            yield self.reading

    def key(self) -> str | None:
        return None if self.reading is not None or self.is_sentence else f"text {self.words}"


def normal(text: str) -> str:
    """The words of a text in one spelling."""
    words = [word for word in _WORDS.findall(_COMMANDS.sub(" ", text).casefold()) if word not in _ARTICLES]
    joined = " ".join(words)
    return _SAME.get(joined, joined)
