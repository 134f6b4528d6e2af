"""Values as JSON, strictly: what crosses the border between a policy's process and the judge.

``encode`` may run inside a hostile process, so nothing depends on its honesty. ``decoding.decode`` runs outside on
whatever arrived: it builds plain builtins only (and a few plain value types of the standard library), so a decoded
value has no behaviour of its own and Python's operators on it mean what they say.

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
ARRAY_TYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()  # noqa: SIM905
)  # of NumPy's: what goes through Python's own numbers and comes back the same
MAX_ARRAY_TEXT = 1000  # characters of an element in an array of texts, which all take the room of the longest
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
    return Encoder().encode(value, 0)


class Encoder:
    """Encodes the values of one message, with one bound on all of them."""

    def __init__(self) -> None:
        self.nodes = 0

    def encode(self, x: Any, depth: int) -> Any:
        """The form of a value that lies so deep in others."""
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
        """The form of what is no collection, or seldom one."""
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
        """The form of what NumPy made."""
        import numpy  # the program has imported it already: this is its value

        if isinstance(x, numpy.generic):
            item = x.item()
            if not isinstance(item, numpy.generic):  # a long double's is itself
                return self.encode(item, depth)
        if type(x) is numpy.ndarray:
            name = str(x.dtype.newbyteorder("="))
            if is_array_type(name):
                return ["np", name, list(x.shape), self.encode(x.ravel().tolist(), depth + 1)]
        raise NotComparable(f"a {type(x).__name__} has no plain content")


def is_array_type(name: str) -> bool:
    """Whether arrays of a NumPy type, by its name, cross: never ask NumPy, whose names are a language of their own."""
    length = name.removeprefix("<U").removeprefix(">U")
    return name in ARRAY_TYPES or (length != name and length.isdecimal() and int(length[:5]) <= MAX_ARRAY_TEXT)


def _plain(x: Any, base: Any) -> Any:
    """The content of an instance of a subclass, read by the base class's own methods."""
    if base is str:
        return "".join(str.__iter__(x))
    if base is complex:
        return complex.__add__(x, 0j)
    return base.__pos__(x) if base is float else base.__add__(x, 0)
