"""Sums, products and definite integrals on balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flint import acb, fmpq

from ..tree import Node, walk
from .exact import Exact, NotExact, take_terms
from .functions import NoValue
from .series import closed_sum

if TYPE_CHECKING:
    from .balls import Balls

MAX_TERMS = 400
MAX_EVALUATIONS = 2000  # of an integrand
_ENTIRE = frozenset("sin cos tan cot sec csc sinh cosh tanh exp".split())


def big_value(balls: Balls, node: Node) -> Any:
    """The ball of a sum, a product or a definite integral.

    Raises:
        NoValue: It is indefinite, diverges, has too many terms, or no closed form that is known here.
    """
    kind, name = node.value
    if len(node.args) != 3 or kind not in ("sum", "prod", "int"):
        raise NoValue(kind)
    if kind == "int":
        return _integral(balls, node)
    body, lower, upper = node.args
    if any(found.op == "sym" and name in found.value.partition("_")[2] for found in walk(body)):
        raise NoValue("terms that are indexed by the bound name")
    if upper.op == "const" and upper.value == "inf":
        return _infinite(balls, kind, name, body, lower)
    return _finite(balls, kind, name, body, _bound(balls, lower), _bound(balls, upper))


def _infinite(balls: Balls, kind: str, name: str, body: Node, lower: Node) -> Any:
    closed = closed_sum(body, name, lower) if kind == "sum" else None
    if closed is None:
        raise NoValue("an infinite sum")
    ratio, value = closed
    if not abs(balls.value(ratio)) < 1:
        raise NoValue("a divergent sum")
    return balls.value(value)


def _bound(balls: Balls, node: Node) -> int:
    """A bound of a sum, which has to be an integer."""
    try:
        return Exact(balls.values).integer(node)
    except NotExact as error:
        raise NoValue("a bound that is no integer") from error


def _finite(balls: Balls, kind: str, name: str, body: Node, start: int, stop: int) -> Any:
    if not take_terms(stop - start + 1, MAX_TERMS):
        raise NoValue("too many terms")
    outer = balls.values
    total = balls.ring(0 if kind == "sum" else 1)
    for index in range(start, stop + 1):
        balls.values = {**outer, name: fmpq(index)}
        value = balls.value(body)
        total = total + value if kind == "sum" else total * value
    balls.values = outer
    return total


def _integral(balls: Balls, node: Node) -> Any:
    """A definite integral of a function that is analytic wherever it is finite (Johansson, ICMS 2018)."""
    body, lower, upper = node.args
    name = node.value[1]
    if not _is_meromorphic(body, name):
        raise NoValue("an integrand with branch cuts")
    values: dict[str, Any] = dict(balls.values)
    inner = type(balls)(values, acb)

    def integrand(point: Any, _analytic: bool) -> Any:
        values[name] = point
        try:
            return inner.value(body)
        except NoValue:
            return acb("nan")

    start, stop = acb(balls.value(lower)), acb(balls.value(upper))
    integral: Callable[..., Any] = acb.integral
    result = integral(integrand, start, stop, eval_limit=MAX_EVALUATIONS, depth_limit=20)
    return result if balls.ring is acb else result.real


def _is_meromorphic(node: Node, name: str) -> bool:
    """Whether a function of ``name`` has no branch cuts, by its form."""
    if node.op in ("root", "big") or (node.op == "fn" and node.value not in _ENTIRE):
        return not _mentions(node, name)
    if node.op == "pow" and _mentions(node.args[0], name):
        exponent = node.args[1]
        if exponent.op not in ("num", "neg") or _mentions(exponent, name):
            return False
    return all(_is_meromorphic(arg, name) for arg in node.args)


def _mentions(node: Node, name: str) -> bool:
    return (node.op == "sym" and node.value == name) or any(_mentions(arg, name) for arg in node.args)
