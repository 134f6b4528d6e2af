"""What a sentence says besides its value: what the value is not, and where it is attained."""

from __future__ import annotations

import re

_VALUE = r"(?:\$[^$\n]{1,60}\$|[-−]?\\?\$?\d[\d.,/]*(?<![.,])%?|\(?[A-J]\)?(?![\w'’]))"
_NOT_BUT = re.compile(rf"\bnot\s+{_VALUE},?\s+but\s+(?:rather\s+|instead\s+)?(?={_VALUE}(?:\s*[.!]?\s*\Z|\s*[.!]\s))")
_ASIDE = re.compile(rf"(?<=[\w$)}}])\s*(?:\(\s*not\s+{_VALUE}\s*\)|,\s*not\s+{_VALUE})(?=\s*[.!]?\s*\Z|\s*[.!]\s)")
_ATTAINED = re.compile(
    r"(?<=[\w$)}]),?\s+(?:(?:which\s+(?:is|occurs|happens)|and\s+(?:is|this\s+is)|with\s+equality|occurring)\s+)?"
    r"(?:attained|achieved|reached|(?<=equality\s)|(?<=occurs\s)|(?<=happens\s)|(?<=occurring\s))\s*"
    r"(?:only\s+)?(?:at|when|for|if|iff|where)\b[^\n.]*(?:\.\d[^\n.]*)*"
)
MIN_LENGTH = 10  # of a text that says two things


def affirmed(text: str) -> str:
    """The text without what it rules out beside its value, and without where an extremum is attained.

    >>> affirmed("The answer is not 20 but 18."), affirmed("It is 18 (not 20).")
    ('The answer is 18.', 'It is 18.')
    >>> affirmed("The minimum is 15, attained at x=2.")
    'The minimum is 15.'
    """
    if len(text) < MIN_LENGTH:
        return text
    if "not " in text:
        text = _ASIDE.sub("", _NOT_BUT.sub("", text))
    if "attained" in text or "achieved" in text or "equality" in text or "reached" in text:
        text = _ATTAINED.sub("", text)
    return text
