"""Chemical formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tidy import closing_brace
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge

_ELEMENTS = (
    "He Li Be Ne Na Mg Al Si Cl Ar Ca Sc Ti Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Zr Nb Mo Tc Ru Rh Pd Ag Cd In "
    "Sn Sb Te Xe Cs Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th "
    "Pa Np Pu H B C N O F P S K V Y I W U"
).split()
_ATOM = rf"(?:{'|'.join(_ELEMENTS)})"
_PART = re.compile(rf"({_ATOM}|[()\[\].])(\d*)")
_WHOLE = re.compile(rf"(?:(?:\.\d*)?[(\[]?{_ATOM}\d*(?:[)\]]\d*)?)+\Z")
_RAISED = re.compile(r"\^\s*\{?\s*(?:(\d*)\s*([+-])|([+-])\s*(\d+))\s*\}?\Z")
_SIGNED = re.compile(r"(\d*)([+-])\Z")
_ISOTOPE = re.compile(r"(?:\{\})?(?:\^\{?(\d{1,3})\}?)?(?:_\{?(\d{1,3})\}?)?(?=\s*[A-Z\\{])")
_FONTS = re.compile(r"\\(?:ce|mathrm|text|rm|mathbf|left|right)(?![A-Za-z])|\$|\\[,;:!]|~")
_STATE = re.compile(r"\s*\((?:s|l|g|aq)\)\s*\Z")
_ARROW = re.compile(
    r"\s*(?:<?=+>?|<?-+>|⇌|\\(?:long)?(?:left)?right(?:arrow|harpoons|leftharpoons)(?![A-Za-z])|\\to(?![A-Za-z])"
    r"|\\xrightarrow\s*(?:\[[^\]]*\]\s*)?\{[^{}]*\})\s*(?:\[[^\]]*\]\s*)*"
)
_WATER = re.compile(r"\\cdot(?![A-Za-z])|\*")  # between a salt and its crystal water
MAX_LENGTH = 200


@dataclass(frozen=True)
class Formula(Answer):
    """Atoms in their order with their numbers, the charge, and what stands before them.

    Attributes:
        atoms: Symbols and brackets, each with its number.
        charge: "2+", "-", or empty.
        coefficient: How many of them; empty for one.
        isotope: The mass number and the atomic number, where they were written.
    """

    atoms: tuple[tuple[str, str], ...]
    charge: str
    coefficient: str = ""
    isotope: tuple[str, str] = ("", "")
    label: ClassVar[str] = "a chemical formula"

    @classmethod
    def from_text(cls, text: str) -> Formula | None:
        r"""``\ce{NaCl}``, ``CO_2``, ``SO_4^{2-}``, ``Fe3+``, ``^{14}C``; None for anything but known elements.

        A lone symbol is a formula only with a charge or a mass number: C may be a name.
        """
        if len(text) > MAX_LENGTH:
            return None
        found = cls._read(_without_group(_FONTS.sub("", text).strip()))
        if found is None:
            return None
        several = sum(name[0].isalpha() for name, _ in found.atoms) > 1 or any(count for _, count in found.atoms)
        return found if several or found.charge or found.isotope[0] else None

    @classmethod
    def _read(cls, text: str) -> Formula | None:
        """One term: a coefficient, an isotope's numbers, atoms, a charge."""
        number = re.match(r"\d*", text)[0]  # type: ignore[index]
        text = _STATE.sub("", text[len(number) :]).strip()
        isotope = _ISOTOPE.match(text)
        if isotope:
            text = text[isotope.end() :].strip()
        charge, text = _charge(_without_group(text))
        plain = re.sub(r"[{}_\s]", "", _WATER.sub(".", text))
        if not _WHOLE.match(plain):
            return None
        atoms = tuple((name, "" if count == "1" else count) for name, count in _PART.findall(plain))
        numbers = (isotope[1] or "", isotope[2] or "") if isotope else ("", "")
        return cls(atoms, charge, "" if number == "1" else number, numbers)

    def equals(self, other: Formula, judge: Judge) -> Outcome:
        mine, theirs = (
            (formula.atoms, formula.charge, formula.coefficient, formula.isotope[0]) for formula in (self, other)
        )
        same = mine == theirs and ("" in (self.isotope[1], other.isotope[1]) or self.isotope[1] == other.isotope[1])
        return EQUAL if same else unequal("another substance")


def _without_group(text: str) -> str:
    """The content of braces around the whole, as fonts leave them."""
    while text.startswith("{") and text.endswith("}") and "}" not in text[1:-1]:
        text = text[1:-1].strip()
    if text.startswith("{") and closing_brace(text, 0) == len(text) - 1:
        return text[1:-1].strip()
    return text


def _charge(text: str) -> tuple[str, str]:
    """The charge at the end of a formula, and the rest.

    Without a caret the digits before the sign are the charge of a lone element (Fe3+); of several, the last of two
    digits or more is (SO42-), and a single one counts atoms (NH4+).
    """
    if found := _RAISED.search(text):
        return f"{(found[1] or found[4] or '').lstrip('1')}{found[2] or found[3]}", text[: found.start()]
    found = _SIGNED.search(text)
    if found is None:
        return "", text
    digits, head = found[1], text[: found.start()]
    lone = re.fullmatch(r"\{?[A-Z][a-z]?\}?", head) is not None
    size = len(digits) if lone and len(digits) == 1 else min(1, max(0, len(digits) - 1))
    number = digits[len(digits) - size :] if size else ""
    return f"{number.lstrip('1')}{found[2]}", head + digits[: len(digits) - size]


@dataclass(frozen=True)
class Reaction(Answer):
    """What reacts to what, each side in any order."""

    sides: tuple[tuple[Formula, ...], ...]
    label: ClassVar[str] = "a chemical equation"

    @classmethod
    def from_text(cls, text: str) -> Reaction | None:
        r"""``\ce{2H2 + O2 -> 2H2O}``; None for anything else."""
        if len(text) > MAX_LENGTH:
            return None
        parts = _ARROW.split(_without_group(_FONTS.sub("", text).strip()))
        sides = tuple(_terms(part) for part in parts)
        if len(sides) != 2 or None in sides:
            return None
        return cls(tuple(side for side in sides if side is not None))

    def equals(self, other: Reaction, judge: Judge) -> Outcome:
        for mine, theirs in zip(self.sides, other.sides, strict=True):
            rest = list(theirs)
            for formula in mine:
                index = next((at for at, one in enumerate(rest) if formula.equals(one, judge).equal), None)
                if index is None:
                    return unequal("another substance, or another number of it")
                del rest[index]
            if rest:
                return unequal("more substances")
        return EQUAL


def _terms(text: str) -> tuple[Formula, ...] | None:
    parts = re.split(r"\s\+\s", text) if re.search(r"\s\+\s", text) else re.split(r"\+(?=\s*\d*[A-Z({\\])", text)
    found = [Formula._read(_without_group(part.strip())) for part in parts]
    kept = tuple(formula for formula in found if formula is not None)
    return kept if len(kept) == len(found) else None
