"""Ball arithmetic over expressions: real where that is possible, complex where the imaginary unit occurs.

A ball is a midpoint with a proven radius (Johansson, Arb, IEEE Transactions on Computers 66(8), 2017). Two balls that
do not meet prove a difference. In the real evaluator a square root or a logarithm of a negative number is no number,
so points outside the natural domain take no part.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq, fmpz

from ..tree import Node, holds
from ..vocabulary import TRIGONOMETRIC
from .calculus import big_value
from .exact import Exact, NotExact
from .functions import FUNCTIONS, NoValue

WORK = 5_000  # operations of one evaluation
MAX_EXPONENT_BITS = 200
_PRECISION = threading.Lock()  # python-flint keeps one precision for the whole process


@contextmanager
def precision() -> Iterator[None]:
    """Hold python-flint's precision for this thread, and give it back as it was."""
    with _PRECISION:
        before = ctx.prec
        try:
            yield
        finally:
            ctx.prec = before


class Balls:
    """Evaluates expressions to balls at the current precision of python-flint.

    Args:
        values: A rational value for every name.
        ring: ``arb`` for real numbers, ``acb`` for complex ones.
    """

    def __init__(self, values: Mapping[str, Any], ring: type) -> None:
        self.values = values
        self.ring = ring
        self.work = WORK
        self.lossy = False  # whether something was too small to be seen beside something else

    def value(self, node: Node) -> Any:
        """The ball of an expression.

        Raises:
            NoValue: It has none.
        """
        self.work -= 1
        reader = _READERS.get(node.op)
        if reader is None or self.work < 0:
            raise NoValue(node.op)
        return reader(self, node)

    def number(self, node: Node) -> Any:
        return self.ring(fmpq(node.value.numerator, node.value.denominator))

    def decimal(self, node: Node) -> Any:
        value = node.value[0]
        return self.ring(fmpq(value.numerator, value.denominator))

    def symbol(self, node: Node) -> Any:
        if node.value not in self.values:
            raise NoValue(node.value)
        return self.ring(self.values[node.value])

    def constant(self, node: Node) -> Any:
        if node.value == "pi":
            return self.ring.pi()  # type: ignore[attr-defined]
        if node.value == "e":
            return self.ring(1).exp()
        if node.value == "i" and self.ring is acb:
            return acb(0, 1)
        raise NoValue(node.value)

    def add(self, node: Node) -> Any:
        terms = [self.value(arg) for arg in node.args]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        self.watch(total, terms)
        return total

    def watch(self, total: Any, terms: list[Any]) -> None:
        """Note where a summand that is not zero is too small to be seen in the sum."""
        if self.lossy:
            return
        limit = abs(total).abs_upper() * arb(2) ** (-(ctx.prec // 2))
        self.lossy = any(abs(term) < limit and not term.contains(0) for term in terms)

    def watched(self, argument: Any) -> Any:
        """The argument of a function, noted where it is too small for the function to feel."""
        size = abs(argument)
        if size < arb(2) ** (-(ctx.prec // 4)) and not size.contains(0):
            self.lossy = True
        return argument

    def mul(self, node: Node) -> Any:
        total = self.value(node.args[0])
        for arg in node.args[1:]:
            total = total * self.value(arg)
        return total

    def div(self, node: Node) -> Any:
        return self.value(node.args[0]) / self.value(node.args[1])

    def neg(self, node: Node) -> Any:
        return -self.value(node.args[0])

    def percent(self, node: Node) -> Any:
        return self.value(node.args[0]) / 100

    def same(self, node: Node) -> Any:
        return self.value(node.args[0])

    def angle(self, node: Node) -> Any:
        """The argument of a trigonometric function: degrees in it become radians."""
        if node.op == "deg":
            return self.value(node.args[0]) * self.ring.pi() / 180  # type: ignore[attr-defined]
        if node.op in ("add", "mul", "div", "neg") and holds(node, "deg"):
            return self.value(Node(node.op, tuple(map(_radians, node.args)), node.value))
        return self.value(node)

    def pow(self, node: Node) -> Any:
        base, exponent = node.args
        power = self.exponent(exponent)
        if base.op == "const" and base.value == "e" and power is None:
            return self.watched(self.value(exponent)).exp()
        ball = self.value(base)
        if power is not None and power.q == 1:
            return ball ** fmpz(power.p)
        if power is not None and power.q % 2 == 1 and _is_negative(ball):
            root = self.ring((-ball).real if self.ring is acb else -ball) ** self.ring(power)
            return -root if power.p % 2 else root
        return ball ** self.watched(self.value(exponent))

    def exponent(self, node: Node) -> Any | None:
        """A rational exponent of moderate size; None for any other."""
        if node.op in ("sym", "const", "fn"):
            value = self.values.get(node.value) if node.op == "sym" else None
            return value if isinstance(value, fmpq) else None
        try:
            value = Exact(self.values).value(node)
        except NotExact:
            return None
        return value if value.p.bit_length() <= MAX_EXPONENT_BITS and value.q.bit_length() <= 60 else None

    def root(self, node: Node) -> Any:
        index = self.exponent(node.args[1])
        ball = self.value(node.args[0])
        if index is None or index == 0:
            return ball ** (1 / self.value(node.args[1]))
        if index == 2:
            return ball.sqrt()
        if index.q == 1 and index.p % 2 == 1 and _is_negative(ball):
            return -(self.ring((-ball).real if self.ring is acb else -ball) ** self.ring(1 / index))
        return ball ** self.ring(1 / index)

    def call(self, node: Node) -> Any:
        name = node.value
        if len(node.args) > 1:
            return self.call_many(node)
        function = FUNCTIONS.get(name)
        if function is None:
            return self.exactly(node)
        argument = self.angle(node.args[0]) if name in TRIGONOMETRIC else self.value(node.args[0])
        return function(self.watched(argument), self.ring)

    def exactly(self, node: Node) -> Any:
        """The value of a function that is known for rational numbers only."""
        try:
            return self.ring(Exact(self.values).value(node))
        except NotExact as error:
            raise NoValue(node.value) from error

    def call_many(self, node: Node) -> Any:
        name, args = node.value, node.args
        if name in ("binomial", "permutations"):
            top, bottom = (self.value(arg) for arg in args)
            result = (top + 1).gamma() * (top - bottom + 1).rgamma()
            return result * (bottom + 1).rgamma() if name == "binomial" else result
        if name in ("max", "min") and self.ring is arb:
            values = [self.value(arg) for arg in args]
            result = values[0]
            for value in values[1:]:
                result = result.max(value) if name == "max" else result.min(value)
            return result
        return self.exactly(node)


def _is_negative(ball: Any) -> bool:
    if isinstance(ball, acb):
        return bool(ball.imag == 0 and ball.real < 0)
    return bool(ball < 0)


def _radians(node: Node) -> Node:
    if node.op == "deg":
        pi = Node("const", (), "pi")
        return Node("div", (Node("mul", (node.args[0], pi)), Node("num", (), Fraction(180))))
    return Node(node.op, tuple(map(_radians, node.args)), node.value) if node.args else node


_READERS: dict[str, Callable[[Balls, Node], Any]] = {
    "num": Balls.number,
    "dec": Balls.decimal,
    "sym": Balls.symbol,
    "const": Balls.constant,
    "add": Balls.add,
    "mul": Balls.mul,
    "div": Balls.div,
    "neg": Balls.neg,
    "pct": Balls.percent,
    "deg": Balls.same,
    "group": Balls.same,
    "pow": Balls.pow,
    "root": Balls.root,
    "fn": Balls.call,
    "big": big_value,
}
