"""What every type of answer is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from ..equality.outcome import Outcome
from ..tree import Node

if TYPE_CHECKING:
    from ..compare import Judge


class Answer:
    """A typed answer. A type is one file: the trees it reads, how two of it compare, and what else it may be read as.

    Its metaclass is the plain one, though a method is abstract: with ``ABCMeta`` every ``isinstance`` of an answer, of
    which reading and comparing make a dozen each, would be a call in Python.

    Attributes:
        label: What a person calls such an answer, with its article.
        ops: The operations at the top of the trees that this type reads.
        text: How the answer was written, for reasons.
    """

    label: ClassVar[str]
    ops: ClassVar[tuple[str, ...]] = ()
    text: str = ""

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        """The answer of a tree whose operation is one of ``ops``; None where it is something else after all."""
        return None

    @abstractmethod
    def equals(self, other: Self, judge: Judge) -> Outcome:
        """Compare with an answer of the same type; ``self`` is the reference's."""

    def excludes(self, other: Answer) -> bool:
        """Whether an answer of another type cannot be this one, whatever their views have in common."""
        return False

    def views(self) -> Iterator[Answer]:
        """The same answer as other types: an assignment is also its value."""
        yield from ()

    def key(self) -> str | None:
        """A string that equal answers share and different ones do not; None where there is none."""
        return None

    @property
    def size(self) -> int:
        """How many values the answer holds; two answers of different sizes are not compared any further."""
        return 1
