"""Arithmetic in text, worked out exactly, without ever handing the text to Python."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from ..errors import InputError

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<sign>\*\*|[-+*/^()]))")
# What people and models write for the four operations.
_SIGNS = {"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")"}
_LATEX = {"\\times": "*", "\\cdot": "*", "\\div": "/", "\\left": "", "\\right": "", "\\,": "", "$": ""}
_MOST_CHARACTERS, _MOST_DIGITS, _DEEPEST, _MOST_BITS = 1000, 100, 50, 8192


class Evaluation(NamedTuple):
    """What an expression comes to.

    Attributes:
        value: Its value, exact.
        numbers: The numbers in it, as they are written, from left to right.
    """

    value: Fraction
    numbers: tuple[str, ...]


def evaluate(text: str) -> Evaluation:
    r"""Work out an expression of numbers, ``+ - * /``, powers and parentheses.

    ``× · ÷ −``, square brackets and LaTeX's ``\times``, ``\cdot``, ``\div`` are read as what they mean. Powers have
    whole exponents, and bind as in Python: ``-2**2`` is -4, ``2**3**2`` is 512. The time is bounded: 1000 characters,
    parentheses 50 deep, values of 8192 bits.

    Raises:
        InputError: It is no such expression, divides by zero, or passes a bound; the message says where.

    >>> evaluate("(62 - 19) × (81 - 80)").value
    Fraction(43, 1)
    """
    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"the expression has {len(text)} characters; at most {_MOST_CHARACTERS} are read")
    for known, sign in _LATEX.items():
        text = text.replace(known, sign)
    text = "".join(_SIGNS.get(character, character) for character in text)
    parser = _Parser(text)
    value = parser.sum(0)
    if parser.ahead:
        raise InputError(f"there is {parser.ahead!r} too much in {text.strip()!r}")
    return Evaluation(value, tuple(parser.numbers))


class _Parser:
    """Recursive descent, one token ahead; each method reads one rule of the grammar and gives its value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.ahead = ""
        self.numbers: list[str] = []
        self._next()

    def _next(self) -> None:
        found = _TOKEN.match(self.text, self.at)
        if found:
            self.at, self.ahead = found.end(), found["number"] or found["sign"]
        elif self.text[self.at :].strip():
            rest = self.text[self.at :].strip()
            raise InputError(f"{rest[:20]!r} is neither a number nor one of + - * / ** ( )")
        else:
            self.ahead = ""

    def _take(self) -> str:
        token = self.ahead
        self._next()
        return token

    def sum(self, depth: int) -> Fraction:
        value = self.product(depth)
        while self.ahead in ("+", "-"):
            sign, other = self._take(), self.product(depth)
            value = _bounded(value + other if sign == "+" else value - other)
        return value

    def product(self, depth: int) -> Fraction:
        value = self.signed(depth)
        while self.ahead in ("*", "/"):
            sign, other = self._take(), self.signed(depth)
            if sign == "/" and other == 0:
                raise InputError(f"{self.text.strip()!r} divides by zero")
            value = _bounded(value * other if sign == "*" else value / other)
        return value

    def signed(self, depth: int) -> Fraction:
        negative = False
        while self.ahead in ("+", "-"):
            negative ^= self._take() == "-"
        value = self.power(depth)
        return -value if negative else value

    def power(self, depth: int) -> Fraction:
        base = self.atom(depth)
        if self.ahead not in ("**", "^"):
            return base
        self._take()
        if depth >= _DEEPEST:
            raise InputError(f"the expression is more than {_DEEPEST} levels deep")
        return _power(base, self.signed(depth + 1))

    def atom(self, depth: int) -> Fraction:
        if self.ahead == "(":
            if depth >= _DEEPEST:
                raise InputError(f"the expression is more than {_DEEPEST} levels deep")
            self._take()
            value = self.sum(depth + 1)
            if self.ahead != ")":
                raise InputError(f"a parenthesis is not closed in {self.text.strip()!r}")
            self._take()
            return value
        if not self.ahead or not (self.ahead[0].isdigit() or self.ahead[0] == "."):
            raise InputError(f"a number is missing before {self.ahead or 'the end'!r} in {self.text.strip()!r}")
        if len(self.ahead) > _MOST_DIGITS:
            raise InputError(f"a number has {len(self.ahead)} digits; at most {_MOST_DIGITS} are read")
        self.numbers.append(self.ahead)
        return Fraction(self._take())


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise InputError(f"the exponent {exponent} is not a whole number")
    if base == 0 and exponent < 0:
        raise InputError(f"0 to the power {exponent} divides by zero")
    size = max(abs(base.numerator), base.denominator).bit_length()
    if base not in (0, 1, -1) and size * abs(exponent) > _MOST_BITS:
        raise InputError(f"a power is too large: its value would have more than {_MOST_BITS} bits")
    if abs(base) == 1:
        return base ** (int(exponent) % 2)  # at once, however large the exponent
    return Fraction(exponent == 0) if base == 0 else base ** int(exponent)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise InputError(f"a value has more than {_MOST_BITS} bits")
    return value
