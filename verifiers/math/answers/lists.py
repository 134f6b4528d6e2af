"""What stands between commas, semicolons, "and" and "or": lists, records of named values, combined conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from ..equality.exact import rational
from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import Node, is_arithmetic, substitute, symbols, walk
from .assignment import Assignment
from .base import Answer
from .collection import Collection
from .family import Family, families, is_membership
from .interpret import interpret
from .sequence import Sequence

if TYPE_CHECKING:
    from ..compare import Judge


@dataclass(frozen=True)
class Record(Answer):
    """Values of several names at once: ``x = 7, y = 6``, which is also the pair (7, 6).

    Attributes:
        names: The names.
        values: Their values, in the same order.
        together: Whether all of it holds at once; ``x = 7 or y = 6`` is no pair and no list of values.
    """

    names: tuple[str, ...]
    values: tuple[Answer, ...]
    together: bool = True
    label: ClassVar[str] = "a set of named values"

    @classmethod
    def of_brackets(cls, left: Node, right: Node) -> Record | None:
        """``(x, y) = (5, 8)``."""
        if right.op != "bracket" or len(left.args) != len(right.args) or any(arg.op != "sym" for arg in left.args):
            return None
        return cls(tuple(arg.value for arg in left.args), tuple(map(interpret, right.args)))

    def equals(self, other: Record, judge: Judge) -> Outcome:
        mine, theirs = (
            dict(zip(self.names, self.values, strict=True)),
            dict(zip(other.names, other.values, strict=True)),
        )
        if mine.keys() != theirs.keys() or self.together != other.together:
            return unequal("values of other names")
        for name, value in mine.items():
            if not judge.same(value, theirs[name]).equal:
                return unequal(f"{name} differs")
        return EQUAL

    def excludes(self, other: Answer) -> bool:
        """A list of named values is this one's only where its names are, and then it is a record itself."""
        return isinstance(other, Collection) and any(isinstance(item, Assignment) for item in other.items)

    def views(self) -> Iterator[Answer]:
        if not self.together:
            return
        if list(self.names) == sorted(self.names) or not _is_alphabetical(self.names):
            yield self.sequence()
        if list(self.names) != sorted(self.names):
            pairs = sorted(zip(self.names, self.values, strict=True), key=lambda pair: pair[0])
            yield Sequence(tuple(value for _, value in pairs), "()")
        yield Collection(self.values)

    def sequence(self) -> Sequence:
        """The values as a tuple in the order given."""
        return Sequence(self.values, "()")

    @property
    def size(self) -> int:
        return len(self.values)


def _is_alphabetical(names: tuple[str, ...]) -> bool:
    """Whether names follow each other in the alphabet or by their numbers, so that a tuple of them has one order."""
    places = sorted(map(ord, names) if all(len(name) == 1 for name in names) else [0])
    if len(places) == len(names):
        return places[-1] - places[0] == len(names) - 1
    heads = {name.partition("_")[0] for name in names}
    return len(heads) == 1 and all(name.partition("_")[2].isdigit() for name in names)


class Listing(Answer):
    """Reads lists; what it makes is always of another type."""

    label: ClassVar[str] = "a list"
    ops: ClassVar[tuple[str, ...]] = ("list",)

    @classmethod
    def from_tree(cls, node: Node) -> Answer | None:
        if node.value in ("and", "or") and (combined := combined_conditions(node)):
            return combined
        if node.value == ",":
            return _comma_list(node.args)
        if node.value == "or" and isinstance(listed := _comma_list(node.args), Record):
            return replace(listed, together=False)
        if node.value == "or" and _relates_several(node.args):
            return replace(Collection.of(node.args), apart=True)
        flat: list[Node] = []
        for part in node.args:
            nested = part.op == "list" and part.value == ","
            if nested and node.value != ";" and _is_flat(part, node.args, node.value):
                flat.extend(part.args)
            else:
                flat.append(part)
        return _comma_list(tuple(flat))

    def equals(self, other: Listing, judge: Judge) -> Outcome:
        raise NotImplementedError("a listing reads trees and is never an answer")


def _relates_several(parts: tuple[Node, ...]) -> bool:
    """Whether parts are relations of different names, one at least no equation: then "or" is not "and"."""
    if any(part.op != "chain" for part in parts) or all(set(part.value) == {"="} for part in parts):
        return False
    return len({name for part in parts for name in symbols(part)}) > 1


def _is_flat(part: Node, parts: tuple[Node, ...], mark: str) -> bool:
    """Whether commas and an "and" part one list: in ``n = 1, 2 and 3``, not in ``x = 1, y = 2 and x = 3, y = 4``."""
    chains = [arg for arg in part.args if arg.op == "chain"]
    if not chains:
        return True
    every = [item for one in parts for item in (one.args if one.op == "list" else (one,))]
    if mark == "and" and all(item.op == "chain" and item.value == ("=",) for item in every):
        return len({item.args[0] for item in every}) == len(every)  # a = 2, b = 3 and c = -1
    alone = not any(other.op in ("chain", "list") for other in parts[1:])
    return alone and part is parts[0] and chains == [part.args[0]]


def combined_conditions(node: Node) -> Answer | None:
    """``x < -8 or x > 8`` as one set of real numbers."""
    from .realset import RealSet

    if all(part.op == "chain" and set(part.value) == {"="} for part in node.args):
        return None
    sets = []
    names = set()
    for part in node.args:
        found = RealSet.from_condition(part) if part.op == "chain" else None
        if found is None or not found.name:
            return None
        sets.append(found)
        names.add(found.name)
    if len(names) != 1:
        return None
    result: RealSet | None = sets[0]
    for other in sets[1:]:
        if result is None:
            return None
        result = result.union(other) if node.value == "or" else result.intersection(other)
    return result


def _is_signature(node: Node) -> bool:
    r"""Whether a statement only says from where to where a function leads: ``f: \mathbb{R} \to \mathbb{R}``."""
    if node.op != "chain" or node.value != ("to",) or node.args[1].op != "numbers":
        return False
    source = node.args[0]
    return source.op == "numbers" or (source.op == "ratio" and source.args[-1].op == "numbers")


def _says_nothing(node: Node, nodes: tuple[Node, ...]) -> bool:
    r"""Whether an item only says that a function or a name is real: ``x \in \mathbb{R}, x \ne 3``."""
    if _is_signature(node) or _is_pole(node, nodes):
        return True
    if not is_membership(node) or node.args[1].value != "R":
        return False
    others = [other for other in nodes if other is not node]
    return all(other.op == "chain" and other.args[0] == node.args[0] and other.value != ("=",) for other in others)


def _is_pole(node: Node, nodes: tuple[Node, ...]) -> bool:
    r"""Whether an item excludes what no other value allows: ``\frac{x+1}{x-1}, x \ne 1``."""
    if node.op != "chain" or node.value != ("!=",) or node.args[0].op != "sym":
        return False
    others = [other for other in nodes if other.op != "chain" or other.value == ("=",)]
    value = others[0].args[-1] if others and others[0].op == "chain" else others[0] if others else node
    if len(others) != 1 or not is_arithmetic(value):
        return False
    there = substitute(value, {node.args[0].value: node.args[1]})
    return any(part.op == "div" and rational(part.args[1]) == 0 for part in walk(there))


def _shared(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    r"""The items of ``x \\equiv 1, 4 \\pmod 5`` and ``x \\ne 1, 2``, each with what they share."""
    first, last = nodes[0], nodes[-1]
    if last.op == "mod" and last.args[0].op != "chain" and first.op in ("chain", "num", "neg", "sym"):
        return tuple(node if node.op == "mod" else Node("mod", (node, last.args[1]), last.value) for node in nodes)
    if first.op == "chain" and first.value == ("!=",) and all(is_arithmetic(node) for node in nodes[1:]):
        return (first, *(Node("chain", (first.args[0], node), ("!=",)) for node in nodes[1:]))
    return nodes


def _comma_list(nodes: tuple[Node, ...]) -> Answer:
    """A comma list, or what it says together: a record, one name with several values, a family."""
    nodes = _shared(tuple(node for node in nodes if not _says_nothing(node, nodes)) or nodes)
    if len(nodes) == 1:
        return interpret(nodes[0])
    memberships = [node for node in nodes[1:] if is_membership(node)]
    family = Family.of(nodes[0], memberships) if memberships and len(memberships) == len(nodes) - 1 else None
    if family is not None:
        return family
    if (memberships or nodes[-1].op == "cond") and (several := families(Node("list", nodes, ","))) is not None:
        return several
    collection = Collection.of(nodes)
    items = collection.items
    named = [item for item in items if isinstance(item, Assignment)]
    if len(named) == len(items):
        return _named(tuple(named), collection)
    first = items[0]
    if isinstance(first, Record) and not any(isinstance(item, Assignment | Record) for item in items[1:]):
        return Collection((first.sequence(), *items[1:]))
    if isinstance(first, Assignment) and len(named) == 1 and nodes[0].op == "chain":
        values = first.value.items if isinstance(first.value, Collection) else (first.value,)
        return Assignment(first.name, Collection((*values, *items[1:])))
    return collection


def _named(items: tuple[Assignment, ...], collection: Collection) -> Answer:
    """Assignments only: of different names a record, of one name all its values."""
    names = [item.name for item in items]
    if len(set(names)) == 1 and len(names) > 1:
        values: list[Answer] = []
        for item in items:
            values.extend(item.value.items if isinstance(item.value, Collection) else (item.value,))
        return Assignment(names[0], Collection(tuple(values)))
    if len(set(names)) == len(names) > 1 and all(name.op in ("sym", "const", "mul") for name in names):
        return Record(tuple(_spelled(name) for name in names), tuple(item.value for item in items))
    return collection


def _spelled(name: Node) -> str:
    return "".join(map(_spelled, name.args)) if name.op == "mul" else str(name.value)
