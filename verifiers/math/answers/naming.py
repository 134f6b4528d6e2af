"""What merely names a thing: the side of an equation that says what the other side is."""

from __future__ import annotations

import re

from ..tree import Node, product, symbol, symbols

_NAMING = frozenset("abs norm sin cos tan cot sec csc ln arcsin arccos arctan".split())
_ARGUMENTS = frozenset(["sym", "num", "const", "given", "chain", "text", "setop", "binop", "prefix", "apply"])
_MARKED = re.compile(r"bar ([A-Z]{2})\Z|∠([A-Z])\Z")
_INVERTED = frozenset(["f", "g", "h", "F", "G"])


def is_name(node: Node) -> bool:
    """Whether a side of an equation merely names what the other side is."""
    op, args = node.op, node.args
    if op in ("sym", "text") or (op == "const" and node.value in ("e", "i")):
        return True
    if op == "apply":
        return all(arg.op in _ARGUMENTS for arg in args)
    if op in ("div", "ratio", "setop"):
        return all(map(is_name, args))
    if op == "fn":
        return node.value in _NAMING and all(map(is_name, args)) and bool(symbols(node))
    if op == "bracket":
        return all(arg.op == "sym" for arg in args)
    return op == "mul" and _is_compound_name(args)


def _is_compound_name(factors: tuple[Node, ...]) -> bool:
    """Whether factors name one thing together: a segment, an inverse function, a change, the measure of an angle."""
    first = factors[0]
    if first.op == "pow" and first.args[0].value in _INVERTED:
        return all(factor.op == "sym" for factor in factors[1:])
    if any(factor.op != "sym" for factor in factors):
        return False
    marks = [factor.value[:1] for factor in factors]
    if first.value == "Delta" or (first.value == "m" and marks[1] == "∠"):
        return True
    return all(mark.isupper() or mark in "∠△" for mark in marks)


def without_bars(name: Node) -> Node:
    r"""What a length or the measure of an angle is of: ``|AB|`` and ``\overline{AB}`` of AB, ``m\angle A`` of A."""
    if name.op == "mul" and name.args[0] == symbol("m") and len(name.args) == 2 and name.args[1].op == "sym":
        name = name.args[1] if name.args[1].value.startswith("∠") else name
    if name.op == "sym" and (found := _MARKED.match(name.value)):
        return product(*map(symbol, found[1] or found[2]))
    return name.args[0] if name.op == "fn" and name.value in ("abs", "norm") and name.args[0].op == "mul" else name
