"""Numerals as they are written: grouped thousands, decimals, scientific notation, repeating decimals."""

from __future__ import annotations

import re
from fractions import Fraction

from ..tree import TEN, Node, number, product
from .errors import TooLarge

MAX_DIGITS = 2000
MAX_TAIL = 60  # digits before an ellipsis in which a period is looked for
MAX_EXPONENT = 400  # of ten; beyond it the numeral becomes a product with a power, which is evaluated lazily

# Inside a bracket a bare comma or blank separates items; these two separate thousands anywhere.
GROUPED = r"[1-9]\d{0,2}(?P<mark>,\\!\s?|\{,\}|\\[,\s]|,|'|\x20)\d{3}(?:(?P=mark)\d{3})*(?!\d|,\d)(?:\.\d+(?!\.?\d))?"
DOTTED = r"\d{1,3}(?:\.\d{3}){2,}(?![\d.]|,\d)|\d{1,3}(?:[.\x20]\d{3})+,\d{1,2}(?![\d,])"
REPEATING = (
    r"\d*\.\d*\\(?:overline|bar)\s*(?:\{\s*\d+\s*\}|\d)"
    r"|\d*\.\d*\\dot\s*(?:\{\s*\d\s*\}|\d)(?:\d*\\dot\s*(?:\{\s*\d\s*\}|\d))?"
    r"|\d*\.\d*\(\d+\)(?![\w^(])"
    r"|\d*\.\d+\s*(?:\.\.\.|\\[lc]?dots(?![A-Za-z]))"
)
PLAIN = r"(?:\d+(?:\.\d+|\{,\}\d+)?|\.\d+)(?:[eE][-+]?\d+(?![\w.]))?"

_FEW = {str(value): number(value) for value in range(101)}  # most numerals are one of these
_DOTS = re.compile(r"\s*(?:\.\.\.|\\[lc]?dots)$")
_TAIL = re.compile(r"(\d+?)\1+\Z")


def grouped(text: str) -> Node:
    """A numeral whose thousands are set apart."""
    whole, point, decimals = text.rpartition(".")
    if not point:
        whole, decimals = text, ""
    digits = re.sub(r"\D", "", whole)
    return plain(f"{digits}.{decimals}" if decimals else digits)


def dotted(text: str) -> Node:
    """A numeral in the European fashion: points or blanks between thousands, a comma before decimals."""
    whole, _, decimals = text.partition(",")
    digits = re.sub(r"\D", "", whole)
    return plain(f"{digits}.{decimals}" if decimals else digits)


def integer(text: str) -> Node:
    """A numeral of digits only."""
    if text in _FEW:
        return _FEW[text]
    if len(text) > MAX_DIGITS:
        raise TooLarge(f"a numeral of {len(text)} characters; at most {MAX_DIGITS} are read", 0)
    return number(int(text))


def plain(text: str) -> Node:
    """An integer, a decimal or a numeral in scientific notation.

    A decimal remembers how many significant digits it was written with and the exponent of the last one.
    """
    if text.isdigit():
        return integer(text)
    if len(text) > MAX_DIGITS:
        raise TooLarge(f"a numeral of {len(text)} characters; at most {MAX_DIGITS} are read", 0)
    mantissa, _, exponent_text = text.replace("{,}", ".").lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    digits = whole + decimals
    exponent = int(exponent_text[:20] or 0)
    if abs(exponent) > MAX_EXPONENT:
        return product(plain(mantissa), Node("pow", (TEN, number(exponent))))
    last = exponent - len(decimals)
    value = Fraction(int(digits)) * Fraction(10) ** last
    if not decimals:
        return number(value)
    return Node("dec", (), (value, len(digits.lstrip("0")), last))


def repeating(text: str) -> Node:
    """A repeating decimal: overlined, dotted, in parentheses, or going on with an ellipsis."""
    if len(text) > MAX_DIGITS:
        raise TooLarge(f"a numeral of {len(text)} characters; at most {MAX_DIGITS} are read", 0)
    body = _DOTS.sub("", text)
    whole, _, decimals = body.partition(".")
    if body != text:
        found = _TAIL.search(decimals, max(0, len(decimals) - MAX_TAIL))
        if found is None or len(found[0]) < 3:  # 3.14159... does not say what follows
            return plain(body)
        return _rational(whole, decimals[: found.start()], found[1])
    head, mark, tail = re.match(r"(\d*)(\\\w+|\()(.*)", decimals).groups()  # type: ignore[union-attr]
    return _rational(whole, head, re.sub(r"\D", "", tail if mark != "\\dot" else re.sub(r"\\dot", "", tail)))


def _rational(whole: str, head: str, period: str) -> Node:
    """``whole.head`` followed by ``period`` for ever, as an exact fraction."""
    scale = 10 ** len(head)
    value = Fraction(int(whole or 0)) + Fraction(int(head or 0), scale)
    return number(value + Fraction(int(period), scale * (10 ** len(period) - 1)))
