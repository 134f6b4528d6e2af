"""Known functions on balls, over the reals and over the complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb


class NoValue(Exception):
    """The expression has no number as its value at this point, or none that is computed here."""


def _plain(name: str) -> Callable[[Any, type], Any]:
    return lambda ball, _ring: getattr(ball, name)()


def _real(name: str) -> Callable[[Any, type], Any]:
    def call(ball: Any, ring: type) -> Any:
        if ring is arb:
            return getattr(ball, name)()
        return acb(getattr(ball.real, name)()) if ball.imag == 0 else acb("nan")

    return call


FUNCTIONS: dict[str, Callable[[Any, type], Any]] = {
    **{name: _plain(name) for name in "sin cos tan cot sec csc sinh cosh tanh coth sech csch exp gamma erf".split()},
    "ln": lambda ball, ring: ball.log(),
    "abs": lambda ball, ring: ring(abs(ball)),
    "norm": lambda ball, ring: ring(abs(ball)),
    "arcsin": lambda ball, ring: ball.asin(),
    "arccos": lambda ball, ring: ball.acos(),
    "arctan": lambda ball, ring: ball.atan(),
    "arccot": lambda ball, ring: ring.pi() / 2 - ball.atan(),  # type: ignore[attr-defined]
    "arcsec": lambda ball, ring: (1 / ball).acos(),
    "arccsc": lambda ball, ring: (1 / ball).asin(),
    "arcsinh": lambda ball, ring: ball.asinh(),
    "arccosh": lambda ball, ring: ball.acosh(),
    "arctanh": lambda ball, ring: ball.atanh(),
    "factorial": lambda ball, ring: (ball + 1).gamma(),
    "floor": _real("floor"),
    "ceil": _real("ceil"),
    "sgn": lambda ball, ring: ball.sgn(),
    "zeta": lambda ball, ring: ball.zeta(),
    "conjugate": lambda ball, ring: ball.conjugate() if ring is acb else ball,
    "cis": lambda ball, ring: (ball * acb(0, 1)).exp() if ring is acb else _needs_complex(),
    "arg": lambda ball, ring: acb(acb(ball).arg()) if ring is acb else _needs_complex(),
}  # fmt: skip


def _needs_complex() -> Any:
    raise NoValue("a complex function")
