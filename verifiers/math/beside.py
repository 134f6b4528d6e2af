r"""What a solution writes right beside its box by custom: a unit, a percent sign, a modulus, a base, a scale.

The box alone is the answer unless the reference asks for more: ``\boxed{50}`` mm is 5 cm, ``\boxed{5}`` m is not.
"""

from __future__ import annotations

import re

from .units import read_unit

_SPACE = r"(?:\s|~|\\[,;:!\s]|\$|\\[)\]]){0,6}"
_AMOUNT = re.compile(r"[-−]?\\?\$?[\d.,]+\Z")
_SCALE = re.compile(
    rf"{_SPACE}(?:\\(?:text|mathrm)\s*\{{\s*)?(hundred|thousand|million|billion|trillion)(?![A-Za-z])\}}?"
)
_TEXT_UNIT = re.compile(
    rf"{_SPACE}\\(?:text|mathrm|mbox|textrm|rm)\s*\{{\s*([^{{}}\d]{{1,40}}?)\s*\}}(\s*\^\s*\{{?[-\d]+\}}?)?"
)
_PLAIN_UNIT = re.compile(
    rf"{_SPACE}([A-Za-z]{{1,12}}(?:[ /][A-Za-z]{{1,12}}){{0,2}})((?:\^\{{?\d\}}?|[²³])?)(?![A-Za-z])"
)
_PERCENT = re.compile(rf"{_SPACE}(?:\\?%|(?:\\text\s*\{{\s*)?percent\b)")
_MODULUS = re.compile(rf"{_SPACE}(\\pmod\s*(?:\{{[^{{}}]{{1,20}}\}}|\w)|\(\s*\\?(?:text\{{)?mod\}}?\s*\w{{1,9}}\s*\))")
_BASE = re.compile(rf"{_SPACE},?\s*(?:\\text\s*\{{\s*)?(?:in\s+)?base\s+\$?(\d+|[a-z]+)\b")
_WORDS_OF_PROSE = frozenset("in a as at are an am on by is was we so to of".split())
_RELATION = re.compile(
    r"(?<![A-Za-z\\])([A-Za-z])\s*(\\(?:le|ge|leq|geq|lt|gt|leqslant|geqslant)(?![A-Za-z])|[<>≤≥])\s*\Z"
)


def scale_after(text: str, end: int, content: str) -> tuple[str, int] | None:
    r"""A number with the scale right behind its box, "2 million", and where that ends; None where there is none."""
    found = _SCALE.match(text, end) if _AMOUNT.match(content) else None
    return None if found is None else (f"{content} {found[1]}", found.end())


def unit_after(text: str, end: int) -> str:
    """The unit right behind a box, "" for none; a word that is a unit and prose as well ("in") counts only in LaTeX."""
    if found := _TEXT_UNIT.match(text, end):
        return found[1] + (found[2] or "") if _measures(found[1]) else ""
    found = _PLAIN_UNIT.match(text, end)
    words = found[1].split(" ") if found else []
    if found is None or words[0] in _WORDS_OF_PROSE:
        return ""
    for count in range(len(words), 0, -1):
        unit = " ".join(words[:count])
        if _measures(unit):
            return unit + (found[2] if count == len(words) else "")
    return ""


def _measures(phrase: str) -> bool:
    unit = read_unit(phrase)
    return unit is not None and bool(unit.dimensions) and not unit.noun


def fuller(text: str, start: int, end: int, answer: str) -> str:
    r"""The answer of a box with the percent sign, modulus, base or relation beside it; "" where there is none.

    >>> fuller(r"$x \equiv \boxed{3} \pmod 7$", 10, 19, "3")
    '3 \\pmod 7'
    """
    if _PERCENT.match(text, end):
        return f"{answer}\\%"
    if found := _MODULUS.match(text, end):
        return f"{answer} {found[1]}"
    if found := _BASE.match(text, end):
        return f"{answer} base {found[1]}"
    if found := _RELATION.search(text, max(0, start - 30), start):
        return f"{found[1]} {found[2]} {answer}"
    return ""
