"""Numbers out of range, refused in the same words wherever an argument is checked.

Arguments are given by name, so that the message can name them::

    at_least(1, samples=samples, batch_size=batch_size)
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from .errors import InputError


def at_least(least: int, /, **counts: Any) -> None:
    """Refuse what is no whole number, or a smaller one than ``least``.

    Raises:
        InputError: The first that is out of range is named.

    >>> at_least(1, samples=0)
    Traceback (most recent call last):
        ...
    assay.errors.InputError: samples is 0; expected a whole number of at least 1
    """
    for name, value in counts.items():
        if not _is(value, Integral) or value < least:
            raise InputError(f"{name} is {value!r}; expected a whole number of at least {least}")


def positive(**numbers: Any) -> None:
    """Refuse what is no number above 0; infinity is one.

    Raises:
        InputError: The first that is out of range is named.
    """
    for name, value in numbers.items():
        if not _is(value, Real) or not value > 0:
            raise InputError(f"{name} is {value!r}; expected a positive number")


def share(**numbers: Any) -> None:
    """Refuse what does not lie in (0, 1].

    Raises:
        InputError: The first that is out of range is named.
    """
    for name, value in numbers.items():
        if not _is(value, Real) or not 0 < value <= 1:
            raise InputError(f"{name} is {value!r}; expected a share in (0, 1]")


def fraction(**numbers: Any) -> None:
    """Refuse what does not lie in [0, 1].

    Raises:
        InputError: The first that is out of range is named.
    """
    for name, value in numbers.items():
        if not _is(value, Real) or not 0 <= value <= 1:
            raise InputError(f"{name} is {value!r}; expected a number in [0, 1]")


def _is(value: Any, kind: type) -> bool:
    """Whether a number is of a kind, those of NumPy included."""
    return isinstance(value, kind)
