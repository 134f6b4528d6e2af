"""Sets and comma lists: unordered; plus-minus stands for two values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import TWO, ZERO, Node, product, symbols, walk
from .base import Answer
from .interpret import interpret

if TYPE_CHECKING:
    from ..compare import Judge


MAX_SIGNS = 3  # that are chosen independently
FEW = 8  # items up to which comparing all of them costs less than looking for those that are written alike
MAX_REPEATED = 4  # so many items are looked at for being one value


@dataclass(frozen=True)
class Collection(Answer):
    """Several answers at once.

    Attributes:
        items: The answers.
        is_set: Whether repetitions do not count.
        apart: Whether they are relations of which one holds, not all: ``x > 0 or y > 0``.
    """

    items: tuple[Answer, ...]
    is_set: bool = False
    apart: bool = False
    label: ClassVar[str] = "a set"
    ops: ClassVar[tuple[str, ...]] = ("set", "pm", "mp")

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.op != "set":  # plus-minus, at the top or somewhere inside
            return cls(tuple(map(interpret, _all_signs(node) or branches(node))), True)
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
        if self.apart != other.apart:
            return unequal('"or" against "and"')
        if self.is_set or other.is_set:
            return _same_members(self.items, other.items, judge)
        mine, others = list(self.items), list(other.items)
        if len(mine) != len(others):
            return unequal(f"{len(mine)} values against {len(others)}")
        ordered = judge.policy.list_order
        if not ordered and len(mine) > FEW:
            mine, others = _without_common(mine, others)
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
        if (numbers := self._as_condition() or self._as_inequality()) is not None:
            yield numbers
        if (curve := self._as_curve()) is not None:
            yield curve

    def _as_inequality(self) -> Answer | None:
        """``x < y and y < z`` as one chain."""
        from .inequality import Inequality

        chains = [item for item in self.items if isinstance(item, Inequality)]
        if self.is_set or self.apart or len(chains) < max(2, len(self.items)):
            return None
        return Inequality(tuple(pair for chain in chains for pair in chain.pairs))

    def _as_curve(self) -> Answer | None:
        """``y = 2 sqrt(x), y = -2 sqrt(x)`` as one equation; None for anything but two branches of a curve."""
        from .assignment import Assignment

        named = [item for item in self.items if isinstance(item, Assignment)]
        if len(named) != 2 or len(self.items) != 2 or named[0].name != named[1].name:
            return None
        equations = [item.equation() for item in named]
        if any(equation is None or not symbols(equation.right) for equation in equations):
            return None
        first, second = (equation for equation in equations if equation is not None)
        if second.right == Node("neg", (first.right,)):
            return interpret(Node("chain", (product(first.left, first.left), _squared(first.right)), ("=",)))
        return interpret(Node("chain", (product(first.difference, second.difference), ZERO), ("=",)))

    def _as_condition(self) -> Answer | None:
        """``x < -1, x > 3`` and ``x != 1, x != 2`` as one set of real numbers; None for anything else.

        Conditions that exclude each other are alternatives; those that together exclude nothing hold at once.
        """
        from .intervals import EVERYTHING
        from .realset import RealSet

        sets = [item for item in self.items if isinstance(item, RealSet)]
        if len(sets) < len(self.items) or len(sets) < 2 or len({found.name for found in sets}) != 1 or not sets[0].name:
            return None
        common: RealSet | None = sets[0]
        union = sets[0]
        for found in sets[1:]:
            common = common and common.intersection(found)
            union = union.union(found)
        if common is None:
            return None
        return union if not common.pieces else common if union.pieces == (EVERYTHING,) else None

    def _repeats(self) -> bool:
        """Whether all items are one value, written in several ways."""
        from ..compare import Judge

        judge = Judge()
        return all(judge.same(self.items[0], item).equal for item in self.items[1:])

    def key(self) -> str | None:
        if any(isinstance(item, Collection) for item in self.items):
            return None  # the set of the empty set is not empty
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


def _without_common(mine: list[Answer], others: list[Answer]) -> tuple[list[Answer], list[Answer]]:
    """Both lists without the answers that are written alike in both: those need no comparison."""
    counts = Counter(mine) & Counter(others)
    kept = []
    for answers in (mine, others):
        left = Counter(counts)
        kept.append([answer for answer in answers if not left[answer] or left.subtract((answer,))])
    return kept[0], kept[1]


def _same_members(mine: tuple[Answer, ...], others: tuple[Answer, ...], judge: Judge) -> Outcome:
    """Whether each answer of one set is an answer of the other; those written alike in both need no comparison."""
    common: set[Answer] = set()
    if len(mine) + len(others) > FEW:
        mine, others = tuple(dict.fromkeys(mine)), tuple(dict.fromkeys(others))
        common = set(mine).intersection(others)
    found: set[int] = set()
    for answer in mine:
        if answer in common:
            continue
        places = [place for place, other in enumerate(others) if judge.same(answer, other).equal]
        if not places:
            return unequal(f"{answer.text or 'a value'} is missing")
        found.update(places)
    for place, other in enumerate(others):
        if other not in common and place not in found and not any(judge.same(answer, other).equal for answer in mine):
            return unequal(f"{other.text or 'a value'} is too many")
    return EQUAL


def _squared(node: Node) -> Node:
    """The square of an expression, without the square roots that it is made of."""
    if node.op == "root" and node.args[1] == TWO:
        return node.args[0]
    if node.op in ("mul", "div"):
        return Node(node.op, tuple(map(_squared, node.args)))
    return product(node, node)


def has_signs(node: Node) -> bool:
    """Whether a plus-minus occurs in the tree."""
    return any(found.op in ("pm", "mp") for found in walk(node))


def _all_signs(node: Node) -> list[Node] | None:
    r"""Every choice of signs in ``1 \pm a \pm b``; None where the signs go together: with a minus-plus, in a tuple."""
    signs = [found.op for found in walk(node) if found.op in ("pm", "mp", "bracket", "list", "set")]
    if not 2 <= len(signs) <= MAX_SIGNS or set(signs) != {"pm"}:
        return None
    found = [node]
    for _ in signs:
        found = [choice for one in found for choice in (_first_sign(one, upper=True), _first_sign(one, upper=False))]
    return found


def _first_sign(node: Node, *, upper: bool) -> Node:
    """The tree with its first plus-minus decided."""
    if node.op == "pm":
        inside = next((index for index, arg in enumerate(node.args) if has_signs(arg)), None)
        if inside is None:
            term = node.args[-1] if upper else _negative(node.args[-1])
            return term if len(node.args) == 1 else Node("add", (node.args[0], term))
    for index, arg in enumerate(node.args):
        if has_signs(arg):
            decided = _first_sign(arg, upper=upper)
            return Node(node.op, (*node.args[:index], decided, *node.args[index + 1 :]), node.value)
    return node


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
