"""Matrices and column vectors."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Rows
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, product, symbol
from .base import Answer
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Matrix(Answer):
    """Entries in rows; the brackets do not count, but a determinant is no matrix."""

    rows: tuple[tuple[Answer, ...], ...]
    kind: str = "p"
    label: ClassVar[str] = "a matrix"
    ops: ClassVar[tuple[str, ...]] = ("matrix", "mul", "div", "neg", "pow")

    @classmethod
    def of(cls, rows: Rows[Rows[Answer]]) -> Matrix:
        """A matrix of answers."""
        return cls(tuple(tuple(row) for row in rows))

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op == "matrix":
            return cls(tuple(tuple(map(interpret, row.args)) for row in node.args), node.value)
        if node.op == "pow":
            return cls._transposed(node)
        matrices = [arg for arg in node.args if arg.op == "matrix"]
        if len(matrices) != 1 or (node.op == "div" and node.args[1].op == "matrix"):
            return None
        entries = [[_scaled(node, matrices[0], entry) for entry in row.args] for row in matrices[0].args]
        return cls(tuple(tuple(map(interpret, row)) for row in entries), matrices[0].value)

    @classmethod
    def _transposed(cls, node: Node) -> Answer | None:
        """``[1, 2]^T`` and the transpose of a matrix."""
        base, exponent = node.args
        if exponent != symbol("T") or base.op not in ("matrix", "bracket"):
            return None
        rows = [row.args for row in base.args] if base.op == "matrix" else [base.args]
        if len({len(row) for row in rows}) != 1:
            return None
        return cls(tuple(tuple(map(interpret, column)) for column in zip(*rows, strict=True)))

    def equals(self, other: Matrix, judge: Judge) -> Outcome:
        shapes = [[len(row) for row in matrix.rows] for matrix in (self, other)]
        if self.kind != other.kind or shapes[0] != shapes[1]:
            return unequal("a matrix of another shape")
        for index, (row, other_row) in enumerate(zip(self.rows, other.rows, strict=True), start=1):
            for column, (mine, theirs) in enumerate(zip(row, other_row, strict=True), start=1):
                if not judge.same(mine, theirs).equal:
                    return unequal(f"the entry in row {index}, column {column} differs")
        return EQUAL

    def views(self) -> Iterator[Answer]:
        from .sequence import Sequence

        if self.kind == "p" and all(len(row) == 1 for row in self.rows):
            yield Sequence(tuple(row[0] for row in self.rows), "()")

    def key(self) -> str | None:
        keys = [[entry.key() for entry in row] for row in self.rows]
        for view in self.views():
            return view.key()
        return None if any(key is None for row in keys for key in row) else f"{self.kind}{keys}"

    @property
    def size(self) -> int:
        return sum(map(len, self.rows))


def _scaled(node: Node, matrix: Node, entry: Node) -> Node:
    """An entry of the matrix under the operation that is applied to the whole of it."""
    if node.op == "mul":
        return product(*(arg for arg in node.args if arg is not matrix), entry)
    return Node(node.op, tuple(entry if arg is matrix else arg for arg in node.args))
