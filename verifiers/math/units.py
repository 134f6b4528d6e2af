"""Units in phrases, and how many of one make another; a counted thing is a unit of its own."""

from __future__ import annotations

import re
from fractions import Fraction

from .phrases import counts
from .unit_table import UNITS, Unit, raised

# Names long enough to be no product of variables; the rest is read as a unit only after \text or beside another unit.
WORDS = frozenset(name for name in UNITS if len(name) > 1)
_TOKENS = re.compile(r"\s*(?:([^\W\d_]+|[°$€£¥¢₹₽][CF]?)|(\^\s*[-+]?\d+|(?<=[^\W\d_])[-+]?\d+)|([/*.]))")
_LATEX = re.compile(
    r"\\(?:text|mbox|mathrm|textbf|textrm|mathbf|operatorname|rm|textit|mathit|left|right|quad)(?![A-Za-z])|[{}~$()]"
    r"|\\[,;:!\s]"
)
# Short units as they are also written; MM, Mm, MG and ML could as well mean millions.
_CAPITALISED = frozenset(
    "KM Km CM Cm KG Kg Hr HR Hrs Min Sec In Ft FT Yd Mi Lb LB Lbs Oz OZ Day MPH KPH Mph Kph".split()
)
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_AFTER = {"squared": 2, "cubed": 3}
MAX_PHRASE = 80


def _singular(word: str) -> Unit | None:
    """The unit of one word: as it is written, in lower case, without its plural."""
    for form in (word, word.lower()) if len(word) > 3 or word in _CAPITALISED else (word,):
        if form in UNITS:
            return UNITS[form]
        if len(form) > 3 and form.endswith("s") and form[:-1] in UNITS:
            return UNITS[form[:-1]]
        if form in ("kgs", "kms", "lbs", "hrs", "yds", "yrs", "mins", "secs", "gals"):
            return UNITS[form[:-1]]
    return None


def read_unit(phrase: str) -> Unit | None:
    r"""The unit that a phrase names; a counted thing where it names no unit; None where it is no phrase at all.

    >>> read_unit("km/h") == read_unit(r"\mathrm{km}\cdot\mathrm{h}^{-1}")
    True
    >>> read_unit("children tickets").noun
    'children ticket'
    """
    if phrase in UNITS:
        return UNITS[phrase]
    if len(phrase) > MAX_PHRASE:
        return None
    plain = _LATEX.sub(
        " ", phrase.replace("\\cdot", "*").replace("\\times", "*").replace("^\\circ", "°").replace("\\%", " ")
    )
    plain = re.sub(r"°\s+(?=[CF]\b)", "°", plain).replace("\\", " ").strip(" .,:")
    return _singular(plain) or _known(plain) or _noun(plain)


def _known(plain: str) -> Unit | None:
    total = Unit(Fraction(1), ())
    last: Unit | None = None
    sign = pending = 1
    position = 0
    while position < len(plain):
        found = _TOKENS.match(plain, position)
        if found is None:
            return None
        position = found.end()
        word, power, operator = found.groups()
        exponent = _AFTER.get(word.lower(), 0) if word else int(power.replace("^", "")) if power else 0
        if operator == "/" or word == "per":
            sign, last = -1, None
        elif operator:
            sign, last = 1, None
        elif word is None or exponent:
            if last is None or not exponent:
                return None
            total, last = _times(total, raised(last, exponent - 1)), None
        elif word.lower() in _POWERS:
            pending = _POWERS[word.lower()]
        else:
            unit = _singular(word)
            if unit is None:
                return None
            last = raised(unit, sign * pending)
            total, pending = _times(total, last), 1
    return total if position else None


def _times(left: Unit, right: Unit) -> Unit:
    powers = dict(left.dimensions)
    for name, power in right.dimensions:
        powers[name] = powers.get(name, 0) + power
    return Unit(left.factor * right.factor, tuple(sorted((name, power) for name, power in powers.items() if power)))


_STOP = frozenset(
    "is are was wrong or and but no correct answer mod modulo plus minus times divided over root choose".split()
)


def _noun(plain: str) -> Unit | None:
    """A counted thing of at most six words.

    Whether it can be one at all is told by its ``form`` and is the matter of the comparison: a reference may count in
    words that no list knows.
    """
    words = re.findall(r"[^\W\d_]+", plain.lower())
    if not words or len(words) > 6 or re.search(r"[\d=<>+^_\\]", plain):
        return None
    form = counts(plain)
    if not form and _STOP.intersection(words):
        return None
    words[-1] = words[-1][:-1] if len(words[-1]) > 3 and words[-1].endswith("s") else words[-1]
    return Unit(Fraction(1), (), " ".join(words), form)


def ratio(left: Unit, right: Unit) -> Fraction | None:
    """How many ``right`` make one ``left``; None where they measure different things.

    A counted thing agrees with a shorter or longer name of itself ("ways", "different ways"); "units" with
    anything that has the form of one. ``left`` is the answer's, and what it adds to its reference has to have that
    form too.
    """
    if left.noun or right.noun:
        if not left.noun or not right.noun:
            named = left.dimensions or right.dimensions or (left.noun and not left.form)
            return None if named else Fraction(1)
        mine, others = set(left.noun.split()), set(right.noun.split())
        return Fraction(1) if mine <= others or (others <= mine and left.form) else None
    if ((left.form, 1),) == right.dimensions or ((right.form, 1),) == left.dimensions:
        return Fraction(1)  # 20 pounds are £20
    if not left.dimensions or not right.dimensions or _bare(left) or _bare(right):
        return Fraction(1)
    return left.factor / right.factor if left.dimensions == right.dimensions else None


def _bare(unit: Unit) -> bool:
    return unit.dimensions == () and unit.factor == 1
