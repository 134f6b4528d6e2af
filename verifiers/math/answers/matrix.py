"""Matrices and column vectors."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Rows
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, symbol
from .arrays import determinant, folded
from .base import Answer
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Matrix(Answer):
    """Entries in rows; the brackets do not count, but a determinant is no matrix.

    Attributes:
        rows: The entries.
        kind: "p" for a matrix, "det" for a determinant, "norm".
        value: The determinant's value, where it is small enough to be written out.
    """

    rows: tuple[tuple[Answer, ...], ...]
    kind: str = "p"
    value: Node | None = None
    label: ClassVar[str] = "a matrix"
    ops: ClassVar[tuple[str, ...]] = ("matrix", "mul", "div", "neg", "pow", "add", "fn")

    @classmethod
    def of(cls, rows: Rows[Rows[Answer]]) -> Matrix:
        """A matrix of answers."""
        return cls(tuple(tuple(row) for row in rows))

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op == "matrix":
            value = determinant(node) if node.value == "det" else None
            return cls(tuple(tuple(map(interpret, row.args)) for row in node.args), node.value, value)
        if node.op == "pow":
            return cls._transposed(node)
        if node.op == "fn":
            if node.value != "det" or len(node.args) != 1 or node.args[0].op != "matrix":
                return None
            return cls.from_tree(node.args[0]._replace(value="det"))
        array = folded(node)
        return cls.from_tree(array) if array is not None and array.op == "matrix" else None

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

        if self.value is not None:
            yield interpret(self.value)
        if self.kind != "p":
            return
        if len(self.rows) == 1 == len(self.rows[0]):
            yield self.rows[0][0]
        elif all(len(row) == 1 for row in self.rows):
            yield Sequence(tuple(row[0] for row in self.rows), "()")
        elif len(self.rows) == 1:
            yield Sequence(self.rows[0], "()")

    def key(self) -> str | None:
        if self.kind != "p" or len(self.rows) == 1:
            return None  # a determinant is also its value, a row also a tuple that equals a column
        keys = [[entry.key() for entry in row] for row in self.rows]
        for view in self.views():
            return view.key()
        return None if any(key is None for row in keys for key in row) else f"{self.kind}{keys}"

    @property
    def size(self) -> int:
        return sum(map(len, self.rows))
