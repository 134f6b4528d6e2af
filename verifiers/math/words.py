"""Numbers in words, and words that stand for sets and for infinity."""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = {name: value for value, name in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split())}  # fmt: skip
_TENS = {
    name: 10 * value for value, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
          "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12}  # fmt: skip
_SCALED = re.compile(
    r"(?<=\d)(?:\s|\\[,;\s]|~|\\text\s*\{)*\s*(hundred|thousand|million|billion|trillion|lakh|crore)s?\b\s*\}?"
)
_DOZENS = re.compile(r"(?<=\d)(?:\s|\\[,;\s]|~|\\text\s*\{)*\s*dozens?\b\s*\}?")
_POWERS = {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
_SCALE_PARTS = ("dre", "sand", "llion", "lakh", "crore", "ozen")  # one of them is in every word of the two patterns
_DURATION = re.compile(r"(-?\d+(?:\.\d+)?(?:/\d+)?)\s*([^\W\d_]+\.?)")
_BETWEEN = re.compile(r"\s*(?:,|and(?![^\W\d_])|&)?\s*")
MAX_COMPOUND = 100  # characters
_LATEX = re.compile(r"\\(?:text|mbox|textbf|textit|mathrm|mathbf|textrm)(?![A-Za-z])|[{}$~]|\\[,;:!\s]")


def read_words(text: str) -> Fraction | None:
    """The number that English words spell.

    >>> read_words("two hundred and five"), read_words("three quarters")
    (Fraction(205, 1), Fraction(3, 4))
    """
    words = re.findall(r"[a-z]+", _LATEX.sub(" ", text).lower().replace("-", " "))
    if not words or len(words) > 16 or re.search(r"\d", text):
        return None
    if words[0] in ("a", "an") and len(words) > 1:
        words[0] = "one"
    sign = -1 if words[0] in ("minus", "negative") else 1
    words = words[1:] if sign < 0 else words
    if len(words) > 2 and words[-1] in _SCALES and not {"and", "point"}.isdisjoint(words):
        part = read_words(" ".join(words[:-1]))
        return None if part is None or part.denominator == 1 else sign * part * _SCALES[words[-1]]
    if "point" in words:
        decimal = _decimal(words)
        return None if decimal is None else sign * decimal
    if "and" in words and words[-1].removesuffix("s") in _PARTS:
        split = len(words) - 1 - words[::-1].index("and")
        whole = _cardinal(words[:split])
        part = read_words(" ".join(words[split + 1 :]))
        return None if whole is None or part is None or not 0 < part < 1 else sign * (whole + part)
    if len(words) > 1 and (bottom := _PARTS.get(words[-1].removesuffix("s"))):
        whole = _cardinal(words[:-1])
        return None if whole is None else Fraction(sign * whole, bottom)
    whole = 2 if words == ["half"] else _cardinal(words)
    return None if whole is None else Fraction(1, 2) if words == ["half"] else Fraction(sign * whole)


def _decimal(words: list[str]) -> Fraction | None:
    """``two point five``: digits after the point, one by one."""
    split = words.index("point")
    whole = _cardinal(words[:split]) if split else 0
    digits = [_ONES.get(word, 10) for word in words[split + 1 :]]
    if whole is None or not digits or max(digits) > 9:
        return None
    return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))


def _cardinal(words: list[str]) -> int | None:
    """The value of ``two hundred and five``; None where words only stand side by side: "five six", "ten thirty"."""
    total = group = 0
    seen = False
    free = 1000  # what follows in this group has to be smaller: after "twenty" ten, after "hundred" a hundred
    for word in words:
        value = _ONES.get(word, _TENS.get(word))
        if word == "and" and seen:
            continue
        if value is not None and value < free:
            group += value
            free = 10 if word in _TENS else 1
        elif word in ("hundred", "dozen") and group:
            group *= 100 if word == "hundred" else 12
            free = 100 if word == "hundred" else 1
        elif word in _SCALES and group:
            total, group, free = total + group * _SCALES[word], 0, 1000
        else:
            return None
        seen = True
    return total + group if seen else None


def scaled(text: str) -> str:
    r"""``2 million`` as ``2 \times 10^{6}``; any other text unchanged."""
    if not any(part in text for part in _SCALE_PARTS):
        return text
    text = _DOZENS.sub(" \\\\times 12 ", text)
    return _SCALED.sub(lambda found: f" \\times 10^{{{_POWERS[found[1]]}}} ", text)


def compound(text: str) -> list[tuple[Fraction, str]] | None:
    """The parts of ``1 hour 30 minutes``, two at least; None for any other text."""
    if len(text) > MAX_COMPOUND:
        return None
    plain = _LATEX.sub(" ", text).strip()
    parts = []
    position = 0
    while position < len(plain):  # part by part, for one pattern of all parts would try every way to split the words
        found = _DURATION.match(plain, position)
        if found is None:
            return None
        try:
            parts.append((Fraction(found[1]), found[2]))
        except (ValueError, ZeroDivisionError):
            return None
        between = _BETWEEN.match(plain, found.end())
        position = between.end() if between else found.end()
    return parts if len(parts) > 1 else None
