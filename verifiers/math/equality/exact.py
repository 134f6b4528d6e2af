"""Exact values: rational numbers under a budget of bits."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

from flint import fmpq, fmpz

from ..tree import Node

MAX_BITS = 300_000  # of one number; above it equality is left to residues and balls
WORK_BITS = 3_000_000  # of all numbers that one evaluation makes
MAX_TERMS = 2000  # of a sum or a product
MAX_TERMS_TOGETHER = 10_000  # of all sums and products of one judgement
MAX_FACTORIAL = 20_000


class NotExact(Exception):
    """The expression has no rational value, or one too large to write down."""


class _Terms(threading.local):
    """How many more terms of sums and products may be added up in this thread."""

    left = MAX_TERMS_TOGETHER


_TERMS = _Terms()


def renew_terms() -> None:
    """Begin another judgement: all terms may be added up again."""
    _TERMS.left = MAX_TERMS_TOGETHER


def take_terms(count: int, most: int) -> bool:
    """Whether so many terms are still within the budget of one sum and of the judgement; they are then taken."""
    if count > min(most, _TERMS.left):
        return False
    _TERMS.left -= max(0, count)
    return True


class Exact:
    """Evaluates expressions to ``fmpq``, with rational values for the names in ``values``."""

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self.values = values or {}
        self.work = WORK_BITS

    def value(self, node: Node) -> Any:
        """The rational value.

        Raises:
            NotExact: There is none within the budget.
        """
        reader = _READERS.get(node.op)
        if reader is None:
            raise NotExact(node.op)
        return reader(self, node)

    def checked(self, value: Any) -> Any:
        """``value``, its size taken from the budget."""
        bits = int(value.p.bit_length()) + int(value.q.bit_length())
        self.work -= bits
        if bits > MAX_BITS or self.work < 0:
            raise NotExact("too large")
        return value

    def integer(self, node: Node) -> int:
        """The value of a node that has to be an integer."""
        value = self.value(node)
        if value.q != 1 or value.p.bit_length() > 4000:
            raise NotExact("no integer")
        return int(value.p)

    def add(self, node: Node) -> Any:
        total = fmpq(0)
        for arg in node.args:
            total += self.value(arg)
        return self.checked(total)

    def mul(self, node: Node) -> Any:
        total = fmpq(1)
        for arg in node.args:
            total *= self.value(arg)
            self.checked(total)
        return total

    def div(self, node: Node) -> Any:
        top, bottom = self.value(node.args[0]), self.value(node.args[1])
        if bottom == 0:
            raise NotExact("division by zero")
        return self.checked(top / bottom)

    def pow(self, node: Node) -> Any:
        base = self.value(node.args[0])
        exponent = self.integer(node.args[1])
        size = max(int(base.p.bit_length()), int(base.q.bit_length()))
        if base == 0 and exponent <= 0:
            raise NotExact("zero to a power that is not positive")
        if size > 1 and abs(exponent) * size > MAX_BITS:
            raise NotExact("too large")
        return self.checked(base ** (exponent % 2 if size == 1 else exponent)) if base != 0 else fmpq(0)

    def root(self, node: Node) -> Any:
        radicand, index = self.value(node.args[0]), self.integer(node.args[1])
        if not 2 <= index <= 64 or (radicand < 0 and index % 2 == 0):
            raise NotExact("no rational root")
        sign = -1 if radicand < 0 else 1
        parts = [_perfect_root(part, index) for part in (abs(int(radicand.p)), int(radicand.q))]
        return fmpq(sign * parts[0], parts[1])

    def call(self, node: Node) -> Any:
        function = _FUNCTIONS.get(node.value)
        if function is None:
            raise NotExact(node.value)
        return self.checked(function(self, *node.args))

    def series(self, node: Node) -> Any:
        kind, name = node.value
        if kind not in ("sum", "prod") or len(node.args) != 3:
            raise NotExact(kind)
        start, stop = self.integer(node.args[1]), self.integer(node.args[2])
        if not take_terms(stop - start + 1, MAX_TERMS):
            raise NotExact("too many terms")
        total = fmpq(0 if kind == "sum" else 1)
        outer = self.values
        for index in range(start, stop + 1):
            self.values = {**outer, name: fmpq(index)}
            value = self.value(node.args[0])
            total = total + value if kind == "sum" else total * value
            self.checked(total)
        self.values = outer
        return total

    def symbol(self, node: Node) -> Any:
        value = self.values.get(node.value)
        if not isinstance(value, fmpq):  # unknown, or a ball: the variable of an integral
            raise NotExact(node.value)
        return value


def _perfect_root(value: int, index: int) -> int:
    if value.bit_length() > 20_000:
        raise NotExact("too large")
    root = int(fmpz(value).root(index)) if index > 2 else math.isqrt(value)
    if root**index != value:
        raise NotExact("no rational root")
    return root


def _factorial(exact: Exact, node: Node) -> Any:
    count = exact.integer(node)
    if not 0 <= count <= MAX_FACTORIAL:
        raise NotExact("factorial")
    return fmpq(fmpz.fac_ui(count))  # type: ignore[arg-type]


def _double_factorial(exact: Exact, node: Node) -> Any:
    count = exact.integer(node)
    if not -1 <= count <= 2000:
        raise NotExact("double factorial")
    return fmpq(math.prod(range(count, 0, -2)))


def _binomial(exact: Exact, top: Node, bottom: Node) -> Any:
    total, chosen = exact.integer(top), exact.integer(bottom)
    if not 0 <= total <= MAX_FACTORIAL:
        raise NotExact("binomial")
    return fmpq(math.comb(total, chosen)) if 0 <= chosen <= total else fmpq(0)


def _permutations(exact: Exact, top: Node, bottom: Node) -> Any:
    total, chosen = exact.integer(top), exact.integer(bottom)
    if not 0 <= total <= MAX_FACTORIAL or chosen < 0:
        raise NotExact("permutations")
    return fmpq(math.perm(total, chosen))


def _fold(function: Callable[..., int]) -> Callable[..., Any]:
    return lambda exact, *nodes: fmpq(function(*(exact.integer(node) for node in nodes)))


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda exact, *nodes: function(exact.value(node) for node in nodes)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "factorial": _factorial,
    "doublefactorial": _double_factorial,
    "binomial": _binomial,
    "permutations": _permutations,
    "abs": lambda exact, node: abs(exact.value(node)),
    "floor": lambda exact, node: fmpq(exact.value(node).floor()),
    "ceil": lambda exact, node: fmpq(exact.value(node).ceil()),
    "gcd": _fold(math.gcd),
    "lcm": _fold(math.lcm),
    "max": _extreme(max),
    "min": _extreme(min),
}
_READERS: dict[str, Callable[[Exact, Node], Any]] = {
    "num": lambda exact, node: fmpq(node.value.numerator, node.value.denominator),
    "dec": lambda exact, node: fmpq(node.value[0].numerator, node.value[0].denominator),
    "sym": Exact.symbol,
    "neg": lambda exact, node: -exact.value(node.args[0]),
    "pct": lambda exact, node: exact.value(node.args[0]) / 100,
    "deg": lambda exact, node: exact.value(node.args[0]),
    "group": lambda exact, node: exact.value(node.args[0]),
    "add": Exact.add,
    "mul": Exact.mul,
    "div": Exact.div,
    "pow": Exact.pow,
    "root": Exact.root,
    "fn": Exact.call,
    "big": Exact.series,
}


def rational(node: Node) -> Any | None:
    """The rational value of an expression without names as ``fmpq``; None where it has none within the budget."""
    try:
        return Exact().value(node)
    except NotExact:
        return None
