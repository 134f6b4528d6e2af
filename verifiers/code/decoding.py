"""From JSON forms, which may come from a hostile process, to plain values; see ``codec.py`` for the other way.

Size, depth and hash collisions are bounded, because a value is also an attack on the time and the memory of whoever
compares it. This file is read as text and run inside sandboxes too.
"""

import collections
import math
from typing import Any

from .codec import MAX_DEPTH, MAX_HEX_DIGITS, MAX_NODES, TYPES, NotComparable, TooLarge

MAX_COLLISIONS = 64
MAX_DECIMAL_EXPONENT = 20_000
DIGITS_OF_A_NODE = 50_000  # to reduce a fraction takes the product of its lengths: so many times a node's time


def decode(form: Any, *, array: Any = None) -> Any:
    """The value of a JSON form that may come from a hostile process.

    Args:
        form: What ``json.loads`` made of it.
        array: Builds a NumPy array from (dtype name, shape, flat list); None refuses arrays.

    Raises:
        NotComparable: The form is malformed or too large.
    """
    return Decoder(array).whole(form)


class Decoder:
    """Decodes the forms of one message, with one bound on all of them.

    Every part of a form is taken only in the shape that ``encode`` gives it: ``Fraction("1e400000000")`` is a dozen
    characters and hours of work, so that a part of another shape may cost far more than its size.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.nodes = 0

    def whole(self, form: Any) -> Any:
        """The value of a form, see ``decode``."""
        try:
            return self.decode(form, 0)
        except NotComparable:
            raise
        except Exception as error:  # noqa: BLE001  (whatever a hostile form makes of the classes it names)
            raise NotComparable(f"malformed value: {type(error).__name__}") from None

    def decode(self, form: Any, depth: int) -> Any:
        """The value of a form that lies so deep in others."""
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
        """The value of the parts of a form that is no collection."""
        if tag == "i":
            return _integer([tag, *parts])
        if tag == "f":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[parts[0]] * 1.0
        if tag == "s":
            return "".join(map(chr, _listed(parts[0])))
        if tag == "c":
            return complex(*[self._number(part, depth) for part in parts])
        if tag in ("b", "B"):
            return bytes.fromhex(parts[0]) if tag == "b" else bytearray.fromhex(parts[0])
        if tag == "r":
            found = range(*map(_integer, parts))
            if found and (found[-1] - found[0]) // found.step > MAX_NODES:
                raise NotComparable("the range is too long")
            return found
        if tag == "T":
            return TYPES[parts[0]]
        if tag == "Q":
            numerator, denominator = map(_integer, parts)
            self.nodes += numerator.bit_length() * denominator.bit_length() // 16 // DIGITS_OF_A_NODE
            return _fraction(numerator, denominator)
        if tag == "D":
            return _decimal(_short(parts[0], MAX_HEX_DIGITS))
        if tag in ("td", "dt"):
            return _time(tag, parts)
        if tag == "np" and self.array is not None:
            shape, items = [_integer(length) for length in _listed(parts[1])], self.decode(parts[2], depth + 1)
            return self.array(_short(parts[0], 20), shape, _listed(items))
        raise NotComparable("an array or an unknown kind of value")

    def _number(self, form: Any, depth: int) -> float:
        found = self.decode(form, depth + 1)
        if type(found) not in (int, float):
            raise NotComparable("malformed value")
        return float(found)


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


def _integer(form: Any) -> int:
    """The integer of its form; nothing else is taken for one."""
    if type(form) is list and len(form) == 2 and form[0] == "i":
        return int(_short(form[1], MAX_HEX_DIGITS), 16)
    if type(form) is not int:
        raise NotComparable("malformed value")
    return form


def _listed(parts: Any) -> list[Any]:
    if type(parts) is not list:
        raise NotComparable("malformed value")
    return parts


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
        days, seconds, microseconds = map(_integer, parts)
        return timedelta(days, seconds, microseconds)
    kinds: dict[str, Any] = {"datetime": datetime, "date": date, "time": time}
    return kinds[parts[0]].fromisoformat(_short(parts[1], 100))
