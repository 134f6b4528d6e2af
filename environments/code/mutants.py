"""Programs that are wrong in one place, made from right ones: what a repair begins with."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from ..hashing import hashed_integer

_OTHER: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def mutants(source: str, key: str) -> Iterator[str]:
    r"""Programs that differ from ``source`` in one operator, number or name, in an order hashed from ``key``.

    The last ones return nothing where ``source`` returns something. Most are wrong; some are equivalent to ``source``
    after all, so that whoever wants a failing program must run it. Comments are lost.

    Args:
        source: A Python program; one that cannot be parsed has no mutants.
        key: Another key, another order.

    >>> sorted(mutants("def f(x):\n    return x + 1", "a"))[:2]
    ['def f(x):\n    return None', 'def f(x):\n    return x + 2']
    """
    try:
        places = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return
    found = [(number, change) for number, node in enumerate(places) if (change := _change(node))]
    found.sort(key=lambda one: (one[1] is _return_nothing, hashed_integer("mutant", key, one[0])))
    for number, change in found:
        tree = ast.parse(source)
        change(list(ast.walk(tree))[number])
        yield ast.unparse(tree)


def _change(node: ast.AST) -> Callable[[ast.AST], None] | None:
    """What can be done to a node; None where nothing can."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER:
        return _swap_comparison
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in _OTHER:
        return _swap_operator
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return _count_up
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _swap_name
    return _return_nothing if isinstance(node, ast.Return) and node.value is not None else None


def _swap_comparison(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _OTHER[type(node.ops[0])]()  # type: ignore[call-overload]  # operators take no arguments


def _swap_operator(node: ast.AST) -> None:
    node.op = _OTHER[type(node.op)]()  # type: ignore[attr-defined]


def _count_up(node: ast.AST) -> None:
    node.value += 1  # type: ignore[attr-defined]


def _swap_name(node: ast.AST) -> None:
    node.id = _NAMES[node.id]  # type: ignore[attr-defined]


def _return_nothing(node: ast.AST) -> None:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(None)
