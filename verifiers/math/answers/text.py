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


# Words of up to four letters that answers consist of; any other such letters may be a product of names.
_SHORT_WORDS = frozenset(
    (
        "yes no none true odd even both all any one two four five six nine ten zero half left east west up down on "
        "off in "
        "out red blue pink gray grey gold mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep sept oct "
        "nov dec "
        "june july cube cone line star kite ray arc dog cat cow pig hen fox bee bear bird fish lion wolf duck deer "
        "boy girl "
        "man men son mom dad king jack club day week year hour noon dusk win lose lost tie draw tied same less more "
        "most "
        "tom bob ann sam amy dan ben joe eve kim max mia leo ian jim tim jane john mary paul fred carl emma lisa "
        "nick alex "
        "mike dave anna jill rose ruth adam sara kate luke mark matt ryan zoe lucy eric evan noah liam owen ella "
        "lily nora "
        "iron tin zinc lead neon sine tan dne sí oui non ja nein sim não da net да нет only free full open flat even "
        "mean mode rain snow math fall pen cup bus car van bike boat tree milk rice cake pie"
    ).split()
)
_FEW_LETTERS = re.compile(r"[A-Za-z]{1,4}\Z")


@dataclass(frozen=True)
class Text(Answer):
    """Words, compared without case, articles and punctuation.

    Attributes:
        words: The words.
        reading: The same letters read as mathematics, where they can be.
        letters: The letters as they were written, where they are few enough to be a product or a substance: then their
            case counts ("Mg" is not "mg") unless they spell a word.
    """

    words: str
    reading: Answer | None = None
    letters: str = ""
    label: ClassVar[str] = "a text"
    ops: ClassVar[tuple[str, ...]] = ("text",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        return cls(normal(node.value), None, few_letters(node.value))

    @property
    def is_sentence(self) -> bool:
        """Whether the text is so long, or holds a number, that it may state a value."""
        return self.words.count(" ") >= 2 or _NUMBER_OR_SENTENCE.search(self.words) is not None

    def equals(self, other: Text, judge: Judge) -> Outcome:
        if not self.letters and not other.letters:
            return EQUAL if self.words == other.words else unequal("another text")
        if self.words == other.words and not (self.letters and other.letters):
            return EQUAL  # "DNE" and what it stands for
        if self.letters == other.letters or (self.words == other.words and self.words in _SHORT_WORDS):
            return EQUAL
        if self.reading is None or other.reading is None or not _SHORT_WORDS.isdisjoint((self.words, other.words)):
            return unequal("another text")
        return judge.same(self.reading, other.reading)

    def views(self) -> Iterator[Answer]:
        if self.reading is not None:
            yield self.reading

    def key(self) -> str | None:
        if self.reading is not None or self.is_sentence:
            return None
        short = self.letters and self.words not in _SHORT_WORDS
        return f"text {self.letters if short else self.words}"


def few_letters(text: str) -> str:
    """The letters of a text of one to four letters, in their case; empty for any other text."""
    plain = _COMMANDS.sub("", text).strip(" .")
    return plain if _FEW_LETTERS.match(plain) else ""


def normal(text: str) -> str:
    """The words of a text in one spelling."""
    words = [word for word in _WORDS.findall(_COMMANDS.sub(" ", text).casefold()) if word not in _ARTICLES]
    joined = " ".join(words)
    return _SAME.get(joined, joined)
