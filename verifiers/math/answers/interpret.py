"""Trees to typed answers: the type whose table entry matches the operation at the top."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ..tree import ARITHMETIC, Node, is_arithmetic
from .base import Answer

# One line a type. Of two types that read one operation the first that makes something of it wins.
_TYPES = (
    "lists:Listing",
    "collection:Collection",
    "residue:Residue",
    "ratio:Ratio",
    "matrix:Matrix",
    "cases:Piecewise",
    "cases:System",
    "family:Family",
    "assignment:Assignment",
    "equation:Equation",
    "realset:RealSet",
    "inequality:Inequality",
    "sequence:Sequence",
    "text:Text",
    "scalar:Scalar",
    "opaque:Opaque",
)


@cache
def _readers() -> dict[str, list[type[Answer]]]:
    readers: dict[str, list[type[Answer]]] = {}
    for entry in _TYPES:
        module, _, name = entry.partition(":")
        kind: type[Answer] = getattr(import_module(f".{module}", __package__), name)
        for op in kind.ops:
            readers.setdefault(op, []).append(kind)
    return readers


_OF_ITEMS = frozenset(["list", "set", "cases", "pm", "mp"])  # plus-minus in one of their items concerns that item only


def _has_signs(node: Node) -> bool:
    return node.op in ("pm", "mp") or (node.op not in _OF_ITEMS and any(map(_has_signs, node.args)))


def interpret(node: Node) -> Answer:
    """The typed answer of a tree; plus-minus anywhere in it makes two of it."""
    readers = _readers()
    if node.op in ARITHMETIC and is_arithmetic(node):
        candidates = readers["num"]  # most answers by far: values, without a look at the other types
    elif node.op not in _OF_ITEMS and _has_signs(node):
        candidates = readers["pm"]
    else:
        candidates = readers.get(node.op, [])
    for kind in candidates:
        answer = kind.from_tree(node)
        if answer is not None:
            return answer
    opaque = readers["dots"][0].from_tree(node)
    assert opaque is not None
    return opaque
