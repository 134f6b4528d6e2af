"""Text to a typed answer, with the other readings that an ambiguous notation allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import words
from .alternatives import alternatives
from .answers.base import Answer
from .answers.based import Based
from .answers.clock import Clock, Date
from .answers.formula import Formula, Reaction
from .answers.interpret import interpret
from .answers.opaque import Opaque
from .answers.relation import Assignment
from .answers.scalar import Scalar
from .answers.text import Text, few_letters, normal
from .measures import compound, in_minutes
from .parsing import TooLarge, Unreadable, parse
from .parsing.lexer import MAX_CHARACTERS
from .parsing.numerals import plain
from .tidy import is_prose, tidy
from .tree import Node, number
from .unit_table import Unit
from .units import read_unit
from .wordings import PHRASES, worded

_NUMBER = re.compile(r"(-?)\s?(\d+(?:\.\d+)?|\.\d+)\Z")
_LETTERS = re.compile(r"(?:\\(?:text|mbox|textbf|textit|textrm|mathrm|mathbf|rm)(?![A-Za-z])|[^\W\d_]|[{}\s'’.-])+\Z")
_WORD = re.compile(r"[^\W\d_]+")
_MATHEMATICAL = re.compile(
    r"(?<![A-Za-z])(?:sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt|pi|arc\w+|and|or|inf\w*|oo)(?![A-Za-z])"
)
_PRODUCT = re.compile(r"[A-Za-z]{1,4}\Z")
_EXCEPT = re.compile(
    r"(?:\\text\s*\{)?\s*all\s+real(?:s|\s+numbers)\s+except(?:\s+for)?\s*\}?\s*(.+)\Z", re.IGNORECASE | re.DOTALL
)
_AND = re.compile(r"\s*,?\s+and\s+")
_PERCENT = re.compile(r"(.+?)\s+per\s?cent\Z")
_TIMED = re.compile(
    r":|\d(?:[\s}~]|\\[\s,;:!])*(?:\\(?:text|mathrm|mbox|textrm)\s*\{\s*)?[ap]\.?\s?m"
    r"|o'clock|noon|midnight|in the|at night|(?:past|to)\s\d",
    re.IGNORECASE,
)
_ELEMENT = re.compile(r"[\d{}^_\s]*(?:[A-Z]|\\(?:mathrm|text|ce|rm|mathbf)(?![a-z]))")
_ARROWS = re.compile(r"=|->|⇌|arrow|\\to(?![a-z])|harpoons")
MAX_AXIS = 60  # characters; blanks may stand anywhere in it
_AXIS = re.compile(
    r"(?:\\?[A-Za-z]+\s*\{?\s*)?(?:the\s+)?[\s$]*[a-z][\s$}]*(?:\\text\s*\{)?[\s$]*-?\s*axis[\s$}]*\Z", re.IGNORECASE
)
_SIGNS = re.compile(r"[-+*/^_=<>|]|\\(?:d?frac|sqrt|cdot|times|sin|cos|tan|ln|log)(?![A-Za-z])")
_SHORT_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,3}(?![A-Za-z])")
_SIGN = re.compile(r"[+*/^=<>|]|-(?![A-Za-z])|\\(?:pm|mp|n?eq?|[lg]eq?|cdot|times|frac|sqrt|in|to)(?![A-Za-z])")
_STRUCTURE = re.compile(r"\\(?:text|mathrm|mbox|textbf)\s*|[{}$]")
_MONTHS = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.I)


def read(text: str) -> Answer:
    """The answer that a text most plainly stands for.

    Raises:
        Unreadable: It is neither mathematics that is known nor a short text.
        TooLarge: It exceeds a limit.
    """
    simple = _number(text)
    if simple is not None:
        return simple
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"{len(text)} characters; at most {MAX_CHARACTERS} are read", MAX_CHARACTERS)
    return _read_bare(tidy(text))


def _read_bare(bare: str) -> Answer:
    answer = _number(bare) or _special(bare) or _parsed(bare)
    answer.__dict__["text"] = bare  # answers are frozen, and their text is no part of what they are
    return answer


def readings(text: str, *, reference: bool = False) -> Iterator[Answer]:
    """The answer, then what its notation could also mean: a decimal comma, a list instead of thousands, a substance.

    Args:
        text: What was written.
        reference: Whether it is a reference, of which "1,2" is a list, though "0,5" is a decimal.
    """
    simple = _number(text)
    if simple is not None:
        yield simple
        return
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"{len(text)} characters; at most {MAX_CHARACTERS} are read", MAX_CHARACTERS)
    bare = tidy(text)
    first: Answer | None = None
    error: Unreadable | None = None
    try:
        first = _read_bare(bare)
        yield first
        if isinstance(first, Scalar) and first.node.op in ("num", "dec"):
            return
    except TooLarge:
        raise
    except Unreadable as problem:
        error = problem
    for answer in alternatives(bare, first, _respelled, reference=reference):
        answer.__dict__["text"] = bare
        error = None
        yield answer
    chemical = _chemical(bare)
    if chemical is not None:
        yield chemical
    elif error is not None:
        raise error


def _number(text: str) -> Answer | None:
    """A plain integer or decimal."""
    found = _NUMBER.match(text)
    if found is None:
        return None
    node = plain(found[2])
    if found[1]:
        node = number(-node.value) if node.op == "num" else Node("neg", (node,))
    return Scalar(node)


def _special(bare: str) -> Answer | None:
    """What is not read by the grammar: numbers in a base, times, dates, numbers in words, compound measures."""
    if "except" in bare and (found := _EXCEPT.match(bare)):
        return _parsed(f"\\mathbb{{R}}\\setminus\\{{{_AND.sub(', ', found[1])}\\}}")
    if ("_" in bare or "base" in bare or bare[:2].lower() in ("0x", "0b", "0o")) and (based := Based.from_text(bare)):
        return based
    if _may_be_timed(bare) and _TIMED.search(bare) and (clock := Clock.from_text(bare)):
        return clock
    if "axis" in bare and len(bare) < MAX_AXIS and _AXIS.match(bare):
        return Text(normal(bare))
    if ("-" in bare or (_may_be_words(bare) and _MONTHS.search(bare))) and (date := Date.from_text(bare)):
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


def _parsed(bare: str) -> Answer:
    """The answer of the grammar, or a text where there are words and nothing else could be made of it."""
    scaled = words.scaled(bare)
    try:
        answer = interpret(parse(scaled))
    except TooLarge:
        raise
    except Unreadable:
        if (spelled := _in_letters(scaled)) is not None:
            return spelled
        if is_prose(bare):
            return Text(_told(bare))
        raise
    if isinstance(answer, Opaque) or (isinstance(answer, Assignment) and isinstance(answer.value, Text | Opaque)):
        return _in_letters(scaled) or answer
    return answer


def _in_letters(text: str) -> Answer | None:
    """A formula in which a short word or a unit is a product of its letters, ``ax+by``, ``mg/k``; else None."""
    if not _SIGNS.search(text) or not _SHORT_WORD.search(text):
        return None
    try:
        return interpret(parse(text, letters=True))
    except TooLarge:
        raise
    except Unreadable:
        return None


def _told(bare: str) -> str:
    """The words of a sentence; signs of mathematics among them are words too, so that none is lost."""
    signs = _SIGN.findall(_STRUCTURE.sub(" ", bare)) if _SIGNS.search(bare) else []
    return normal(bare) + (f" {''.join(signs)}" if signs else "")


def _chemical(bare: str) -> Answer | None:
    """A substance or a reaction."""
    if not _ELEMENT.match(bare):
        return None
    return Reaction.from_text(bare) if _ARROWS.search(bare) else Formula.from_text(bare)


def _respelled(spelling: str) -> Answer:
    return _special(spelling) or _parsed(spelling)
