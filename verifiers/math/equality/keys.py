"""Strings that equal values share, for counting votes."""

from __future__ import annotations

from flint import acb, ctx

from ..tree import Node, symbols, walk
from .balls import Balls, NoValue
from .exact import rational
from .points import sample
from .polynomials import normal_form, zeros_form
from .structure import canonical
from .values import precision

KEY_BITS = 512
KEY_DIGITS = 30
APPROXIMATE_DIGITS = 9  # a longer decimal may be equal to what it approximates, so it has no key


def value_key(node: Node) -> str | None:
    """The key of an expression: its rational value, its normal form, or thirty digits of it at fixed points.

    Returns:
        None where equal expressions could get different keys: for long decimals, and where nothing can be computed.
    """
    if any(found.op == "dec" and found.value[1] >= APPROXIMATE_DIGITS for found in walk(node)):
        return None
    names = sorted(symbols(node))
    if not names:
        value = rational(node)
        if value is not None:
            return str(value)
        if node.op in ("const", "neg") and all(found.op in ("const", "neg") for found in walk(node)):
            return repr(canonical(node))
    else:
        form = normal_form(node, names)
        if form is not None:
            return form
    return _digits(node, names)


def equation_key(difference: Node) -> str | None:
    """The key of an equation between rational functions: its polynomial up to a factor."""
    form = zeros_form(difference, sorted(symbols(difference)))
    return None if form is None else f"{form} = 0"


def _digits(node: Node, names: list[str]) -> str | None:
    """Digits of the value at two points that never change; None where a ball is too wide to round."""
    written = []
    with precision():
        ctx.prec = KEY_BITS
        for index in (0, 2) if names else (0,):
            values = sample(names, "key", index, integers=True, secret=b"assay canonical keys")
            try:
                ball = acb(Balls(values, acb, 99).value(node))
            except (NoValue, ValueError, ZeroDivisionError, OverflowError):
                return None
            if not ball.is_finite():
                return None
            for part in (ball.real, ball.imag):
                text = _rounded(part)
                if text is None:
                    return None
                written.append(text)
    return " ".join([*names, *written])


def _rounded(part: object) -> str | None:
    """The digits of one real ball; zero for a narrow ball around it, None where the rounding is not certain."""
    from flint import arb

    assert isinstance(part, arb)
    if part.contains(0):
        return "0" if part.rad() < arb(10) ** -60 else None
    if part.rel_accuracy_bits() < 300:
        return None
    return str(part.str(KEY_DIGITS, radius=False))
