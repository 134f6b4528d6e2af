"""The one expression tree: what the parser makes and everything else reads."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple


class Node(NamedTuple):
    """One node: an operation, its operands and, for leaves and names, a value.

    Arithmetic: ``num`` (a Fraction), ``dec`` (a decimal literal: Fraction, significant digits, exponent of the last
    one), ``sym`` (a name), ``const`` (pi, e, i, inf), ``add``, ``mul``, ``div``, ``pow``, ``neg``, ``fn`` (by its
    name), ``root`` (radicand, index), ``pm`` and ``mp`` (one or two operands), ``pct``, ``deg``, ``apply`` (an unknown
    function), ``big`` (sum, prod, int, lim with a bound name).

    Structure: ``chain`` (operands with their relations), ``list`` (a separator), ``bracket`` (an opening and a closing
    sign), ``set``, ``builder``, ``setop``, ``numbers`` (a set such as R), ``matrix`` of ``row``, ``cases``, ``ratio``,
    ``mod``, ``unit``, ``money``, ``text``, ``cond`` (something, its condition), ``dots``, ``binop`` and ``prefix``.
    """

    op: str
    args: tuple[Node, ...] = ()
    value: Any = None


ARITHMETIC = frozenset(
    ["num", "dec", "sym", "const", "add", "mul", "div", "pow", "neg", "fn", "root", "pct", "deg", "apply", "big"]
)


def number(value: int | Fraction) -> Node:
    """A numeric leaf."""
    return Node("num", (), value if type(value) is Fraction else Fraction(value))


ZERO = number(0)
ONE = number(1)
TWO = number(2)
TEN = number(10)
I_UNIT = Node("const", (), "i")
E_BASE = Node("const", (), "e")
PI = Node("const", (), "pi")
INFINITY = Node("const", (), "inf")
MINUS_INFINITY = Node("neg", (INFINITY,))


def symbol(name: str) -> Node:
    """A named quantity."""
    return Node("sym", (), name)


def function(name: str, *args: Node) -> Node:
    """A known function of its arguments."""
    return Node("fn", args, name)


def product(*factors: Node) -> Node:
    """A product, flattened; one factor stays itself."""
    flat: list[Node] = []
    for factor in factors:
        if factor.op == "mul":
            flat.extend(factor.args)
        else:
            flat.append(factor)
    return flat[0] if len(flat) == 1 else Node("mul", tuple(flat))


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it; trees are bounded by the parser, so the stack is too."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(found.args)


_NO_NAMES: frozenset[str] = frozenset()


def symbols(node: Node) -> frozenset[str]:
    """The free names in an expression; a bound name of a sum or an integral is not free."""
    if node.op == "sym":
        return frozenset((node.value,))
    if not node.args:
        return _NO_NAMES
    names: set[str] = set()
    _collect(node, names)
    return frozenset(names)


def _collect(node: Node, names: set[str]) -> None:
    """Add the free names below a node, into one set, for a set at each node takes twice as long."""
    if node.op == "big":
        below: set[str] = set()
        for arg in node.args:
            below |= symbols(arg)
        names |= below - {node.value[1]}
        return
    for arg in node.args:
        if arg.op == "sym":
            names.add(arg.value)
        elif arg.args:
            _collect(arg, names)


def is_arithmetic(node: Node) -> bool:
    """Whether the tree holds arithmetic only: something that has a value."""
    if node.op not in ARITHMETIC:
        return False
    for arg in node.args:  # noqa: SIM110 - a loop is faster, and this is asked of every tree
        if not is_arithmetic(arg):
            return False
    return True


def holds(node: Node, op: str) -> bool:
    """Whether an operation occurs in the tree."""
    if node.op == op:
        return True
    for arg in node.args:  # noqa: SIM110 - a loop is faster, and this is asked of every pair of values
        if (arg.args or arg.op == op) and holds(arg, op):
            return True
    return False


def substitute(node: Node, names: dict[str, Node]) -> Node:
    """The tree with free names replaced; a name bound inside hides the outer one."""
    if node.op == "sym":
        return names.get(node.value, node)
    if not node.args:
        return node
    if node.op == "big" and node.value[1] in names:
        names = {name: value for name, value in names.items() if name != node.value[1]}
    return Node(node.op, tuple(substitute(arg, names) for arg in node.args), node.value)
