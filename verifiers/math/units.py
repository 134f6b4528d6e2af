"""Units of measurement: names, dimensions and conversion; a counted thing is a unit of its own.

Factors are exact and come from the SI brochure (9th edition, 2019) and, for customary units, from NIST Special
Publication 811, appendix B.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

Dimensions = tuple[tuple[str, int], ...]


class Unit(NamedTuple):
    """A unit: how many base units it is, of which dimensions; ``noun`` names a counted thing instead."""

    factor: Fraction
    dimensions: Dimensions
    noun: str = ""


def _unit(factor: str | int, **dimensions: int) -> Unit:
    return Unit(Fraction(factor), tuple(sorted(dimensions.items())))


_PREFIXES = {"k": "1000", "c": "1/100", "m": "1/1000", "M": "1000000", "G": "1000000000", "d": "1/10", "h": "100",
             "n": "1/1000000000", "u": "1/1000000", "p": "1/1000000000000"}  # fmt: skip
_PREFIX_NAMES = {"kilo": "k", "centi": "c", "milli": "m", "mega": "M", "giga": "G", "deci": "d", "nano": "n", "micro": "u"}
# symbol, names, unit, prefixes that are in use
_METRIC: list[tuple[str, str, Unit, str]] = [
    ("m", "meter metre", _unit(1, length=1), "kcmdnu"),
    ("g", "gram gramme", _unit("1/1000", mass=1), "kmu"),
    ("s", "second", _unit(1, time=1), "mnu"),
    ("L", "liter litre", _unit("1/1000", length=3), "mcdk"),
    ("A", "ampere amp", _unit(1, current=1), "m"),
    ("K", "kelvin", _unit(1, temperature=1), ""),
    ("mol", "mole", _unit(1, amount=1), "m"),
    ("Hz", "hertz", _unit(1, time=-1), "kMG"),
    ("N", "newton", _unit(1, mass=1, length=1, time=-2), "k"),
    ("J", "joule", _unit(1, mass=1, length=2, time=-2), "kM"),
    ("W", "watt", _unit(1, mass=1, length=2, time=-3), "kM"),
    ("Pa", "pascal", _unit(1, mass=1, length=-1, time=-2), "kMh"),
    ("V", "volt", _unit(1, mass=1, length=2, time=-3, current=-1), "km"),
    ("C", "coulomb", _unit(1, time=1, current=1), "mu"),
    ("eV", "electronvolt", Unit(Fraction("1.602176634e-19"), (("length", 2), ("mass", 1), ("time", -2))), "kMG"),
    ("T", "tesla", _unit(1, mass=1, time=-2, current=-1), "m"),
    ("F", "farad", _unit(1, mass=-1, length=-2, time=4, current=2), "mun"),
    ("B", "byte", _unit(8, bit=1), "kMG"),
]
_OTHERS: list[tuple[str, Unit]] = [
    ("min minute", _unit(60, time=1)), ("h hr hour", _unit(3600, time=1)), ("day d", _unit(86400, time=1)),
    ("week wk", _unit(604800, time=1)), ("year yr", _unit(1, year=1)), ("month", _unit("1/12", year=1)),
    ("decade", _unit(10, year=1)), ("century centurie", _unit(100, year=1)), ("sec", _unit(1, time=1)),
    ("inch in inche", _unit("127/5000", length=1)), ("foot ft feet", _unit("381/1250", length=1)),
    ("yard yd", _unit("1143/1250", length=1)), ("mile mi", _unit("201168/125", length=1)),
    ("mph", _unit("1397/3125", length=1, time=-1)), ("kph kmh", _unit("5/18", length=1, time=-1)),
    ("pound lb", _unit("45359237/100000000", mass=1)), ("ounce oz", _unit("45359237/1600000000", mass=1)),
    ("ton tonne t", _unit(1000, mass=1)), ("acre", _unit("316160658/78125", length=2)),
    ("hectare ha", _unit(10000, length=2)), ("gallon gal", _unit("473176473/125000000000", length=3)),
    ("quart qt", _unit("473176473/500000000000", length=3)), ("pint pt", _unit("473176473/1000000000000", length=3)),
    ("l", _unit("1/1000", length=3)), ("ml mL cc", _unit("1/1000000", length=3)),
    ("rpm", _unit("1/60", time=-1)), ("bit", _unit(1, bit=1)), ("ohm", _unit(1, mass=1, length=2, time=-3, current=-2)),
    ("degree deg °", _unit(1, angle=1)), ("radian rad", _unit(1, radian=1)), ("dozen", _unit(12, dozen=1)),
    ("°C celsius", _unit(1, celsius=1)), ("°F fahrenheit", _unit(1, fahrenheit=1)),
    ("dollar USD buck $", _unit(1, usd=1)), ("cent ¢ penny pennie", _unit("1/100", usd=1)), ("euro EUR €", _unit(1, eur=1)),
    ("£ GBP", _unit(1, gbp=1)), ("yuan RMB CNY", _unit(1, cny=1)), ("yen JPY ¥", _unit(1, jpy=1)),
    ("rupee INR ₹ Rs", _unit(1, inr=1)), ("ruble rouble ₽ RUB", _unit(1, rub=1)), ("peso MXN", _unit(1, mxn=1)),
    ("unit", _unit(1)),
]  # fmt: skip
_FOREIGN = {
    "厘米": "cm", "公分": "cm", "毫米": "mm", "米": "m", "千米": "km", "公里": "km", "千克": "kg", "公斤": "kg", "克": "g",
    "小时": "h", "分钟": "min", "分": "min", "秒": "s", "天": "day", "年": "year", "元": "yuan", "吨": "ton", "升": "L",
    "毫升": "ml", "度": "degree", "平方米": "m^2", "平方厘米": "cm^2", "立方米": "m^3", "立方厘米": "cm^3", "美元": "dollar",
    "см": "cm", "мм": "mm", "м": "m", "км": "km", "кг": "kg", "г": "g", "ч": "h", "мин": "min", "с": "s",
    "метр": "m", "метров": "m", "метра": "m", "часов": "h", "часа": "h", "час": "h", "минут": "min", "рублей": "ruble",
    "metro": "m", "heure": "h", "hora": "h", "stunde": "h", "stunden": "h", "sekunde": "s", "sekunden": "s",
    "minuten": "min", "jour": "day", "jahre": "year", "año": "year", "année": "year", "segundo": "s", "minuto": "min",
}  # fmt: skip


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for names, unit in _OTHERS:
        table |= dict.fromkeys(names.split(), unit)
    for sign, names, unit, prefixes in _METRIC:
        for name in [sign, *names.split()]:
            table[name] = unit
        for prefix in prefixes:
            scaled = unit._replace(factor=unit.factor * Fraction(_PREFIXES[prefix]))
            table.setdefault(prefix + sign, scaled)
            for long, short in _PREFIX_NAMES.items():
                if short == prefix:
                    table |= {long + name: scaled for name in names.split()}
    for name, meaning in _FOREIGN.items():
        base, _, exponent = meaning.partition("^")
        table[name] = _raised(table[base], int(exponent or 1))
    return table


def _raised(unit: Unit, exponent: int) -> Unit:
    return Unit(unit.factor**exponent, tuple((name, power * exponent) for name, power in unit.dimensions))


_TABLE = _table()
# Names long enough to be no product of variables; the rest is read as a unit only after \text or beside another unit.
WORDS = frozenset(name for name in _TABLE if len(name) > 1)
_TOKENS = re.compile(r"\s*(?:([^\W\d_]+|[°$€£¥¢₹₽][CF]?)|(\^?\s*[-+]?\d+)|([/*.]))")
_LATEX = re.compile(r"\\(?:text|mbox|mathrm|textbf|textrm|mathbf|operatorname|rm|textit|mathit|left|right|quad)(?![A-Za-z])|[{}~$()]|\\[,;:!\s]")
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_AFTER = {"squared": 2, "cubed": 3}
MAX_PHRASE = 80


def _singular(word: str) -> Unit | None:
    """The unit of one word: as it is written, in lower case, without its plural."""
    for form in (word, word.lower()):
        if form in _TABLE:
            return _TABLE[form]
        if len(form) > 3 and form.endswith("s") and form[:-1] in _TABLE:
            return _TABLE[form[:-1]]
        if form in ("lbs", "hrs", "yds", "yrs", "mins", "secs", "gals"):
            return _TABLE[form[:-1]]
    return None


def read_unit(phrase: str) -> Unit | None:
    """The unit that a phrase names; a counted thing where it names no unit; None where it is no phrase at all.

    >>> read_unit("km/h") == read_unit(r"\\mathrm{km}\\cdot\\mathrm{h}^{-1}")
    True
    >>> read_unit("children tickets").noun
    'children ticket'
    """
    if phrase in _TABLE:
        return _TABLE[phrase]
    if len(phrase) > MAX_PHRASE:
        return None
    plain = _LATEX.sub(" ", phrase.replace("\\cdot", "*").replace("\\times", "*").replace("^\\circ", "°").replace("\\%", " "))
    plain = re.sub(r"°\s+(?=[CF]\b)", "°", plain).replace("\\", " ").strip(" .,:")
    return _known(plain) or _noun(plain)


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
        elif exponent:
            if last is None:
                return None
            total, last = _times(total, _raised(last, exponent - 1)), None
        elif word.lower() in _POWERS:
            pending = _POWERS[word.lower()]
        else:
            unit = _singular(word)
            if unit is None:
                return None
            last = _raised(unit, sign * pending)
            total, pending = _times(total, last), 1
    return total if position else None


def _times(left: Unit, right: Unit) -> Unit:
    powers = dict(left.dimensions)
    for name, power in right.dimensions:
        powers[name] = powers.get(name, 0) + power
    return Unit(left.factor * right.factor, tuple(sorted((name, power) for name, power in powers.items() if power)))


_STOP = frozenset(
    ["is", "are", "was", "not", "wrong", "or", "and", "but", "no", "the", "correct", "answer", "because", "since", "so", "then", "maybe", "if", "when", "for", "where", "nor", "neither", "mod", "modulo", "than", "wait", "actually", "hence", "thus", "therefore", "only", "which", "that", "it"]
)


def _noun(plain: str) -> Unit | None:
    words = re.findall(r"[^\W\d_]+", plain.lower())
    if not words or len(words) > 6 or _STOP.intersection(words) or re.search(r"[\d=<>+^_\\]", plain):
        return None
    words[-1] = words[-1][:-1] if len(words[-1]) > 3 and words[-1].endswith("s") else words[-1]
    return Unit(Fraction(1), (), " ".join(words))


def ratio(left: Unit, right: Unit) -> Fraction | None:
    """How many ``right`` make one ``left``; None where they measure different things.

    A counted thing agrees with a shorter or longer name of itself ("ways", "different ways"), and "units" with anything.
    """
    if left.noun or right.noun:
        if not left.noun or not right.noun:
            return Fraction(1) if not (left.dimensions or right.dimensions) else None
        mine, others = set(left.noun.split()), set(right.noun.split())
        return Fraction(1) if mine <= others or others <= mine else None
    if not left.dimensions or not right.dimensions or _bare(left) or _bare(right):
        return Fraction(1)
    return left.factor / right.factor if left.dimensions == right.dimensions else None


def _bare(unit: Unit) -> bool:
    return unit.dimensions == () and unit.factor == 1
