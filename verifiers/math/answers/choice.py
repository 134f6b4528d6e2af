"""Letters of multiple choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..phrases import distorts
from .base import Answer
from .text import Text

if TYPE_CHECKING:
    from ..compare import Judge

_LATEX = re.compile(
    r"\\(?:text|mbox|textbf|textrm|textit|mathrm|mathbf|textsf|rm|bf|boxed|fbox|left|right)(?![A-Za-z])|[{}$*`]"
    r"|\\[,;:!\s]|~|\\q?quad"
)
_REFERENCE = re.compile(r"\(?([A-J])\)?[.):]?\s*\Z")
_LABELLED = re.compile(r"\(?([A-J])\)?[.)]?\s+(?![A-J]\b|or\b|and\b|[,&/])[A-Z][^\W\d_]+(?:\s+[^\W\d_]+)*\Z")
MAX_LABELLED = 400  # characters of a label and its value
_WITH_VALUE = re.compile(
    r"\s*(?:\\(?:text|textbf|textrm|mathrm|mathbf)\s*\{\s*)?(?:\(([A-J])\)"
    r"|([A-J])[.:)](?=[\s}\\]))\s*\}?(?:\s|\\[\s,;:]|~)*"
    r"([-−]?(?:\d|\$|\\(?![a-z]*(?:in|le|ge|ne|to|cup|cap)q?\b)[a-z$]).*|[A-Z][^\W\d_]+(?:\s+[^\W\d_]+)*\}?)\Z",
    re.DOTALL,
)  # fmt: skip
_SEVERAL = re.compile(r"\(?[A-J]\)?(?:\s*(?:,|and|&|;|、)\s*\(?[A-J]\)?)+\Z|\([A-J]\)(?:\s*\([A-J]\))+\Z")
_TOGETHER = re.compile(r"[A-H]{2,5}\Z")
_LEAD = re.compile(
    r"(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)?(?:option|choice|answer|letter)\s*(?:is\b|[:：])?\s*"
    r"|(?:因此|所以|故|综上)?[,，\s]*(?:答案|选项|選項|选择|選擇|选|選)\s*[:：是为為选選]?\s*(?=[(（]?[A-J])",
    re.I,
)
_CHOSEN = re.compile(
    r"(?:[(（\[]\s*([A-Ja-j])\s*[)）\]]|([A-J])(?![A-Za-z0-9_'’^])|([a-j])(?=[.):。]?\s*\Z))\s*([.):。：．]?)"
)
_RIGHT = re.compile(
    r",?\s*(?:(?:is|was|must\s+be)\s+)?(?:clearly\s+|definitely\s+|indeed\s+|therefore\s+"
    r"|thus\s+)?(?:the\s+)?(?:only\s+)?"
    r"(?:(?:correct|right|best|final|true)\b(?:\s+(?:answer|option|choice|one|statement))?|answer\b)",
    re.I,
)
_REASON = re.compile(
    r"[,;:.(\s–—-]*(?:because|since|as|for|due\s+to|given|so|which|by|it\s+(?:can\s?not|can[’']t|does|makes|isn"
    r"|is\s+not|cannot)|(?:and\s+)?not\s+\(?[A-J]\b"
    r"|(?:instead\s+of|rather\s+than)\s+\(?[A-J]\b|weil|denn|porque|ya\s+que|car|parce|poiché|perché|потому|так\s+как"
    r"|不是\s*[(（]?[A-J]|而不是|而非|因为|因為|理由|なぜなら|왜냐)",
    re.I,
)
_RIGHT_UNSPACED = re.compile(
    r"[，,。、]?\s*(?:正确|正確|对|對|项|項|选项|選項|符合|成立|です|である|だ|입니다|가\s*정답|이다|が正解|が正しい)"
)
_LABEL = re.compile(r"[A-Z][^\W\d_]+|[-−]?\d|[$\\]")
_JUDGED = re.compile(
    r"[\s(\[=,:;.–—-]*(?:(?:is|was)\s+)?(?:also\s+)?(?:the\s+)?(?:only\s+)?(?:wrong|incorrect|(?-i:false|no|not|none|never)|nope|invalid"
    r"|rejected|eliminated|excluded"
    r"|excepted|out|(?:not|isn['’]?t)\s+(?:correct|right|true|it|the|valid|possible)|doubtful|unlikely|falsch|falso"
    r"|faux|неверн\w*)(?:\s+(?:option|answer|choice|one|statement))?\W*\Z",
    re.I,
)
_LABELS = re.compile(r"(?<![\w'’])(?:\(([A-J])\)|\[([A-J])\]|([A-J])[.):：、](?!\d))")
_HEDGED = re.compile(
    r"(?:\b(?:or|but|and|vs\.?|versus|unless|maybe|perhaps|possibly|also|either|else|otherwise|say|to|through|oder|ou"
    r"|et|und|y|e|o|no)\b"
    r"|[→–—/|~…,;?&+=-]|\.\.|\\to|或|和|与|還是|还是|и|или|か|または|또는)\s*(?:option\s+|choice\s+|maybe\s+"
    r"|perhaps\s+)?[(\[]?([A-J])(?![\w'’(])"
)
_OPERATORS = (
    r"(?:cup|cap|setminus|times|cdot|land|lor|vee|wedge|oplus|mid|approx|sim|subset|in|n?eq?|[lg]eq?|[lg]t|pm|to)"
    r"(?![A-Za-z])"
)
_OPERATED_BARE = re.compile(rf"[+*/^<>≤≥≠∪∩]|\\{_OPERATORS}")
_OPERATED = re.compile(rf"(?:[*/^∪∩]|[+]\s*\d+\Z|\\{_OPERATORS}\s*\(?[A-J]\b)")
_ALSO = re.compile(r"\b[A-J]\b[^.;]{0,20}\b(?:also|too|as\s+well)\b")
_DOUBTED = re.compile(
    r"\?|\b(?:maybe|perhaps|possibly|(?:might|may|could)\s+be|not\s+sure|unsure|doubt|guess|tempting|unless|or\s+not"
    r"|or\s+else)\b"
    r"|\b(?:this|that|it)\s+is\s+(?:wrong|incorrect|false|not)\b|かも|可能|也许",
    re.I,
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
    def with_value(cls, text: str) -> tuple[Choice, str] | None:
        """The choice of a reference such as ``(B) 15``, and the text of its value; None for anything else."""
        found = _WITH_VALUE.match(text) if len(text) < MAX_LABELLED else None
        return None if found is None else (cls(frozenset(found[1] or found[2])), found[3])

    @classmethod
    def from_answer(cls, text: str) -> Choice | None:
        """What an answer chooses, known that the reference is a choice; None where it hedges or chooses nothing.

        What stands behind the letter has to be accounted for: nothing, the option's text, a reason, "is correct".
        """
        plain = _LATEX.sub(" ", text).strip()
        if lead := _LEAD.match(plain):
            plain = plain[lead.end() :]
        if _SEVERAL.match(plain):
            return cls(frozenset(re.findall(r"[A-J]", plain.replace("and", ""))))
        if _TOGETHER.match(plain) and len(set(plain)) == len(plain):
            return cls(frozenset(plain))
        found = _CHOSEN.match(plain)
        if found is None:
            return None
        letter = (found[1] or found[2] or found[3]).upper()
        labelled = found[1] is not None or found[4] != ""
        return cls(frozenset(letter)) if _is_plain(plain[found.end() :].strip(), letter, labelled=labelled) else None

    @staticmethod
    def begins(text: str) -> bool:
        """Whether a text begins with an option that is set off, so that what it chooses is said there or nowhere."""
        plain = _LATEX.sub(" ", text).strip()
        found = _CHOSEN.match(plain)
        return found is not None and (found[2] is None or found[4] != "" or plain[found.end(2) :][:1] not in (" ", ""))

    def equals(self, other: Choice, judge: Judge) -> Outcome:
        if self.letters != other.letters:
            return unequal("another choice")
        if self.reading is None or other.reading is None or type(self.reading) is not type(other.reading):
            return EQUAL
        if isinstance(self.reading, Text) and isinstance(
            other.reading, Text
        ):  # an option may be told in other words, but not in none of its own
            shared = set(self.reading.words.split()) & set(other.reading.words.split())
            return EQUAL if shared else unequal("the letter with another option's text")
        return EQUAL if judge.same(self.reading, other.reading).equal else unequal("the letter with another value")

    def views(self) -> Iterator[Answer]:
        if self.reading is not None:
            yield self.reading

    @property
    def size(self) -> int:
        return len(self.letters)


def _is_plain(rest: str, letter: str, *, labelled: bool) -> bool:
    """Whether what stands behind a letter leaves it the choice.

    Args:
        rest: What stands there, without a full stop or a bracket right after the letter.
        letter: The letter.
        labelled: Whether such a stop or brackets set the letter off, so that the option's text may follow.
    """
    if not rest.strip(" .,;!)，。；！、"):
        return True
    if (_OPERATED if labelled else _OPERATED_BARE).match(rest) or _ALSO.search(rest):
        return False
    if _DOUBTED.search(rest) or (len(rest.strip("().")) == 1 and rest.strip("().").isupper()) or _JUDGED.match(rest):
        return False
    if _REASON.match(rest):
        return True
    right = _RIGHT.match(rest)
    after = rest[right.end() :].lstrip(" .,;!") if right else ""
    if right and _REASON.match(after):
        return True
    if any(letter not in groups for groups in _LABELS.findall(rest)) or _others(rest, letter):
        return False
    if right:
        return not distorts(after)
    if rest[0] > "\u2e7f":
        return labelled or _RIGHT_UNSPACED.match(rest) is not None
    return labelled or _LABEL.match(rest) is not None


def _others(rest: str, letter: str) -> bool:
    """Whether another letter is put beside the one chosen: "or B", "→ B", "A. No, B"."""
    return any(other != letter for other in _HEDGED.findall(f" {rest}"))
