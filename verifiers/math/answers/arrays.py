"""Trees made of entries: sums and multiples of tuples and matrices, determinants, vectors in their unit vectors."""

from __future__ import annotations

from collections.abc import Callable

from ..tree import I_UNIT, ZERO, Node, is_arithmetic, product, symbol

_UNITS = ("vec i", "vec j", "vec k")
MAX_DETERMINANT = 4  # rows


def folded(node: Node) -> Node | None:
    """A sum or a multiple of tuples or matrices as one of them; None where it is no such thing."""
    op, args = node.op, node.args
    if (op == "bracket" and len(args) > 1 and node.value == "()") or (op == "matrix" and node.value == "p"):
        return node
    if op == "neg":
        inside = folded(args[0])
        return None if inside is None else _each(inside, lambda entry: Node("neg", (entry,)))
    if op == "div" and is_arithmetic(args[1]):
        inside = folded(args[0])
        return None if inside is None else _each(inside, lambda entry: Node("div", (entry, args[1])))
    if op == "mul":
        arrays = [arg for arg in args if not is_arithmetic(arg)]
        inside = folded(arrays[0]) if len(arrays) == 1 else None
        factors = [arg for arg in args if is_arithmetic(arg)]
        return None if inside is None else _each(inside, lambda entry: product(*factors, entry))
    return _sum(args) if op == "add" else None


def _each(array: Node, change: Callable[[Node], Node]) -> Node:
    if array.op == "matrix":
        return Node("matrix", tuple(Node("row", tuple(map(change, row.args))) for row in array.args), array.value)
    return Node(array.op, tuple(map(change, array.args)), array.value)


def _sum(args: tuple[Node, ...]) -> Node | None:
    arrays = [found for arg in args if (found := folded(arg)) is not None]
    if len(arrays) < len(args) or len({(array.op, _shape(array)) for array in arrays}) != 1:
        return None
    first = arrays[0]
    if first.op == "matrix":
        rows = zip(*(array.args for array in arrays), strict=True)
        sums = (Node("row", _added(tuple(row.args for row in several))) for several in rows)
        return Node("matrix", tuple(sums), first.value)
    return Node(first.op, _added(tuple(array.args for array in arrays)), first.value)


def _added(rows: tuple[tuple[Node, ...], ...]) -> tuple[Node, ...]:
    return tuple(Node("add", entries) for entries in zip(*rows, strict=True))


def _shape(array: Node) -> tuple[int, ...]:
    return tuple(len(row.args) for row in array.args) if array.op == "matrix" else (len(array.args),)


def determinant(matrix: Node) -> Node | None:
    """The determinant of a small square matrix of values, as an expression; None for any other."""
    rows = [row.args for row in matrix.args]
    if len(rows) > MAX_DETERMINANT or any(len(row) != len(rows) for row in rows):
        return None
    return _expanded(rows) if all(is_arithmetic(entry) for row in rows for entry in row) else None


def _expanded(rows: list[tuple[Node, ...]]) -> Node:
    """Along the first row (Laplace)."""
    if len(rows) == 1:
        return rows[0][0]
    terms = []
    for column, entry in enumerate(rows[0]):
        minor = product(entry, _expanded([row[:column] + row[column + 1 :] for row in rows[1:]]))
        terms.append(Node("neg", (minor,)) if column % 2 else minor)
    return Node("add", tuple(terms))


def components(node: Node) -> tuple[Node, ...] | None:
    r"""The components of ``2\hat i - \hat k``, three where k occurs, else two; None for any other expression."""
    parts = _parts(node)
    if not parts:
        return None
    count = 3 if "vec k" in parts else 2
    return tuple(parts.get(unit, ZERO) for unit in _UNITS[:count])


def _parts(node: Node) -> dict[str, Node] | None:
    if node.op == "sym" and node.value in _UNITS:
        return {node.value: Node("num", (), 1)}
    if node.op == "neg":
        inside = _parts(node.args[0])
        return inside and {unit: Node("neg", (part,)) for unit, part in inside.items()}
    if node.op == "div":
        inside = None if _mentions(node.args[1]) else _parts(node.args[0])
        return inside and {unit: Node("div", (part, node.args[1])) for unit, part in inside.items()}
    if node.op == "mul":
        vectors = [arg for arg in node.args if _mentions(arg)]
        inside = _parts(vectors[0]) if len(vectors) == 1 else None
        factors = [arg for arg in node.args if not _mentions(arg)]
        return inside and {unit: product(*factors, part) for unit, part in inside.items()}
    if node.op != "add":
        return None
    total: dict[str, Node] = {}
    for arg in node.args:
        inside = _parts(arg)
        if not inside:
            return None
        for unit, part in inside.items():
            total[unit] = Node("add", (total[unit], part)) if unit in total else part
    return total


def _mentions(node: Node) -> bool:
    return (node.op == "sym" and node.value in _UNITS) or any(map(_mentions, node.args))


def in_plain_letters(node: Node) -> Node:
    """``2i + 3j`` with its letters as unit vectors, where a j or a k says that i is no imaginary unit."""
    if node == I_UNIT:
        return symbol("vec i")
    if node.op == "sym" and node.value in ("j", "k"):
        return symbol(f"vec {node.value}")
    return Node(node.op, tuple(map(in_plain_letters, node.args)), node.value) if node.args else node
