"""Infinite sums in closed form: geometric series and values of the zeta function at even integers and beyond."""

from __future__ import annotations

from ..tree import ONE, ZERO, Node, function, product, substitute


def closed_sum(body: Node, name: str, start: Node) -> tuple[Node, Node] | None:
    """``(ratio, sum)`` of the series of ``body`` over ``name`` from ``start`` on.

    The series is geometric by its form, a product of constants and of constants to a power linear in ``name``; or it
    is ``c / name^s`` from 1 on, whose "ratio" is given as 0 because it converges for every ``s >= 2``. None otherwise.
    """
    ratio = _ratio(body, name)
    if ratio is not None:
        first = substitute(body, {name: start})
        return ratio, Node("div", (first, Node("add", (ONE, Node("neg", (ratio,))))))
    if start == ONE and (zeta := _zeta(body, name)):
        return ZERO, zeta
    return None


def _mentions(node: Node, name: str) -> bool:
    return (node.op == "sym" and node.value == name) or any(_mentions(arg, name) for arg in node.args)


def _ratio(node: Node, name: str) -> Node | None:
    """What one more step of ``name`` multiplies ``node`` by; None where that is not a constant by its form."""
    if not _mentions(node, name):
        return ONE
    if node.op == "neg":
        return _ratio(node.args[0], name)
    if node.op in ("mul", "div"):
        ratios = [_ratio(arg, name) for arg in node.args]
        found = [ratio for ratio in ratios if ratio is not None]
        if len(found) < len(ratios):
            return None
        return product(*found) if node.op == "mul" else Node("div", (found[0], found[1]))
    if node.op == "pow":
        base, exponent = node.args
        if not _mentions(base, name):
            slope = _slope(exponent, name)
            return None if slope is None else Node("pow", (base, slope))
        ratio = _ratio(base, name)
        return None if ratio is None or _mentions(exponent, name) else Node("pow", (ratio, exponent))
    return None


def _slope(node: Node, name: str) -> Node | None:
    """The coefficient of ``name`` in a linear expression; None where it is not linear by its form."""
    if not _mentions(node, name):
        return ZERO
    if node.op == "sym":
        return ONE
    if node.op == "neg":
        slope = _slope(node.args[0], name)
        return None if slope is None else Node("neg", (slope,))
    if node.op == "add":
        slopes = [_slope(arg, name) for arg in node.args]
        found = [slope for slope in slopes if slope is not None]
        return Node("add", tuple(found)) if len(found) == len(slopes) else None
    if node.op == "mul":
        inside = [arg for arg in node.args if _mentions(arg, name)]
        slope = _slope(inside[0], name) if len(inside) == 1 else None
        if slope is None:
            return None
        return product(*(arg for arg in node.args if arg is not inside[0]), slope)
    return None


def _zeta(node: Node, name: str) -> Node | None:
    """``c / name^s`` summed from 1 on, for an integer s of at least 2."""
    if node.op != "div" or _mentions(node.args[0], name) or node.args[1].op != "pow":
        return None
    base, exponent = node.args[1].args
    if base.op != "sym" or base.value != name or exponent.op != "num":
        return None
    if exponent.value.denominator != 1 or not 2 <= exponent.value <= 64:
        return None
    return product(node.args[0], function("zeta", exponent))
