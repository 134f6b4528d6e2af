"""Measures in several units at once: hours and minutes, degrees and minutes, feet and inches."""

from __future__ import annotations

import re
from fractions import Fraction

from . import words
from .answers.base import Answer
from .answers.scalar import Scalar
from .tree import number
from .unit_table import UNITS
from .units import ratio, read_unit

_ARC = re.compile(r"(-?)(\d+)\s*\^\s*\{?\s*\\circ\s*\}?\s*([0-5]?\d)\s*'(?:\s*([0-5]?\d(?:\.\d+)?)\s*(?:''|\"))?\Z")
_FEET = re.compile(r"(\d+)\s*'\s*(\d+(?:\.\d+)?)\s*(?:''|\")\Z")


def in_minutes(bare: str) -> Answer | None:
    """Degrees, minutes and seconds of an angle; feet and inches."""
    if found := _ARC.match(bare):
        degrees = Fraction(found[2]) + Fraction(found[3]) / 60 + Fraction(found[4] or 0) / 3600
        return Scalar(number(-degrees if found[1] else degrees), read_unit("degree"))
    if found := _FEET.match(bare):
        return Scalar(number(12 * int(found[1]) + Fraction(found[2])), read_unit("inch"))
    return None


def compound(bare: str) -> Answer | None:
    """``1 hour 30 minutes``, in the unit that comes first."""
    parts = words.compound(bare)
    if parts is None:
        return None
    first = read_unit(parts[0][1])
    if first is None or first.noun:
        return None
    total = Fraction(0)
    for amount, name in parts:
        unit = read_unit("min" if name == "m" and first == UNITS["h"] else name)
        factor = ratio(unit, first) if unit is not None and unit.dimensions == first.dimensions else None
        if factor is None:
            return None
        total += amount * factor
    return Scalar(number(total), first)
