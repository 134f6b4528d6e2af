"""Whole answers: relations, lists, units, conditions."""

from __future__ import annotations

from ..tree import Node
from .suffixes import Suffixes

_ENDS = frozenset([",", ";", "&", ")", "]", "}", "\\}"])  # nothing after these qualifies the value before them
_CLOSERS = frozenset([")", "]", "}", "\\}"])
MAX_ITEMS = 256
MAX_NAME_WORDS = 3


class Parser(Suffixes):
    """The grammar of a whole answer."""

    def answer(self) -> Node:
        """The whole text as one tree; anything left over is an error."""
        while self.token.kind == "rel" and self.token.value in "=≡":
            self.take()  # "= 5" is 5
        node = self.items()
        if self.token.kind == "over":
            self.take()
            node = Node("div", (node, self.expression()))
        if self.token.kind != "end":
            raise self.unexpected("nothing more was expected")
        return node

    def items(self) -> Node:
        """Statements with commas, semicolons, "and" or "or" between them, nested by how strongly they part."""
        parts = [self.statement()]
        following = self.tokens[self.index]
        if following.kind == "end" or (following.kind == "op" and following.value in _CLOSERS):
            return parts[0]
        marks: list[str] = []
        while mark := self.separator():
            marks.append(mark)
            if mark == "," and self.at_list_end():
                marks.pop()
                break
            parts.append(self.qualifier() if mark == "," and self.is_condition() else self.statement())
            if len(parts) > MAX_ITEMS:
                raise self.unexpected(f"more than {MAX_ITEMS} items")
        return _nested(parts, marks)

    def qualifier(self) -> Node:
        r"""The membership in ``k\pi, where k \in \mathbb{Z}``."""
        start = self.index
        self.take()
        node = self.statement()
        if node.op != "chain" or node.value != ("in",):
            self.index = start
            raise self.unexpected("a condition of nothing")
        return node

    def at_list_end(self) -> bool:
        """Whether a comma was the last sign: ``1, 2,``."""
        return self.token.kind in ("end", "row", "close") or self.at("&")

    def separator(self) -> str:
        """Read what stands between two items: ``", and"`` counts as a comma."""
        token = self.token
        if token.kind == "join":
            self.take()
            if self.at(","):
                self.take()
            return str(token.value)
        if token.kind == "op" and token.value in (",", ";", "&") and not (token.value == "&" and self.in_rows):
            self.take()
            if self.token.kind == "join" and token.value != ";":
                self.take()
            elif self.token.kind == "join":
                return str(self.take().value)
            return "," if token.value == "&" else str(token.value)
        return ""

    def statement(self) -> Node:
        """``value (relation value)*`` and what qualifies it."""
        self.deeper()
        node = self.operand()
        following = self.tokens[self.index]
        if following.kind == "end" or (following.kind == "op" and following.value in _ENDS):
            self.depth -= 1
            return node
        node = self.with_suffix(node)
        relations: list[str] = []
        operands = [node]
        while self.token.kind == "rel" or (self.at("∣") and not self.in_set):
            relation = self.take()
            relations.append("mid" if relation.kind == "op" else relation.value)
            self.skip_signs()
            operands.append(self.with_suffix(self.operand()))
        if relations:
            self.check_texts(operands, relations)
            node = Node("chain", tuple(operands), tuple(relations))
        node = self.with_modulus(node)
        node = self.with_condition(node)
        self.depth -= 1
        return node

    def check_texts(self, operands: list[Node], relations: list[str]) -> None:
        """A short text may name what an equation gives; a sentence around a relation is not read as one."""
        texts = [operand.value for operand in operands if operand.op == "text"]
        if texts and (any(relation != "=" for relation in relations) or len(texts[0].split()) > MAX_NAME_WORDS):
            raise self.unexpected("a text beside a relation")

    def skip_signs(self) -> None:
        r"""``= \; ~`` after a relation means nothing more."""
        if self.token.kind == "rel" and self.token.value == "~":
            self.take()

    def operand(self) -> Node:
        """A side of a relation: a set, a ratio, a sum, or a text."""
        while self.token.kind == "rel" and self.token.value == "~" and self.index == 0:
            self.take()  # "≈ 3.14" is 3.14
        kind, value, _, _ = self.tokens[self.index]
        if kind in ("text", "word") and not self.starts_factor():
            return self.phrase()
        if kind == "money" or (kind == "op" and value == "$"):
            return self.money()
        if kind == "op" and value == "{" and self.is_braced_text():
            return Node("text", (), self.raw_group())
        start = self.index
        node = self.ratio()
        while self.tokens[self.index].kind in ("set", "word") and (
            self.token.kind == "set" or self.is_union_word(node)
        ):
            node = self.as_set(node, start)
            sign = self.take().value
            start = self.index
            node = Node("setop", (node, self.as_set(self.ratio(), start)), "∪" if sign == "U" else sign)
        return node

    def as_set(self, node: Node, start: int) -> Node:
        """A side of a union that stands in plain braces is a set of one element."""
        braced = self.tokens[start].value == "{" and self.tokens[self.index - 1].value == "}"
        return Node("set", (node,)) if braced and node.op != "set" else node

    def is_union_word(self, node: Node) -> bool:
        """Whether a letter U between two brackets stands for a union."""
        token = self.token
        return token.kind == "word" and token.value == "U" and node.op in ("bracket", "set", "setop")

    def ratio(self) -> Node:
        """``a : b : c``; a colon inside braces of a set begins its condition."""
        first = self.expression()
        kind, value, _, _ = self.tokens[self.index]
        if (kind == "op" and value != ":") or kind == "end":
            return first
        parts = [first]
        while (self.at(":") and not self.in_set) or (self.token.kind in ("text", "word") and self.token.value == "to"):
            self.take()
            parts.append(self.expression())
        return parts[0] if len(parts) == 1 else Node("ratio", tuple(parts))


def _nested(parts: list[Node], marks: list[str]) -> Node:
    """Items grouped by the strength of their separators: semicolons part first, then words, then commas."""
    if not marks:
        return parts[0]
    for strong in ((";",), ("and", "or"), (",",)):
        found = [mark for mark in marks if mark in strong]
        if not found:
            continue
        groups: list[Node] = []
        start = 0
        for index, mark in enumerate([*marks, strong[0]]):
            if mark in strong:
                groups.append(_nested(parts[start : index + 1], marks[start:index]))
                start = index + 1
        return Node("list", tuple(groups), found[0])
    raise AssertionError("every mark is a separator")


def parse(text: str, *, letters: bool = False) -> Node:
    """The tree of one answer.

    Args:
        text: The answer, tidied.
        letters: Whether short words and units may be products of their letters: ``by``, ``mg``.

    Raises:
        Unreadable: Something is unknown or left over; it says where.
        TooLarge: The text exceeds a limit.
    """
    return Parser(text, letters=letters).answer()
