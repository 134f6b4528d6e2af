"""Sets and comma lists: unordered; plus-minus stands for two values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, walk
from .base import Answer
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge


MAX_REPEATED = 4  # so many items are looked at for being one value


@dataclass(frozen=True)
class Collection(Answer):
    """Several answers at once.

    Attributes:
        items: The answers.
        is_set: Whether repetitions do not count.
    """

    items: tuple[Answer, ...]
    is_set: bool = False
    label: ClassVar[str] = "a set"
    ops: ClassVar[tuple[str, ...]] = ("set", "pm", "mp")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op != "set":  # plus-minus, at the top or somewhere inside
            return cls(tuple(interpret(branch) for branch in branches(node)), True)
        return cls.of(node.args, is_set=True)

    @classmethod
    def of(cls, nodes: Sequence[Node], *, is_set: bool = False) -> Collection:
        """The answers of several trees; an item with plus-minus gives two."""
        items: list[Answer] = []
        for node in nodes:
            answer = interpret(node)
            if isinstance(answer, Collection) and has_signs(node):
                items.extend(answer.items)
            else:
                items.append(answer)
        return cls(tuple(items), is_set)

    def equals(self, other: Collection, judge: Judge) -> Outcome:
        mine, others = list(self.items), list(other.items)
        if self.is_set or other.is_set:
            mine, others = _distinct(mine, judge), _distinct(others, judge)
        if len(mine) != len(others):
            return unequal(f"{len(mine)} values against {len(others)}")
        ordered = judge.policy.list_order and not (self.is_set or other.is_set)
        for answer in mine:
            for index, candidate in enumerate(others[:1] if ordered else others):
                if judge.same(answer, candidate).equal:
                    del others[index]
                    break
            else:
                return unequal(f"{answer.text or 'a value'} is missing")
        return EQUAL

    def views(self) -> Iterator[Answer]:
        if len(self.items) == 1 or (1 < len(self.items) <= MAX_REPEATED and self._repeats()):
            yield self.items[0]

    def _repeats(self) -> bool:
        """Whether all items are one value, written in several ways."""
        from ..compare import Judge

        judge = Judge()
        return all(judge.same(self.items[0], item).equal for item in self.items[1:])

    def key(self) -> str | None:
        keys = [item.key() for item in self.items]
        found = [key for key in keys if key is not None]
        if len(found) < len(keys):
            return None
        if not self.is_set and len(set(found)) < len(found):
            return None  # equal to a set, in which repetitions do not count, and to no set
        found = sorted(set(found))
        return found[0] if len(found) == 1 else f"{{{', '.join(found)}}}"

    @property
    def size(self) -> int:
        return len(self.items)


def _distinct(answers: list[Answer], judge: Judge) -> list[Answer]:
    kept: list[Answer] = []
    for answer in answers:
        if not any(judge.same(other, answer).equal for other in kept):
            kept.append(answer)
    return kept


def has_signs(node: Node) -> bool:
    """Whether a plus-minus occurs in the tree."""
    return any(found.op in ("pm", "mp") for found in walk(node))


def branches(node: Node) -> tuple[Node, Node]:
    """The tree with the upper signs and the tree with the lower ones."""
    return _signed(node, upper=True), _signed(node, upper=False)


def _signed(node: Node, *, upper: bool) -> Node:
    args = tuple(_signed(arg, upper=upper) for arg in node.args)
    if node.op not in ("pm", "mp"):
        return Node(node.op, args, node.value) if args else node
    term = args[-1] if (node.op == "pm") == upper else _negative(args[-1])
    return term if len(args) == 1 else Node("add", (args[0], term))


def _negative(node: Node) -> Node:
    if node.op == "bracket":
        return Node("bracket", tuple(map(_negative, node.args)), node.value)
    return Node("neg", (node,))
