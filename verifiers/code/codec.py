"""Values as JSON, strictly: what crosses the border between a policy's process and the judge.

``encode`` may run inside a hostile process, so nothing depends on its honesty. ``decode`` runs outside on whatever
arrived: it builds plain builtins only (and a few plain value types of the standard library), so a decoded value has no
behaviour of its own and Python's operators on it mean what they say. Size, depth and hash collisions are bounded,
because a value is also an attack on the time and the memory of whoever compares it.

This file is read as text and run inside sandboxes too, so it imports nothing but the standard library, and what is
seldom met only when it is met.
"""

import collections
import math
from typing import Any

MAX_NODES = 400_000
MAX_DEPTH = 120
MAX_HEX_DIGITS = 20_000
MAX_LINE = 8 << 20  # bytes of one encoded value on a channel
MAX_COLLISIONS = 64
MAX_DECIMAL_EXPONENT = 20_000
TYPES: dict[str, type] = {
    t.__name__: t
    for t in (bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, object, type)
}
_SEQUENCES = ((list, "l"), (tuple, "t"), (set, "S"), (frozenset, "F"), (collections.deque, "q"))
_VIEWS: tuple[tuple[type, str], ...] = ((type({}.keys()), "dk"), (type({}.values()), "dv"), (type({}.items()), "di"))


class NotComparable(Exception):
    """A value that cannot cross: too large, too deep, cyclic, or of a kind that has no plain content."""


class TooLarge(NotComparable):
    """A value that cannot cross because there is too much of it."""


def encode(value: Any) -> Any:
    """The JSON form of a value. Subclasses of builtins are taken by their real content, never by what they claim.

    Raises:
        NotComparable: The value has no plain content, or too much of it.
    """
    return _Encoder().encode(value, 0)


def decode(form: Any, *, array: Any = None) -> Any:
    """The value of a JSON form that may come from a hostile process.

    Args:
        form: What ``json.loads`` made of it.
        array: Builds a NumPy array from (dtype name, shape, flat list); None refuses arrays.

    Raises:
        NotComparable: The form is malformed or too large.
    """
    try:
        return _Decoder(array).decode(form, 0)
    except NotComparable:
        raise
    except (ValueError, TypeError, ArithmeticError, IndexError, KeyError, RecursionError, AttributeError) as error:
        raise NotComparable(f"malformed value: {type(error).__name__}") from None


class _Encoder:
    def __init__(self) -> None:
        self.nodes = 0

    def encode(self, x: Any, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooLarge("the value is too large")
        if depth > MAX_DEPTH:
            raise TooLarge("the value is nested too deeply, or contains itself")
        kind = type(x)
        if x is None or kind is bool:
            return x
        if kind is int:
            return x if -(1 << 60) < x < 1 << 60 else ["i", format(x, "x")]
        if kind is str:
            return x if x.isascii() or not any("\ud800" <= c <= "\udfff" for c in x) else ["s", [ord(c) for c in x]]
        if kind is float:
            return x if math.isfinite(x) else ["f", repr(x)]
        for base, tag in _SEQUENCES:
            if issubclass(kind, base):
                return [tag, *[self.encode(item, depth + 1) for item in base.__iter__(x)]]
        if issubclass(kind, dict):
            return ["d", *[[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in dict.items(x)]]
        return self.scalar(x, kind, depth)

    def scalar(self, x: Any, kind: type, depth: int) -> Any:
        for base in (int, float, str, complex):
            if issubclass(kind, base) and kind is not base:
                return self.encode(_plain(x, base), depth)
        if kind is complex:
            return ["c", self.encode(x.real, depth), self.encode(x.imag, depth)]
        if issubclass(kind, bytes):
            return ["b", bytes.hex(x)]
        if issubclass(kind, bytearray):
            return ["B", bytearray.hex(x)]
        if kind is range:
            return ["r", *[self.encode(part, depth) for part in (x.start, x.stop, x.step)]]
        if kind is type and x in TYPES.values():
            return ["T", x.__name__]
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name == "decimal.Decimal":
            return ["D", str(x)]
        if name == "fractions.Fraction":
            return ["Q", self.encode(x.numerator, depth), self.encode(x.denominator, depth)]
        if name == "datetime.timedelta":
            return ["td", x.days, x.seconds, x.microseconds]
        if name in ("datetime.datetime", "datetime.date", "datetime.time"):
            return ["dt", kind.__name__, x.isoformat()]
        for view, tag in _VIEWS:
            if kind is view:
                items = [self.encode(item, depth + 1) for item in x]
                return [tag, *[item[1:] for item in items]] if tag == "di" else [tag, *items]
        if kind.__module__.partition(".")[0] == "numpy":
            return self.numpy(x, depth)
        if hasattr(kind, "__next__") and hasattr(kind, "__iter__"):
            return ["it", *[self.encode(item, depth + 1) for item in x]]
        raise NotComparable(f"a {name} has no plain content")

    def numpy(self, x: Any, depth: int) -> Any:
        import numpy  # the program has imported it already: this is its value

        if isinstance(x, numpy.generic):
            return self.encode(x.item(), depth)
        if type(x) is numpy.ndarray and x.dtype.kind in "biufcU":
            return ["np", str(x.dtype), list(x.shape), self.encode(x.ravel().tolist(), depth + 1)]
        raise NotComparable(f"a {type(x).__name__} has no plain content")


class _Decoder:
    def __init__(self, array: Any) -> None:
        self.array = array
        self.nodes = 0

    def decode(self, form: Any, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH + 5:
            raise TooLarge("the value is too large or nested too deeply")
        kind = type(form)
        if form is None or kind is bool or kind is str or kind is int:
            return form
        if kind is float:
            if math.isfinite(form):
                return form
            raise NotComparable("a number that JSON does not have")
        if kind is not list or not form or type(form[0]) is not str:
            raise NotComparable("malformed value")
        tag = form[0]
        if tag in ("l", "t", "q", "it", "S", "F", "dv", "dk"):
            items = [self.decode(item, depth + 1) for item in form[1:]]
            return _collection(tag, items)
        if tag in ("d", "di"):
            pairs = [(self.decode(k, depth + 1), self.decode(v, depth + 1)) for k, v in form[1:]]
            refuse_collisions([k for k, _ in pairs])
            return dict(pairs) if tag == "d" else dict(pairs).items()
        return self.scalar(tag, form[1:], depth)

    def scalar(self, tag: str, parts: list[Any], depth: int) -> Any:
        if tag == "i":
            return int(_short(parts[0], MAX_HEX_DIGITS), 16)
        if tag == "f":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[parts[0]] * 1.0
        if tag == "s":
            return "".join(map(chr, parts[0]))
        if tag == "c":
            return complex(*[float(self.decode(part, depth)) for part in parts])
        if tag in ("b", "B"):
            return bytes.fromhex(parts[0]) if tag == "b" else bytearray.fromhex(parts[0])
        if tag == "r":
            found = range(*[self.decode(part, depth) for part in parts])
            if found and (found[-1] - found[0]) // found.step > MAX_NODES:
                raise NotComparable("the range is too long")
            return found
        if tag == "T":
            return TYPES[parts[0]]
        if tag == "Q":
            return _fraction(self.decode(parts[0], depth), self.decode(parts[1], depth))
        if tag == "D":
            return _decimal(_short(parts[0], MAX_HEX_DIGITS))
        if tag in ("td", "dt"):
            return _time(tag, parts)
        if tag == "np" and self.array is not None:
            return self.array(_short(parts[0], 20), parts[1], self.decode(parts[2], depth + 1))
        raise NotComparable("an array or an unknown kind of value")


def _plain(x: Any, base: Any) -> Any:
    """The content of an instance of a subclass, read by the base class's own methods."""
    if base is str:
        return "".join(str.__iter__(x))
    if base is complex:
        return complex.__add__(x, 0j)
    return base.__pos__(x) if base is float else base.__add__(x, 0)


def _collection(tag: str, items: list[Any]) -> Any:
    if tag == "l":
        return items
    if tag == "t":
        return tuple(items)
    if tag == "q":
        return collections.deque(items)
    if tag == "it":
        return iter(items)
    if tag == "dv":
        return dict(enumerate(items)).values()
    refuse_collisions(items)
    if tag == "dk":
        return dict.fromkeys(items).keys()
    return set(items) if tag == "S" else frozenset(items)


def refuse_collisions(items: list[Any]) -> None:
    """Refuse what would make a hash table quadratic: a program can choose integers that all hash alike."""
    if len(items) > MAX_COLLISIONS:
        counts = collections.Counter(map(hash, items))
        worst, count = counts.most_common(1)[0]
        if count > MAX_COLLISIONS and len({repr(item) for item in items if hash(item) == worst}) > MAX_COLLISIONS:
            raise NotComparable("too many elements hash alike")


def _short(text: Any, length: int) -> str:
    if type(text) is not str or len(text) > length:
        raise NotComparable("malformed or too long")
    return text


def _decimal(text: str) -> Any:
    from decimal import Decimal

    found = Decimal(text)
    if found.is_finite() and abs(found.adjusted()) > MAX_DECIMAL_EXPONENT:
        raise NotComparable("the exponent is too large")
    return found


def _fraction(numerator: int, denominator: int) -> Any:
    from fractions import Fraction

    return Fraction(numerator, denominator)


def _time(tag: str, parts: list[Any]) -> Any:
    from datetime import date, datetime, time, timedelta

    if tag == "td":
        return timedelta(*parts)
    kinds: dict[str, Any] = {"datetime": datetime, "date": date, "time": time}
    return kinds[parts[0]].fromisoformat(_short(parts[1], 100))
