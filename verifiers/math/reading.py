"""Text to a typed answer, with the other readings that an ambiguous notation allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from . import words
from .answers.base import Answer
from .answers.based import Based
from .answers.clock import Clock, Date
from .answers.collection import Collection
from .answers.formula import Formula
from .answers.interpret import interpret
from .answers.intervals import EVERYTHING
from .answers.realset import RealSet
from .answers.scalar import Scalar
from .answers.text import Text, normal
from .parsing import TooLarge, Unreadable, parse
from .parsing.lexer import MAX_CHARACTERS
from .parsing.numerals import plain
from .tidy import is_prose, tidy
from .tree import INFINITY, MINUS_INFINITY, Node, number
from .units import ratio, read_unit

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
_COMMA = re.compile(r"(?<![\d,])(-?\d+),(\d+)(?![\d,])")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(?![\d,;])[^,;()\[\]]*\Z")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+\Z")
_MONTHS = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.I)

_PHRASES: dict[str, Callable[[], Answer]] = {
    **dict.fromkeys(
        ("all real numbers", "all reals", "real numbers", "any real number", "all real values", "every real number",
         "all real number", "set of all real numbers", "set of real numbers", "reals"),
        lambda: RealSet((EVERYTHING,)),
    ),
    **dict.fromkeys(
        ("no solution", "empty set", "no real solution", "no solutions exist", "there is no solution", "no answer"),
        lambda: Collection((), True),
    ),
    **dict.fromkeys(("infinity", "positive infinity", "plus infinity"), lambda: Scalar(INFINITY)),
    **dict.fromkeys(("negative infinity", "minus infinity"), lambda: Scalar(MINUS_INFINITY)),
}  # fmt: skip


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
    for other in _alternatives(bare, reference):
        try:
            answer = _special(other) or _parsed(other)
        except Unreadable:
            continue
        answer.__dict__["text"] = bare
        error = None
        yield answer
    formula = Formula.from_text(bare) if bare[:1].isupper() or "\\" in bare[:1] else None
    if formula is not None:
        yield formula
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
        return _parsed(f"\\mathbb{{R}}\\setminus\\{{{found[1]}\\}}")
    if ("_" in bare or "base" in bare) and (based := Based.from_text(bare)):
        return based
    if (":" in bare or "m" in bare or "clock" in bare or "noon" in bare) and (clock := Clock.from_text(bare)):
        return clock
    if ("-" in bare or _MONTHS.search(bare)) and (date := Date.from_text(bare)):
        return date
    if "\\ce" in bare and (formula := Formula.from_text(bare)):
        return formula
    if _LETTERS.match(bare):
        return _lettered(bare)
    return _compound(bare) if (bare[:1].isdigit() and bare[-1:].isalpha()) or "\\text" in bare else None


def _lettered(bare: str) -> Answer | None:
    """A text of letters only: a phrase, a number in words, or a word that could also be a product of names."""
    found = normal(bare)
    phrase = _PHRASES.get(found)
    if phrase is not None:
        return Text(found, phrase())
    spelled = words.read_words(bare)
    if spelled is not None:
        return Text(found, Scalar(number(spelled)))
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
    return Text(found, None if isinstance(product, Text) else product)


def _compound(bare: str) -> Answer | None:
    """``1 hour 30 minutes``, in the unit that comes first."""
    parts = words.compound(bare)
    if parts is None:
        return None
    first = read_unit(parts[0][1])
    if first is None or first.noun:
        return None
    total = Fraction(0)
    for amount, name in parts:
        unit = read_unit(name)
        factor = ratio(unit, first) if unit is not None and unit.dimensions == first.dimensions else None
        if factor is None:
            return None
        total += amount * factor
    return Scalar(number(total), first)


def _parsed(bare: str) -> Answer:
    """The answer of the grammar, or a text where there are words and nothing else could be made of it."""
    try:
        return interpret(parse(words.scaled(bare)))
    except TooLarge:
        raise
    except Unreadable:
        if is_prose(bare):
            return Text(normal(bare))
        raise


def _alternatives(bare: str, reference: bool) -> Iterator[str]:
    """Other spellings of an ambiguous notation."""
    if _THOUSANDS.match(bare):
        yield bare.replace(",", ", ")
    elif ";" in bare and "," in bare:
        yield _COMMA.sub(r"\1.\2", bare)
    elif _DECIMAL_COMMA.match(bare) and not (reference and bare[:2] != "0,"):
        yield _COMMA.sub(r"\1.\2", bare, count=1)
