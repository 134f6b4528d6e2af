"""The shape of an expression, free of the order of summands and factors and of the names of bound variables."""

from __future__ import annotations

from ..tree import Node, substitute, symbol


def canonical(node: Node) -> Node:
    """A tree that expressions of one shape share: operands of commutative operations are sorted."""
    if node.op == "big" and not node.value[1].startswith("#"):
        bound = f"#{_depth(node)}"
        body = substitute(node.args[0], {node.value[1]: symbol(bound)})
        node = Node("big", (body, *node.args[1:]), (node.value[0], bound))
    args = [canonical(arg) for arg in node.args]
    if node.op == "sub":
        return Node("add", (args[0], canonical(Node("neg", (args[1],)))))
    if node.op in ("add", "mul"):
        flat: list[Node] = []
        for arg in args:
            flat.extend(arg.args if arg.op == node.op else (arg,))
        args = sorted(flat, key=repr)
    elif node.op == "set" or (node.op == "setop" and node.value in "∪∩"):
        args = sorted(args, key=repr)
    if node.op == "group":
        return args[0]
    return Node(node.op, tuple(args), node.value) if args else _leaf(node)


def _leaf(node: Node) -> Node:
    return Node("num", (), node.value[0]) if node.op == "dec" else node


def _depth(node: Node) -> int:
    return 1 + max((_depth(arg) for arg in node.args), default=0)
