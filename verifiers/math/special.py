"""Answers that the grammar does not read: bases, times, dates, numbers in words, measures in two units, phrases."""

from __future__ import annotations

import re

from . import words
from .answers.base import Answer
from .answers.based import Based
from .answers.clock import Clock, Date
from .answers.formula import Formula, Reaction
from .answers.interpret import interpret
from .answers.scalar import Scalar
from .answers.text import Text, few_letters, normal
from .measures import compound, in_minutes
from .parsing import Unreadable, parse
from .tree import number
from .unit_table import Unit
from .units import read_unit
from .wordings import PHRASES, worded

_LETTERS = re.compile(r"(?:\\(?:text|mbox|textbf|textit|textrm|mathrm|mathbf|rm)(?![A-Za-z])|[^\W\d_]|[{}\s'’.-])+\Z")
_WORD = re.compile(r"[^\W\d_]+")
_MATHEMATICAL = re.compile(
    r"(?<![A-Za-z])(?:sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt|pi|arc\w+|and|or|inf\w*|oo)(?![A-Za-z])"
)
_PRODUCT = re.compile(r"[A-Za-z]{1,4}\Z")
_PERCENT = re.compile(r"(.+?)\s+per\s?cent\Z")
_TIMED = re.compile(
    r":|\d(?:[\s}~]|\\[\s,;:!])*(?:\\(?:text|mathrm|mbox|textrm)\s*\{\s*)?[ap]\.?\s?m"
    r"|o'clock|noon|midnight|in the|at night|(?:past|to)\s\d|(?:half\s+past|quarter\s+(?:past|to))\s",
    re.IGNORECASE,
)
MAX_AXIS = 60  # characters; blanks may stand anywhere in it
_AXIS = re.compile(
    r"(?:\\?[A-Za-z]+\s*\{?\s*)?(?:the\s+)?[\s$]*[a-z][\s$}]*(?:\\text\s*\{)?[\s$]*-?\s*axis[\s$}]*\Z", re.IGNORECASE
)
_MONTHS = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.I)


def special(bare: str) -> Answer | None:
    """What is not read by the grammar: numbers in a base, times, dates, numbers in words, compound measures."""
    if ("_" in bare or "base" in bare or bare[:2].lower() in ("0x", "0b", "0o")) and (based := Based.from_text(bare)):
        return based
    if _may_be_timed(bare) and _TIMED.search(bare) and (clock := Clock.from_text(bare)):
        return clock
    if "axis" in bare and len(bare) < MAX_AXIS and _AXIS.match(bare):
        return Text(normal(bare))
    if (bare.count("-") == 2 or (_may_be_words(bare) and _MONTHS.search(bare))) and (date := Date.from_text(bare)):
        return date
    if "'" in bare and (measured := in_minutes(bare)):
        return measured
    if "\\ce" in bare and (chemical := Reaction.from_text(bare) or Formula.from_text(bare)):
        return chemical
    if _LETTERS.match(bare):
        return _lettered(bare)
    return compound(bare) if (bare[:1].isdigit() and bare[-1:].isalpha()) or bare[-1:] == "}" else None


def _may_be_timed(bare: str) -> bool:
    """Whether a text holds a sign of a time; most do not, and are spared the search."""
    return (
        ":" in bare or "m" in bare or "M" in bare or "o" in bare or "n the" in bare or "ight" in bare or "past" in bare
    )


def _may_be_words(bare: str) -> bool:
    """Whether a text is more than a formula."""
    return "\\" not in bare or "\\text" in bare or "\\m" in bare


def _lettered(bare: str) -> Answer | None:
    """A text of letters only: a phrase, a number in words, or a word that could also be a product of names."""
    plain = normal(bare)
    found = worded(plain)
    if (clock := Clock.from_words(found)) is not None:
        return Text(found, clock)
    phrase = PHRASES.get(found)
    if phrase is not None:
        return Text(found, phrase())
    if (spelled := _spelled(bare, found)) is not None:
        return Text(found, spelled)
    letters = _WORD.findall(bare.replace("\\text", " ").replace("\\mathrm", " "))
    shortest = min(map(len, letters), default=0)
    if len(found) < 2 or max(map(len, letters), default=0) < 2 or _MATHEMATICAL.search(bare):
        return None
    if "-" in bare and shortest < 3:
        return None  # a difference
    try:
        product = interpret(parse(bare)) if _PRODUCT.match(bare) else None
    except Unreadable:
        product = None
    return Text(found, None if isinstance(product, Text) else product, few_letters(bare) if found == plain else "")


def _spelled(bare: str, found: str) -> Answer | None:
    """A number in words, alone, in percent or with what it counts: "two and a half", "five apples"."""
    value = words.read_words(bare)
    if value is not None:
        return Scalar(number(value))
    if (percent := _PERCENT.match(found)) is not None:
        value = words.read_words(percent[1])
        return None if value is None else Scalar(number(value), percent=True)
    head, _, thing = found.rpartition(" ")
    value = words.read_words(head) if head else None
    if value is not None and value.denominator != 1:
        return None  # "half past"
    unit = read_unit(thing) if value is not None else None
    return Scalar(number(value), unit) if value is not None and unit is not None and _is_counted(unit) else None


def _is_counted(unit: Unit) -> bool:
    return not unit.noun or bool(unit.form)
