"""Operators, functions and methods that the safe interpreter lends to tests, bounded in time and memory.

Their arguments hold values that a policy chose: ``x * n``, ``round(x, n)`` or ``set(x)`` on such values may ask for
gigabytes, hours, or a hash table in which everything collides. What is too much raises ``TooMuch`` here.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from numbers import Rational
from typing import Any

from .codec import MAX_NODES, NotComparable
from .decoding import refuse_collisions

MAX_BITS = 400_000
MAX_LENGTH = 8_000_000
_SIZED = (str, bytes, bytearray, list, tuple)


class TooMuch(Exception):
    """An operation on a program's values would take too long or too much memory."""


def _power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    if modulus is not None:
        return pow(base, exponent, modulus)
    if isinstance(base, Rational) and isinstance(exponent, int):
        bits = max(int(base.numerator).bit_length(), int(base.denominator).bit_length())
        if abs(exponent) * max(1, bits) > MAX_BITS:
            raise TooMuch("the power is too large")
    return base**exponent


def _multiply(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, _SIZED) and isinstance(count, int) and len(sequence) * count > MAX_LENGTH:
            raise TooMuch("the repetition is too long")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, (str, bytes, bytearray)):
        raise TooMuch("formatting with % is not evaluated")
    return left % right


def _shift(left: Any, right: Any) -> Any:
    if isinstance(right, int) and right > MAX_BITS:
        raise TooMuch("the shift is too long")
    return left << right


def _range(*arguments: Any) -> range:
    found = range(*arguments)
    if found and (found[-1] - found[0]) // found.step > MAX_NODES:
        raise TooMuch("the range is too long")
    return found


def _sum(items: Iterable[Any], start: Any = 0) -> Any:
    if isinstance(start, (str, list, tuple)):
        raise TooMuch("sum of sequences is not evaluated")
    found = list(items)
    fractions = [item for item in found if isinstance(item, Rational) and not isinstance(item, int)]
    if sum(int(item.denominator).bit_length() for item in fractions) > MAX_BITS:
        raise TooMuch("the common denominator is too large")
    return sum(found, start)


def _round(number: Any, digits: int | None = None) -> Any:
    if digits is not None and abs(digits) > 1000:
        raise TooMuch("rounding to so many digits is not evaluated")
    return round(number, digits)


def _bytes(*arguments: Any) -> bytes:
    if arguments and isinstance(arguments[0], int) and arguments[0] > MAX_LENGTH:
        raise TooMuch("the bytes are too long")
    return bytes(*arguments)


def hashable(items: Iterable[Any]) -> list[Any]:
    """The items as a list, refused where a hash table of them would be slow to build."""
    found = list(items)
    try:
        refuse_collisions(found)
    except NotComparable as error:
        raise TooMuch(str(error)) from None
    return found


def _dict(*arguments: Any, **keywords: Any) -> dict[Any, Any]:
    if arguments and not isinstance(arguments[0], dict):
        pairs = [tuple(pair) for pair in arguments[0]]
        hashable(pair[0] for pair in pairs)
        return dict(pairs, **keywords)
    return dict(*arguments, **keywords)


def _join(separator: str, items: Iterable[str]) -> str:
    found = list(items)
    if len(separator) * len(found) > MAX_LENGTH:
        raise TooMuch("the joined text is too long")
    return separator.join(found)


def _replace(text: str, old: str, new: str, *count: int) -> str:
    if text.count(old) * len(new) > MAX_LENGTH:
        raise TooMuch("the replaced text is too long")
    return text.replace(old, new, *count)


def _factorial(number: int) -> int:
    if number > 10_000:
        raise TooMuch("the factorial is too large")
    return math.factorial(number)


BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: _multiply, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: _modulo, ast.Pow: _power, ast.LShift: _shift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda item, items: item in items, ast.NotIn: lambda item, items: item not in items,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (abs, all, any, bin, bool, chr, complex, divmod, enumerate, float, hex, int, isinstance,
                               iter, len, list, max, min, next, oct, ord, repr, reversed, sorted, str, tuple, zip)},
    "bytes": _bytes, "bytearray": lambda *a: bytearray(_bytes(*a)), "dict": _dict, "pow": _power, "range": _range,
    "round": _round, "sum": _sum, "set": lambda *a: set(*map(hashable, a)),
    "frozenset": lambda *a: frozenset(*map(hashable, a)), "type": lambda value: type(value),
}  # fmt: skip
MODULES: Mapping[str, Mapping[str, Any]] = {
    "math": {
        **{name: getattr(math, name) for name in (
            "pi", "e", "inf", "nan", "tau", "isclose", "sqrt", "floor", "ceil", "trunc", "fabs", "radians", "degrees",
            "sin", "cos", "tan", "atan", "log", "log2", "log10", "exp", "isnan", "isinf", "isfinite", "pow", "hypot",
            "dist", "fsum", "gcd", "isqrt")},
        "factorial": _factorial,
    },
    "cmath": {"isclose": cmath.isclose, "rect": cmath.rect, "phase": cmath.phase, "polar": cmath.polar},
}  # fmt: skip
METHODS: Mapping[type, Mapping[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in (
            "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "startswith", "endswith",
            "count", "find", "index", "isalpha", "isdigit", "isupper", "islower", "isspace", "isalnum", "title",
            "capitalize", "swapcase", "casefold")},
        "join": _join, "replace": _replace,
    },
    bytes: {"hex": bytes.hex, "startswith": bytes.startswith, "endswith": bytes.endswith},
    list: {"count": list.count, "index": list.index, "copy": list.copy},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {"keys": dict.keys, "values": dict.values, "items": dict.items, "get": dict.get, "copy": dict.copy},
    set: {name: getattr(set, name) for name in ("issubset", "issuperset", "union", "intersection", "difference",
                                                "isdisjoint", "symmetric_difference", "copy")},
    frozenset: {name: getattr(frozenset, name) for name in ("issubset", "issuperset", "union", "isdisjoint")},
    int: {"bit_length": int.bit_length},
    float: {"is_integer": float.is_integer},
}  # fmt: skip
