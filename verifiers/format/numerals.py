"""Numbers in words: "twenty-one" is 21. English, whole numbers below a thousand billion."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def with_digits(tokens: Sequence[str]) -> list[str]:
    """Lower-case words with each number in words replaced by its digits.

    >>> with_digits("about two hundred and five of twenty one thousand men and one".split())
    ['about', '205', 'of', '21000', 'men', 'and', '1']
    """
    found: list[str] = []
    index = 0
    while index < len(tokens):
        value, length = _number(tokens, index)
        found.append(str(value) if length else tokens[index])
        index += max(1, length)
    return found


def _number(tokens: Sequence[str], start: int) -> tuple[int, int]:
    """The number in words that begins at ``start``, and how many tokens it takes; (0, 0) where none does."""
    total = group = 0
    index = start
    last = ""  # what the token before was: "", "unit", "tens", "hundred", "scale"
    limit = 10**12
    while index < len(tokens):
        word = tokens[index]
        joined = word == "and" and last in ("hundred", "scale") and _small(tokens, index + 1)
        if joined:
            index += 1
            word = tokens[index]
        if word in _UNITS and last != "unit" and not (last == "tens" and not 0 < _UNITS[word] < 10):
            group, last = group + _UNITS[word], "unit"
        elif word in _TENS and last not in ("unit", "tens"):
            group, last = group + _TENS[word], "tens"
        elif word == "hundred" and last == "unit" and 0 < group < 10:
            group, last = group * 100, "hundred"
        elif word in _SCALES and last not in ("", "scale") and group and _SCALES[word] < limit:
            limit = _SCALES[word]
            total, group, last = total + group * limit, 0, "scale"
        else:
            break
        index += 1
    return total + group, index - start


def _small(tokens: Sequence[str], index: int) -> bool:
    return index < len(tokens) and (tokens[index] in _UNITS or tokens[index] in _TENS)
