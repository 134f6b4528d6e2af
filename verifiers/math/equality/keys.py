"""Strings that equal values share and different ones do not, for counting votes.

A key is the value itself, or a hundred and twenty digits of it at three points that never change: two rational numbers
of up to 80 bits that agree so far are the same. Where two answers can be equal without sharing digits, neither has
a key.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from flint import acb, arb, ctx, fmpq

from ..tree import Node, symbols, walk
from .balls import Balls, precision
from .borders import has_pieces
from .exact import rational
from .functions import NoValue
from .integers import DISCRETE
from .polynomials import zeros_form
from .structure import canonical

KEY_BITS = 768
KEY_DIGITS = 120
SMALL_BITS = 80
APPROXIMATE_DIGITS = 9  # a longer decimal may be equal to what it approximates, so it has no key
_LARGEST = 10**25


def value_key(node: Node) -> str | None:
    """The key of an expression.

    Returns:
        None where equal expressions could get different keys: for long decimals, for sums and factorials of names, for
        what is made of pieces, what is not real at some of the points, and where nothing can be computed.
    """
    found = list(walk(node))
    if any(part.op == "dec" and part.value[1] >= APPROXIMATE_DIGITS for part in found):
        return None
    names = sorted(symbols(node))
    if names and has_pieces(node):
        return None
    if names and any(part.op == "big" or (part.op == "fn" and part.value in DISCRETE) for part in found):
        return None
    if all(part.op in ("const", "neg") for part in found) and any(part.value == "inf" for part in found):
        return repr(canonical(node))
    value = rational(node) if not names else None
    if value is not None and max(value.p.bit_length(), value.q.bit_length()) > SMALL_BITS:
        return str(value)
    complex_only = any(part.op == "const" and part.value == "i" for part in found)
    return _digits(node, names, acb if complex_only else arb)


def equation_key(difference: Node) -> str | None:
    """The key of an equation between rational functions: its polynomial up to a factor."""
    form = zeros_form(difference, sorted(symbols(difference)))
    return None if form is None else f"{form} = 0"


def _digits(node: Node, names: list[str], ring: type) -> str | None:
    """Digits of the value at each point; None where it has none, or a ball is too wide to round."""
    written = []
    with precision():
        ctx.prec = KEY_BITS
        for index in range(3 if names else 1):
            try:
                balls = Balls({name: _point(name, index) for name in names}, ring)
                ball = acb(balls.value(node))
            except (NoValue, ValueError, ZeroDivisionError, OverflowError):
                return None
            if balls.lossy or not ball.is_finite() or not abs(ball) < _LARGEST:
                return None
            parts = [_rounded(part) for part in (ball.real, ball.imag)]
            if parts[0] is None or parts[1] is None:
                return None
            written.append(parts[0] if parts[1] == "0" else f"{parts[0]} + {parts[1]}i")
    return written[0] if len(set(written)) == 1 else " | ".join(written)


def _point(name: str, index: int) -> Any:
    """A fraction of magnitude between 1/3 and 4, the second point negative."""
    draw = int.from_bytes(
        blake2b(f"key {index} {name}".encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
    top, bottom = 700 + draw % 2203, 701 + (draw >> 16) % 1291
    return fmpq(-top if index == 1 else top, bottom)


def _rounded(part: Any) -> str | None:
    """The digits of one real ball; zero for a narrow ball around it, None where the rounding is not certain."""
    if part.contains(0):
        return "0" if part.rad() < arb(10) ** (-2 * KEY_DIGITS) else None
    if part.rel_accuracy_bits() < KEY_BITS // 2:
        return None
    return str(part.str(KEY_DIGITS, radius=False))
