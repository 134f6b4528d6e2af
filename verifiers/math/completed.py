"""What follows a value in its sentence: whether it leaves the value what it is."""

from __future__ import annotations

import re

from .markers import STOP
from .parsing import Unreadable
from .phrases import MANY, counts, distorts, distorts_before
from .tree import symbols
from .units import read_unit

_SECOND_THOUGHT = re.compile(
    r"ではな|ではあり|不是\s*[。.]?\s*\Z|,?\s*but\s+\(?[A-J]\)?\s*[.!]?\s*\Z"
    r"|,?\s*(?:but|though|although|or|and)\s+(?:(?:it|that|this|I)\s+)?(?:(?:may|might|could|maybe|perhaps|possibly"
    r"|am\s+not|also|else)\b"
    r"|[^.\n]{0,60}\b(?:doubt|wrong|incorrect|false|unsure|uncertain|guess(?:ing)?|lie|lying|not\s+(?:sure|certain"
    r"|really|quite|it|right"
    r"|correct))\b)",
    re.I,
)
_MONEY_AFTER = re.compile(r"\s+(?:[$€£¥₽]|\\\$)(?=[\s.,;]|\Z)")
_CLOSING = re.compile(r"\A[\s*_`\"”'’)\]]*(?<!\\)")
TRAILING_VERB = re.compile(r"(?:です|でした|である|だ|になります|となります|입니다|이다|이에요|है|हैं|होगा)\s*\Z")
OTHER_VALUE = re.compile(
    r"\b(?:or|nor|maybe|perhaps|possibly|but|else|otherwise|vs|oder|ou|или)\b[^.;]{0,30}?[\d$\\]|\A[,(\s]*[-$\\]*\d",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\b(?:or|nor|and|but|else|otherwise|if|unless|maybe|perhaps|possibly)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:when|whenever|where|for|at|with|as|given|provided|attained|achieved|in|on)\b", re.IGNORECASE
)
_RELATED = re.compile(
    r"\$[^$]*(?:[=<>∈]|\\(?:in|le|leq|ge|geq|ne|neq|to)(?![A-Za-z]))[^$]*\$|\$\s*[A-Za-z]\s*\$"
    r"|\b[A-Za-z]\s*=\s*-?[\d./]+"
)
_PLAIN_START = re.compile(
    r"(?:of|per|for|in|on|at|each|every|from|by|to\s+(?:do|be|make|get|buy|finish|reach|the|a|her|his|their)"
    r"|left|total|altogether|old|and\s+(?:we|this|that|so|it|the|thus|hence))\b",
    re.IGNORECASE,
)
MAX_SENTENCE = 400


def completed(value: str, rest: str) -> str | None:
    """A value with what follows it in its sentence.

    Returns:
        The value where nothing follows that could change it; both together where they are read as one ("$4$ cm",
        "$4$ + 5"); None where it cannot be told what they come to.
    """
    if money := _MONEY_AFTER.match(rest):
        value, rest = f"{value} {money[0].strip()}", rest[money.end() :]
    tail = sentence_of(rest)
    if is_second_thought(rest, len(tail)):
        return None
    tail = TRAILING_VERB.sub("", _CLOSING.sub("", tail, count=1)).rstrip(" \t*_`.,;:!。")
    if not tail:
        return value
    joined = f"{value} {tail}"
    leaves = _leaves(tail)
    if is_value(joined) and not is_text(joined) and not (leaves and _has_names(joined)):
        return joined
    return value if leaves else None


def _leaves(tail: str) -> bool:
    """Whether what follows a value in its sentence leaves it what it is: a counted thing, a place, a condition."""
    if tail[0] in ",(;:–—":
        aside = tail[1:].lstrip()
        return not (OTHER_VALUE.search(tail) or distorts_before(aside) or _ALTERNATIVE.match(aside))
    if _CONDITION.match(tail):
        rest = _RELATED.sub(" ", tail)
        return not (re.search(r"[\d$\\]|\b(?:even|odd)\b", rest) or _ALTERNATIVE.search(rest) or distorts_before(rest))
    if re.search(r"[\d$\\]", tail) or not tail[0].isalpha() or distorts(tail):
        return False
    if _PLAIN_START.match(tail) or ord(tail[0]) > 0x2E7F:
        return True
    words = tail.split()
    return any(counts(word) == MANY or _is_unit(word) for word in words[:4])


def sentence_of(text: str) -> str:
    """A text up to where the statement of its value ends; all of its paragraph where a second thought follows."""
    paragraph = text.split("\n\n", 1)[0]
    stop = STOP.search(paragraph)
    return paragraph[: stop.start()] if stop and not _SECOND_THOUGHT.match(paragraph, stop.start()) else paragraph


def is_second_thought(text: str, end: int) -> bool:
    """Whether a sentence that ends there was a question, or says that something else may be true as well."""
    return text[end : end + 1] in ("?", "？") or _SECOND_THOUGHT.search(text[:end]) is not None


def _is_unit(word: str) -> bool:
    unit = read_unit(word)
    return unit is not None and unit.dimensions != ()


def is_value(text: str) -> bool:
    """Whether a text can be read as an answer that is no sentence."""
    from .answers.text import Text
    from .reading import read

    if not text or len(text) > MAX_SENTENCE:
        return False
    try:
        answer = read(text)
    except Unreadable:
        return False
    return not isinstance(answer, Text) or not answer.is_sentence


def _has_names(text: str) -> bool:
    """Whether words of a sentence were read as products of names: "79 g de cire"."""
    from .answers.scalar import Scalar
    from .reading import read

    answer = read(text)
    return isinstance(answer, Scalar) and bool(symbols(answer.node))


def is_text(value: str) -> bool:
    """Whether a value is words rather than mathematics."""
    from .answers.text import Text
    from .reading import read

    try:
        return isinstance(read(value), Text)
    except Unreadable:
        return True
