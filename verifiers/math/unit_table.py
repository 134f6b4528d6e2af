"""Units of measurement by name: dimensions and exact factors.

Factors come from the SI brochure (9th edition, 2019) and, for customary units, from NIST Special Publication 811,
appendix B.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

Dimensions = tuple[tuple[str, int], ...]


class Unit(NamedTuple):
    """A unit: how many base units it is, of which dimensions; ``noun`` names a counted thing instead.

    ``form`` says whether the noun has the shape of a counted thing: of many, of one, or of none ("4 never"). Of a unit
    without a noun it is the other dimension that its name may have: pounds are money too, and ¥ are yuan.
    """

    factor: Fraction
    dimensions: Dimensions
    noun: str = ""
    form: str = ""


def _unit(factor: str | int, **dimensions: int) -> Unit:
    return Unit(Fraction(factor), tuple(sorted(dimensions.items())))


_PREFIXES = {"k": "1000", "c": "1/100", "m": "1/1000", "M": "1000000", "G": "1000000000", "d": "1/10", "h": "100",
             "n": "1/1000000000", "u": "1/1000000", "p": "1/1000000000000"}  # fmt: skip
_PREFIX_NAMES = {
    "kilo": "k",
    "centi": "c",
    "milli": "m",
    "mega": "M",
    "giga": "G",
    "deci": "d",
    "nano": "n",
    "micro": "u",
}
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
    ("mph", _unit("1397/3125", length=1, time=-1)), ("kph kmh kmph", _unit("5/18", length=1, time=-1)),
    ("lb", _unit("45359237/100000000", mass=1)),
    ("pound", _unit("45359237/100000000", mass=1)._replace(form="gbp")),
    ("ounce oz", _unit("45359237/1600000000", mass=1)),
    ("ton tonne t", _unit(1000, mass=1)), ("acre", _unit("316160658/78125", length=2)),
    ("hectare ha", _unit(10000, length=2)), ("gallon gal", _unit("473176473/125000000000", length=3)),
    ("quart qt", _unit("473176473/500000000000", length=3)), ("pint pt", _unit("473176473/1000000000000", length=3)),
    ("l", _unit("1/1000", length=3)), ("ml mL cc", _unit("1/1000000", length=3)),
    ("rpm", _unit("1/60", time=-1)), ("bit", _unit(1, bit=1)),
    ("ohm Omega Ω", _unit(1, mass=1, length=2, time=-3, current=-2)),
    ("degree deg °", _unit(1, angle=1)), ("radian rad", _unit(1, radian=1)),
    ("°C celsius", _unit(1, celsius=1)), ("°F fahrenheit", _unit(1, fahrenheit=1)),
    ("dollar USD buck $", _unit(1, usd=1)), ("cent ¢ penny pennie", _unit("1/100", usd=1)),
    ("euro EUR €", _unit(1, eur=1)),
    ("£ GBP", _unit(1, gbp=1)), ("yuan RMB CNY", _unit(1, cny=1)), ("yen JPY", _unit(1, jpy=1)),
    ("¥", _unit(1, jpy=1)._replace(form="cny")),
    ("rupee INR ₹ Rs", _unit(1, inr=1)), ("ruble rouble ₽ RUB", _unit(1, rub=1)), ("peso MXN", _unit(1, mxn=1)),
    ("unit", _unit(1)),
    ("Wh", _unit(3600, mass=1, length=2, time=-2)), ("kWh kilowatthour", _unit(3600000, mass=1, length=2, time=-2)),
    ("MWh", _unit(3600000000, mass=1, length=2, time=-2)),
    ("cal calorie", _unit("523/125", mass=1, length=2, time=-2)),
    ("kcal kilocalorie", _unit(4184, mass=1, length=2, time=-2)),
    ("kPa", _unit(1000, mass=1, length=-1, time=-2)), ("atm atmosphere", _unit(101325, mass=1, length=-1, time=-2)),
    ("mmHg torr", _unit("20265/152", mass=1, length=-1, time=-2)),
    ("henry henrie", _unit(1, mass=1, length=2, time=-2, current=-2)),
    ("weber Wb", _unit(1, mass=1, length=2, time=-2, current=-1)),
    ("angstrom Å", _unit("1/10000000000", length=1)), ("AU", _unit(149597870700, length=1)),
    ("nauticalmile", _unit(1852, length=1)), ("knot", _unit("463/900", length=1, time=-1)),
    ("cup", _unit("473176473/2000000000000", length=3)), ("floz", _unit("473176473/16000000000000", length=3)),
    ("tablespoon tbsp", _unit("473176473/32000000000000", length=3)),
    ("teaspoon tsp", _unit("473176473/96000000000000", length=3)), ("kmol kilomole", _unit(1000, amount=1)),
    ("won KRW ₩", _unit(1, krw=1)), ("franc CHF", _unit(1, chf=1)),
]  # fmt: skip
_FOREIGN = {
    "厘米": "cm", "公分": "cm", "毫米": "mm", "米": "m", "千米": "km", "公里": "km", "千克": "kg", "公斤": "kg",
    "克": "g",
    "小时": "h", "分钟": "min", "分": "min", "秒": "s", "天": "day", "年": "year", "元": "yuan", "吨": "ton", "升": "L",
    "毫升": "ml", "度": "degree", "平方米": "m^2", "平方厘米": "cm^2", "立方米": "m^3", "立方厘米": "cm^3",
    "美元": "dollar",
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
        table[name] = raised(table[base], int(exponent or 1))
    return table


def raised(unit: Unit, exponent: int) -> Unit:
    """A power of a unit."""
    return Unit(unit.factor**exponent, tuple((name, power * exponent) for name, power in unit.dimensions))


UNITS = _table()
