"""Whole answers: relations, lists, units, conditions."""

from __future__ import annotations

import re

from ..tree import Node
from ..units import read_unit
from ..vocabulary import CONDITIONS
from .brackets import Brackets
from .errors import Unreadable
from .lexer import Token

_STOPS = frozenset([",", ";", ")", "]", "}", "\\}", "|", ")|", "⌋", "⌉", "⟩", "&", "∣"])
_SUFFIX_ENDS = frozenset(["end", "rel", "join", "row", "close", "mod", "dots"])
_APPROXIMATE = frozenset(["approximately", "about", "roughly", "around", "circa"])
MAX_ITEMS = 256
MAX_NAME_WORDS = 3


class Parser(Brackets):
    """The grammar of a whole answer."""

    def answer(self) -> Node:
        """The whole text as one tree; anything left over is an error."""
        node = self.items()
        if self.token.kind != "end":
            raise self.unexpected("nothing more was expected")
        return node

    def items(self) -> Node:
        """Statements with commas, semicolons, "and" or "or" between them, nested by how strongly they part."""
        parts = [self.statement()]
        marks: list[str] = []
        while mark := self.separator():
            marks.append(mark)
            if mark == "," and self.at_list_end():
                marks.pop()
                break
            parts.append(self.statement())
            if len(parts) > MAX_ITEMS:
                raise self.unexpected(f"more than {MAX_ITEMS} items")
        return _nested(parts, marks)

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
        node = self.with_suffix(self.operand())
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
        """``= \\; ~`` after a relation means nothing more."""
        if self.token.kind == "rel" and self.token.value == "~":
            self.take()

    def operand(self) -> Node:
        """A side of a relation: a set, a ratio, a sum, or a text."""
        while self.token.kind == "rel" and self.token.value == "~" and self.index == 0:
            self.take()  # "≈ 3.14" is 3.14
        token = self.token
        if token.kind in ("text", "word") and not self.starts_factor():
            return self.phrase()
        if token.kind == "money" or self.at("$"):
            return self.money()
        if self.at("{") and self.is_braced_text():
            return Node("text", (), self.raw_group())
        start = self.index
        node = self.ratio()
        while self.token.kind == "set" or self.is_union_word(node):
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
        parts = [self.expression()]
        while (self.at(":") and not self.in_set) or (self.token.kind in ("text", "word") and self.token.value == "to"):
            self.take()
            parts.append(self.expression())
        return parts[0] if len(parts) == 1 else Node("ratio", tuple(parts))

    def money(self) -> Node:
        """``$5`` and ``-`` before it."""
        sign = self.take()
        value = self.expression()
        unit = read_unit(sign.value)
        return Node("unit", (value,), unit) if unit else value

    def phrase(self) -> Node:
        """Words: a qualifier of what follows, a unit before its number ("USD 10"), or a text."""
        start = self.token
        if start.kind == "word" and start.value.lower() in _APPROXIMATE:
            self.take()
            return self.operand()
        if self.ahead().kind == "num" and start.value.isupper() and (unit := read_unit(start.value)):
            self.take()
            return Node("unit", (self.expression(),), unit)
        while self.token.kind in ("text", "word") and not self.is_condition():
            if start.kind == "text" and self.token is not start and self.starts_factor():
                return Node("prefix", (self.ratio(),), start.value)  # \text{group } D_4
            self.take()
        if self.token is start:
            raise self.unexpected("a condition of nothing")
        return Node("text", (), self.text[start.start : self.tokens[self.index - 1].end])

    def is_condition(self) -> bool:
        """Whether a word or a text begins a condition: "for any", "where", "if"."""
        token = self.token
        return token.kind in ("text", "word") and str(token.value).split()[0].lower() in CONDITIONS and self.index > 0

    def with_suffix(self, node: Node) -> Node:
        """The unit or the counted thing after a value."""
        if node.op in ("text", "set"):
            return node
        start = self.token
        if self.at("$") or start.kind == "money":
            self.take()
            unit = read_unit(start.value)
            return Node("unit", (node,), unit) if unit else node
        braced = self.at("{") and self.is_braced_text()
        if not (braced or start.kind in ("text", "word") or self.at("/")) or self.is_condition():
            return node
        self.take_suffix()
        source = self.text[start.start : self.tokens[self.index - 1].end]
        if re.sub(r"\\text|[{}\s\\]", "", source).lower() in ("percent", "percentage", "pct", "percentagepoints"):
            return Node("pct", (node,))
        return self.typed(node, source, start)

    def typed(self, node: Node, source: str, start: Token) -> Node:
        """The value with the unit that ``source`` names; a pair of words may be a pair of values and units."""
        degrees = node.op == "deg" and source.strip(" {}\\") in ("C", "F")
        unit = read_unit(f"°{source}" if degrees else source.strip().lstrip("/") if source[0] == "/" else source)
        if unit is None:
            raise Unreadable(f"{source[:40]!r} is no unit", start.start)
        return Node("unit", node.args if degrees else (node,), unit)

    def take_suffix(self) -> None:
        """Read up to where a unit ends; braces that open inside it belong to it."""
        braces = 0
        while True:
            token = self.token
            if token.kind in _SUFFIX_ENDS or self.is_condition() or (self.at("(") and self.ahead().kind == "mod"):
                return
            if token.kind == "op":
                braces += token.value == "{"
                if token.value in _STOPS and not (token.value == "}" and braces):
                    return
                braces -= token.value == "}"
            self.take()

    def with_modulus(self, node: Node) -> Node:
        """``(mod 7)``, ``\\pmod{7}``, ``\\pmod 7``, ``mod 7``."""
        opened = self.at("(") and self.ahead().kind == "mod"
        if opened:
            self.take()
        if self.token.kind != "mod":
            return node
        self.take()
        modulus = self.group() if self.at("{") else self.expression()
        if opened:
            self.need(")")
        return Node("mod", (node, modulus))

    def with_condition(self, node: Node) -> Node:
        """``for any ...``, ``(k in Z)``, ``if x > 0`` after a value."""
        if node.op == "text" and (self.at("(", "[") or self.is_condition()):
            raise self.unexpected("nothing after a text")
        if self.at("(", "[") and node.op not in ("num",):
            condition = self.bracket(self.take())
            if condition.op == "bracket" and len(condition.args) == 1:
                return Node("cond", (node, condition.args[0]))
            raise self.unexpected("a bracket after a whole value")
        if not self.is_condition():
            return node
        start = self.take()
        while self.token.kind != "end" and not self.at(";", "&", ")", "\\}") and self.token.kind not in ("row", "close"):
            self.take()
        return Node("cond", (node, Node("text", (), self.text[start.start : self.tokens[self.index - 1].end])))


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


def parse(text: str) -> Node:
    """The tree of one answer.

    Raises:
        Unreadable: Something is unknown or left over; it says where.
        TooLarge: The text exceeds a limit.
    """
    return Parser(text).answer()


