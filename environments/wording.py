"""Numbers with their nouns, and what others' code raised, for messages and tables."""

from __future__ import annotations

import traceback
from pathlib import Path


def counted(number: int, noun: str) -> str:
    """A number with its noun, the plural made by an s.

    >>> counted(1, "task"), counted(0, "task")
    ('1 task', '0 tasks')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ended(sentence: str) -> str:
    """A sentence with a full stop, where it has no mark at its end yet: another may follow it.

    >>> ended("KeyError: 'boom'"), ended("Why?")
    ("KeyError: 'boom'.", 'Why?')
    """
    sentence = sentence.rstrip()
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def told(error: BaseException) -> str:
    """What was raised and where, in one line, for those who see no traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500] + where
