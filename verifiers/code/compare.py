"""Equality of what a program returned or printed and what was expected, decided outside of its process."""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from ...errors import InputError

_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+(?:\.0*)?\Z", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?\Z|[+-]?(?:inf|infinity)\Z", re.ASCII | re.IGNORECASE
)
_LONGEST_NUMBER = 1000


def same_value(expected: Any, found: Any, tolerance: float = 0.0) -> bool:
    """Whether a plain value is the expected one. Types must match: True is not 1, 1 is not 1.0, a list is no tuple.

    Args:
        expected: What the suite says.
        found: What the program returned, decoded.
        tolerance: Largest absolute or relative difference of two floats, as ``math.isclose`` takes them; 0 is exact.

    >>> same_value([1, 2.0], [1, 2.0000001], tolerance=1e-6), same_value(1, True), same_value((1,), [1])
    (True, False, False)
    >>> same_value(float("nan"), float("nan"))
    False
    """
    if type(expected) is not type(found):
        return False
    if isinstance(expected, float):
        return expected == found or (
            tolerance > 0 and math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance)
        )
    if isinstance(expected, (list, tuple, deque)):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(same_value(a, b, tolerance) for a, b in pairs)
    if isinstance(expected, dict):
        if len(expected) != len(found):
            return False
        keys = {(type(key), key): value for key, value in found.items()}
        missing = object()
        return all(same_value(value, keys.get((type(key), key), missing), tolerance) for key, value in expected.items())
    if isinstance(expected, (set, frozenset)):
        return {(type(item), item) for item in expected} == {(type(item), item) for item in found}
    return bool(expected == found)


def same_exactly(expected: str, found: str) -> bool:
    """Every character counts."""
    return expected == found


def same_lines(expected: str, found: str) -> bool:
    """Line by line; white space at the end of lines, blank lines at the end and the kind of line end do not count."""
    return _lines(expected) == _lines(found)


def same_lines_unordered(expected: str, found: str) -> bool:
    """The same lines, each as often, in any order."""
    return Counter(_lines(expected)) == Counter(_lines(found))


def same_tokens(expected: str, found: str) -> bool:
    """The same words in the same order; white space between them does not count."""
    return expected.split() == found.split()


def same_numbers(expected: str, found: str, tolerance: float = 0.0) -> bool:
    """As ``same_tokens``, with numbers compared as numbers: integers exactly, all others within the tolerance.

    >>> same_numbers("1 0.5", "1.0 0.50000001", 1e-6), same_numbers("10", "11", 0.5), same_numbers("nan", "nan", 1.0)
    (True, False, False)
    """
    wanted, given = expected.split(), found.split()
    pairs = zip(wanted, given, strict=False)
    return len(wanted) == len(given) and all(_same_number(a, b, tolerance) for a, b in pairs)


def _same_number(expected: str, found: str, tolerance: float) -> bool:
    if expected.lower() in ("nan", "+nan", "-nan"):
        return False
    if expected == found:
        return True
    if max(len(expected), len(found)) > _LONGEST_NUMBER:
        return False
    if _INTEGER.match(expected) and _INTEGER.match(found):
        return int(expected) == int(found)
    if not (_NUMBER.match(expected) and _NUMBER.match(found)):
        return False
    if _whole(expected) and _whole(found):  # 3.0 for 3: still an integer, and compared as one
        return Decimal(expected) == Decimal(found)
    a, b = float(expected), float(found)
    if math.isinf(a) or math.isinf(b):  # as written, or too large for a float: then only the same value will do
        return Decimal(expected) == Decimal(found)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def _whole(text: str) -> bool:
    """Whether a number's text is written as a whole one: digits, and nothing but zeros after a point."""
    return _WHOLE.match(text) is not None


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


OUTPUT_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "exact": same_exactly,
    "lines": same_lines,
    "tokens": same_tokens,
    "numbers": same_numbers,
    "unordered": same_lines_unordered,
}


def output_comparison(name: str, tolerance: float) -> Callable[[str, str], bool]:
    """The comparison of outputs called ``name``.

    Raises:
        InputError: Nothing is called so.
    """
    if name not in OUTPUT_COMPARISONS:
        raise InputError(f"no comparison of outputs is called {name!r}; there are {', '.join(OUTPUT_COMPARISONS)}")
    return partial(same_numbers, tolerance=tolerance) if name == "numbers" else OUTPUT_COMPARISONS[name]


def has_nan(value: Any) -> bool:
    """Whether a value holds a NaN, which nothing equals."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, complex):
        return has_nan(value.real) or has_nan(value.imag)
    if isinstance(value, dict):
        return any(has_nan(key) or has_nan(item) for key, item in value.items())
    return isinstance(value, (list, tuple, set, frozenset, deque)) and any(map(has_nan, value))


def shorten(value: Any, length: int = 160) -> str:
    """A value's text for a report, cut."""
    parts = (
        value[:50]
        if isinstance(value, (str, list, tuple)) and len(value) > 50 and not isinstance(value, str)
        else value
    )
    try:
        text = repr(parts[: 2 * length] if isinstance(parts, str) else parts)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= length else f"{text[:length]}…"
