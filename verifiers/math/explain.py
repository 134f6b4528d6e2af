"""How a text was read, in words, for a person who wonders about a verdict."""

from __future__ import annotations

import re

from .compare import views
from .extract import extract
from .judging import canonical_key, read_reference, shown
from .parsing import Unreadable
from .reading import readings

_INTEGER = re.compile(r"(?<=\d)\.0{9,}(?!\d)")
_DIGITS = re.compile(r"(\d\.\d{9})\d{9,}")


def explain_extraction(completion: str, reference: str) -> str:
    """Which rule found the answer, or why none did."""
    found = extract(completion, choice=read_reference(reference).is_choice)
    return f"{shown(found.answer)!r} ({found.source})" if found.answer is not None else f"nothing: {found.problem}"


def extracted(completion: str, reference: str) -> str | None:
    """The answer of a completion to a reference; None where it gives none."""
    return extract(completion, choice=read_reference(reference).is_choice).answer


def explain_answer(text: str) -> str:
    """What an answer was read as, in every reading, with its key; or where the reading stopped, with a caret."""
    try:
        read = list(readings(text))
    except Unreadable as problem:
        pointed = f"\n           {text}\n           {' ' * problem.position}^" if len(text) <= 100 else ""
        return f"{shown(text)!r} cannot be read: {problem}{pointed}"
    labels = dict.fromkeys(view.label for answer in read for view in views(answer))
    key = canonical_key(text)
    return f"{shown(text)!r} as {', or '.join(labels)}{f' with the key {_few_digits(key)}' if key else ''}"


def _few_digits(key: str) -> str:
    """A key as a person reads it: its hundred and twenty digits cut short, and none after the point of an integer."""
    return _DIGITS.sub(lambda found: f"{found[1]}…", _INTEGER.sub("", key))
