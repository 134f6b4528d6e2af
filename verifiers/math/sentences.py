"""Answers that came inside of a mark or as a sentence: the readings of what they state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .answers.base import Answer
from .answers.text import Text
from .extract import extract
from .markers import MARKER
from .parsing import TooLarge, Unreadable
from .reading import readings
from .statement import prose_value
from .tidy import is_prose, tidy

MAX_PROSE = 6000
_LEAD = re.compile(
    r"\s*(?:therefore|thus|hence|so|then|we (?:get|have|find|obtain)(?:\s+that)?)(?![\w])[\s,:]*", re.IGNORECASE
)
_IMPERSONAL = re.compile(
    r"\s*(?:there|it|(?:so|thus|hence|therefore)\b|the\s+(?:final\s+)?answer|answer)\b", re.IGNORECASE
)
_SIGN_IN_WORDS = re.compile(r"(?:negative|minus)\s+(?=\$?[\d.]|\$?\\d?frac)", re.IGNORECASE)
_MARKED = re.compile(r"\\boxed|\\fbox|<answer>|####|<\|begin_of_box\|>")


def read_or_stated(text: str, *, reference: bool = False) -> Iterator[Answer]:
    """The readings of a text, and where it is a sentence those of the value that it states."""
    problem: Unreadable | None = None
    is_sentence = False
    try:
        for found in readings(text, reference=reference):
            is_sentence = is_sentence or (type(found) is Text and found.is_sentence)
            yield found
    except TooLarge:
        raise
    except Unreadable as error:
        problem = error
    if (problem is None and not is_sentence) or len(text) > MAX_PROSE or not (is_prose(text) or MARKER.search(text)):
        if problem is not None:
            raise problem
        return
    if reference and is_sentence and not _IMPERSONAL.match(text):
        return  # what it says of someone is not said of another
    stated = extract(text).answer or prose_value(text)
    if stated is not None and stated.strip() != text.strip():
        yield from readings(stated, reference=reference)
    elif problem is not None:
        raise problem


def marked(text: str, *, choice: bool = False) -> str:
    """The content of the last mark in a text, all of it where there is none.

    Raises:
        Unreadable: The mark holds nothing or was never closed.
    """
    if not _MARKED.search(text):
        lead = _LEAD.match(text)
        bare = text[lead.end() :] if lead else text
        return _SIGN_IN_WORDS.sub("-", bare, count=1) if bare[:1] in "nNmM" else bare
    bare = tidy(text) if len(text) < MAX_PROSE else text
    if not _MARKED.search(bare):
        return bare
    found = extract(text, choice=choice)
    if found.answer is None:
        raise Unreadable(found.problem, 0)
    return found.answer
