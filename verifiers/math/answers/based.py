"""Numbers in a base: ``1011_2``. Another base is another answer, even for the same value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import number
from .base import Answer
from .scalar import Scalar

if TYPE_CHECKING:
    from ..compare import Judge

_NAMES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
          "eleven": 11, "twelve": 12, "sixteen": 16, "binary": 2, "octal": 8, "decimal": 10, "hex": 16}  # fmt: skip
_FORM = re.compile(
    r"\(?\s*(?:\\(?:text|mathrm)\s*\{)?(-?)([0-9A-Za-z]{1,200}(?:\.[0-9A-Za-z]{1,200})?)\}?\s*\)?\s*(?:_\s*\{?(?:\s|\\[,;!:])*\(?\s*(?:\\(?:text|mathrm)\s*\{)?\s*(?:base\s*\}?\s*)?([0-9a-z]+)"
    r"\s*\}?\s*\)?\s*\}?|[\s,(]*(?:\\text\{\s*)?\(?\s*(?:in\s+)?base[\s-]+\}?\s*([0-9a-z]+)\s*[)}]*)\Z"
)

_PREFIXED = re.compile(r"(-?)0([xXbBoO])([0-9A-Fa-f]{1,200})\Z")  # as programs write them
_HEX = re.compile(r"(?:[A-F]{2,8}|[a-f]{2,8})\Z")  # with the base 16 no name with an index
_PREFIXES = {"x": 16, "b": 2, "o": 8}


@dataclass(frozen=True)
class Based(Answer):
    """Digits and their base."""

    value: Fraction
    base: int
    label: ClassVar[str] = "a number in a base"

    @classmethod
    def from_text(cls, text: str) -> Based | None:
        """``4210_{7}``, ``(1202)_3``, ``2F_{16}``, ``110.1_2``, ``101 base 2``, ``0x2F``; None for anything else."""
        text = " ".join(text.split())
        if prefixed := _PREFIXED.match(text):
            base = _PREFIXES[prefixed[2].lower()]
            return cls._of_digits(prefixed[1] + prefixed[3], base)
        found = _FORM.match(text)
        if found is None:
            return None
        name = found[3] or found[4]
        base = int(name) if name.isdigit() and len(name) < 4 else _NAMES.get(name, 0)
        if not 2 <= base <= 36 or not (re.search(r"\d", found[2]) or (base == 16 and _HEX.match(found[2]))):
            return None
        return cls._of_digits(found[1] + found[2], base)

    @classmethod
    def _of_digits(cls, digits: str, base: int) -> Based | None:
        whole, _, decimals = digits.partition(".")
        try:
            return cls(Fraction(int(whole + decimals, base), base ** len(decimals)), base)
        except ValueError:
            return None

    def equals(self, other: Based, judge: Judge) -> Outcome:
        if self.base != other.base:
            return unequal(f"base {other.base} against base {self.base}")
        return EQUAL if self.value == other.value else unequal("other digits")

    def views(self) -> Iterator[Answer]:
        if self.base == 10:
            yield Scalar(number(self.value))

    def key(self) -> str | None:
        return Scalar(number(self.value)).key() if self.base == 10 else f"{self.value} base {self.base}"
