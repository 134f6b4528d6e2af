"""Chemical formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from .base import Answer

if TYPE_CHECKING:
    from ..compare import Judge

_ELEMENTS = (
    "He Li Be Ne Na Mg Al Si Cl Ar Ca Sc Ti Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Zr Nb Mo Tc Ru Rh Pd Ag Cd In "
    "Sn Sb Te Xe Cs Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th "
    "Pa Np Pu H B C N O F P S K V Y I W U"
).split()
_ATOM = rf"(?:{'|'.join(_ELEMENTS)})"
_PART = re.compile(rf"({_ATOM}|[()\[\]])(\d*)")
_WHOLE = re.compile(rf"(?:\d*)(?:[(\[]?{_ATOM}\d*(?:[)\]]\d*)?)+(?:\^?\d*[+-])?\Z")
_CHARGE = re.compile(r"\^?(\d*)([+-])\Z")
_LATEX = re.compile(r"\\(?:ce|mathrm|text|rm|mathbf)(?![A-Za-z])|[{}$_\s]|\\[,;:!]")
MAX_LENGTH = 120


@dataclass(frozen=True)
class Formula(Answer):
    """Atoms in their order with their numbers, and the charge."""

    atoms: tuple[tuple[str, str], ...]
    charge: str
    label: ClassVar[str] = "a chemical formula"

    @classmethod
    def from_text(cls, text: str) -> Formula | None:
        r"""``\ce{NaCl}``, ``CO_2``, ``SO_4^{2-}``; None for anything but atoms of known elements, two at least."""
        if len(text) > MAX_LENGTH:
            return None
        plain = _LATEX.sub("", text)
        if not _WHOLE.match(plain):
            return None
        charge = _CHARGE.search(plain)
        written = ""
        if charge:
            plain = plain[: charge.start()]
            written = f"{charge[1].lstrip('1')}{charge[2]}"
        atoms = tuple((name, "" if count == "1" else count) for name, count in _PART.findall(plain))
        several = sum(name[0].isalpha() for name, _ in atoms) > 1 or any(count for _, count in atoms)
        return cls(atoms, written) if several else None

    def equals(self, other: Formula, judge: Judge) -> Outcome:
        return EQUAL if (self.atoms, self.charge) == (other.atoms, other.charge) else unequal("another substance")
