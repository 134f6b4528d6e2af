"""Exact polynomials and rational functions, as quotients of python-flint polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from ..tree import Node
from .exact import Exact, NotExact

MAX_DEGREE = 400
MAX_TERMS = 1500
WORK_TERMS = 30_000  # of all products that one conversion makes


class RationalFunctions:
    """Turns expressions in the given names into quotients of polynomials."""

    def __init__(self, names: Sequence[str]) -> None:
        self.context = fmpq_mpoly_ctx.get([f"x{index}" for index in range(len(names))], Ordering.lex)
        self.generators = dict(zip(names, self.context.gens(), strict=True))
        self.one = self.context.constant(1)
        self.exact = Exact()
        self.work = WORK_TERMS

    def quotient(self, node: Node) -> tuple[Any, Any]:
        """Numerator and denominator.

        Raises:
            NotExact: The expression is no rational function, or one too large to expand.
        """
        reader = _READERS.get(node.op)
        if reader is None:
            return self.context.constant(self.exact.value(node)), self.one
        return reader(self, node)

    def times(self, left: Any, right: Any) -> Any:
        """A product, refused where it could have too many terms."""
        size = max(1, len(left)) * max(1, len(right))
        self.work -= size
        if size > 16 * MAX_TERMS or self.work < 0:
            raise NotExact("too many terms")
        result = left * right
        if len(result) > MAX_TERMS:
            raise NotExact("too many terms")
        return result

    def symbol(self, node: Node) -> tuple[Any, Any]:
        return self.generators[node.value], self.one

    def add(self, node: Node) -> tuple[Any, Any]:
        top, bottom = self.quotient(node.args[0])
        for arg in node.args[1:]:
            other_top, other_bottom = self.quotient(arg)
            if other_bottom == bottom:
                top = top + other_top
            else:
                top = self.times(top, other_bottom) + self.times(other_top, bottom)
                bottom = self.times(bottom, other_bottom)
        return top, bottom

    def mul(self, node: Node) -> tuple[Any, Any]:
        top, bottom = self.one, self.one
        for arg in node.args:
            other_top, other_bottom = self.quotient(arg)
            top, bottom = self.times(top, other_top), self.times(bottom, other_bottom)
        return top, bottom

    def div(self, node: Node) -> tuple[Any, Any]:
        top, bottom = self.quotient(node.args[0])
        other_top, other_bottom = self.quotient(node.args[1])
        if other_top == 0:
            raise NotExact("division by zero")
        return self.times(top, other_bottom), self.times(bottom, other_top)

    def neg(self, node: Node) -> tuple[Any, Any]:
        top, bottom = self.quotient(node.args[0])
        return -top, bottom

    def percent(self, node: Node) -> tuple[Any, Any]:
        top, bottom = self.quotient(node.args[0])
        return top * fmpq(1, 100), bottom

    def same(self, node: Node) -> tuple[Any, Any]:
        return self.quotient(node.args[0])

    def pow(self, node: Node) -> tuple[Any, Any]:
        exponent = self.exact.integer(node.args[1])
        top, bottom = self.quotient(node.args[0])
        if exponent < 0:
            top, bottom, exponent = bottom, top, -exponent
            if bottom == 0:
                raise NotExact("division by zero")
        return self.power(top, exponent), self.power(bottom, exponent)

    def power(self, base: Any, exponent: int) -> Any:
        terms = len(base)
        if terms <= 1:
            if exponent * max(1, _degree(base)) > 1_000_000:
                raise NotExact("degree")
            if base.is_constant():
                return self.context.constant(self.exact.pow(_power_node(base, exponent))) if terms else base
            return base**exponent
        degree = _degree(base) * exponent
        if degree > MAX_DEGREE or terms > MAX_TERMS:
            raise NotExact("degree")
        result = self.one
        for _ in range(exponent):
            result = self.times(result, base)
        return result


def _power_node(base: Any, exponent: int) -> Node:
    from fractions import Fraction  # the constant goes through the budget of the exact evaluator

    value = base.leading_coefficient()
    return Node("pow", (Node("num", (), Fraction(int(value.p), int(value.q))), Node("num", (), Fraction(exponent))))


def _degree(base: Any) -> int:
    return int(base.total_degree()) if len(base) else 0


_READERS: dict[str, Callable[[RationalFunctions, Node], tuple[Any, Any]]] = {
    "sym": RationalFunctions.symbol,
    "add": RationalFunctions.add,
    "mul": RationalFunctions.mul,
    "div": RationalFunctions.div,
    "neg": RationalFunctions.neg,
    "pct": RationalFunctions.percent,
    "pow": RationalFunctions.pow,
    "deg": RationalFunctions.same,
    "group": RationalFunctions.same,
}


def same_function(left: Node, right: Node, names: Sequence[str]) -> bool | None:
    """Whether two expressions are one rational function of the names; None where either is none, or too large."""
    try:
        functions = RationalFunctions(names)
        top, bottom = functions.quotient(left)
        other_top, other_bottom = functions.quotient(right)
        if bottom == other_bottom:
            return bool(top == other_top)
        return bool(functions.times(top, other_bottom) == functions.times(other_top, bottom))
    except NotExact:
        return None


def same_zeros(left: Node, right: Node, names: Sequence[str]) -> bool | None:
    """Whether the numerators of two rational functions agree up to a factor; None where either is no such function."""
    try:
        functions = RationalFunctions(names)
        top, other = functions.quotient(left)[0], functions.quotient(right)[0]
    except NotExact:
        return None
    if len(top) == 0 or len(other) == 0:
        return len(top) == len(other)
    if len(top) != len(other):
        return False
    return bool(top / top.leading_coefficient() == other / other.leading_coefficient())


def zeros_form(node: Node, names: Sequence[str]) -> str | None:
    """A string that rational functions share when their numerators agree up to a factor; None if not rational."""
    try:
        top = RationalFunctions(names).quotient(node)[0]
    except NotExact:
        return None
    return _written(top / top.leading_coefficient(), names) if len(top) else None


def _written(polynomial: Any, names: Sequence[str]) -> str:
    """The polynomial with its monomials sorted; names that do not occur leave no trace."""
    terms = []
    for exponents, coefficient in polynomial.to_dict().items():
        powers = [f"{name}^{power}" for name, power in zip(names, exponents, strict=True) if power]
        terms.append("*".join([str(coefficient), *powers]))
    return " + ".join(sorted(terms)) or "0"
