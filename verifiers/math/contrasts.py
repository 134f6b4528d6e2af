"""What a sentence says besides its value: what the value is not, and where it is attained."""

from __future__ import annotations

import re

from .words import read_words

_VALUE = r"(?:\$[^$\n]{1,60}\$|[-−]?\\?\$?\d[\d.,/]*(?<![.,])%?|\(?[A-J]\)?(?![\w'’]))"
_NOT_BUT = re.compile(rf"\bnot\s+{_VALUE},?\s+but\s+(?:rather\s+|instead\s+)?(?={_VALUE}(?:\s*[.!]?\s*\Z|\s*[.!]\s))")
_ASIDE = re.compile(rf"(?<=[\w$)}}])\s*(?:\(\s*not\s+{_VALUE}\s*\)|,\s*not\s+{_VALUE})(?=\s*[.!]?\s*\Z|\s*[.!]\s)")
_ATTAINED = re.compile(
    r"(?<=[\w$)}]),?\s+(?:(?:which\s+(?:is|occurs|happens)|and\s+(?:is|this\s+is)|with\s+equality|occurring)\s+)?"
    r"(?:attained|achieved|reached|(?<=equality\s)|(?<=occurs\s)|(?<=happens\s)|(?<=occurring\s))\s*"
    r"(?:only\s+)?(?:at|when|for|if|iff|where)\b[^\n.]*(?:\.\d[^\n.]*)*"
)
MIN_LENGTH = 9  # of a text that says two things
_BLANK = r"(?:\s|~|\\[,;:\s]|\\q?quad(?![a-z])){0,8}"
_NOTE = re.compile(
    rf"(?<=[\w}}$)%°]){_BLANK}(?:\\text\s*\{{\s*)?\(\s*(?:\\text\s*\{{\s*)?(?:since|because|as|rounded|(?:to\s+the\s+)?nearest"
    rf"|approximately|approx|exactly|not\s+{_VALUE}\s*\}}?\s*\))(?![A-Za-z])(?P<why>[^()]*)\)?\s*\}}?\s*\.?\Z"
)
_SPELLED = re.compile(
    rf"(?<![\d,.])([-−]?\d[\d,.]*){_BLANK}\((?:\\text\s*\{{)?\s*([A-Za-z][A-Za-z\s-]*)\}}?\s*\)(\}}?)\s*\.?\Z"
)
_UNDECIDED = re.compile(r"\b(?:or|maybe|perhaps|wrong|incorrect|guess|unsure)\b", re.IGNORECASE)


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


def without_note(answer: str) -> str:
    """An answer without a note in brackets that leaves it what it is: a reason, a rounding, the number in words.

    >>> without_note("5 (since x>0)"), without_note("7 (seven)"), without_note("7 (eight)")
    ('5', '7', '7 (eight)')
    """
    if ")" not in answer[-3:]:
        return answer
    if (note := _NOTE.search(answer)) and not _UNDECIDED.search(note["why"]):
        return answer[: note.start()]
    spelled = _SPELLED.search(answer)
    if spelled is not None:
        value = read_words(spelled[2])
        if value is not None and str(value) == spelled[1].replace(",", "").replace("−", "-"):
            return answer[: spelled.end(1)] + spelled[3]
    return answer
