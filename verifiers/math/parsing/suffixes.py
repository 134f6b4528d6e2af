"""What qualifies a value: units, money, moduli, conditions; and words that stand alone."""

from __future__ import annotations

import re

from ..tree import Node
from ..unit_table import Unit
from ..units import read_unit
from ..vocabulary import CONDITIONS
from .brackets import Brackets
from .errors import Unreadable
from .lexer import Token

_STOPS = frozenset([",", ";", ")", "]", "}", "\\}", "|", ")|", "⌋", "⌉", "⟩", "&", "∣"])
_SUFFIX_ENDS = frozenset(["end", "rel", "join", "row", "close", "mod", "dots"])
_APPROXIMATE = frozenset(["approximately", "about", "roughly", "around", "circa"])
_PERCENT = frozenset(["percent", "percentage", "pct", "percentagepoints"])


class Suffixes(Brackets):
    """The words and signs around a value."""

    def money(self) -> Node:
        """``$5`` and ``-`` before it."""
        sign = self.take()
        self.in_money = True
        value = self.expression()
        self.in_money = False
        unit = self.rate(sign.value) or read_unit(sign.value)
        return Node("unit", (value,), unit) if unit else value

    def rate(self, sign: str) -> Unit | None:
        """``/hour`` and ``per hour`` after an amount of money; None where nothing like it comes next."""
        start = self.index
        if not (self.at("/") or self.token.kind in ("text", "word")) or self.is_condition():
            return None
        self.take_suffix()
        source = self.text[self.tokens[start].start : self.tokens[self.index - 1].end]
        unit = read_unit(f"{sign} {source}") if re.match(r"(?:\\text\s*\{\s*|\s)*(?:/|per\b|an?\b)", source) else None
        if unit is None or unit.noun:
            self.index = start
            return None
        return unit

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
        start = self.tokens[self.index]
        if start.kind == "end" or node.op in ("text", "set"):
            return node
        if self.at("$") or start.kind == "money":
            self.take()
            unit = read_unit(start.value)
            return Node("unit", (node,), unit) if unit else node
        braced = self.at("{") and self.is_braced_text()
        if not (braced or start.kind in ("text", "word") or self.at("/")) or self.is_condition():
            return node
        self.take_suffix()
        source = self.text[start.start : self.tokens[self.index - 1].end]
        if re.sub(r"\\text|[{}\s\\]", "", source).lower() in _PERCENT:
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
        r"""``(mod 7)``, ``\pmod{7}``, ``\pmod 7``, ``mod 7``."""
        opened = self.at("(") and self.ahead().kind == "mod"
        if opened:
            self.take()
        if self.token.kind != "mod":
            return node
        bracketed = opened or self.take().value == "("
        if opened:
            self.take()
        modulus = self.group() if self.at("{") else self.expression()
        if opened:
            self.need(")")
        return Node("mod", (node, modulus), "class" if bracketed else "")

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
        while (
            self.token.kind != "end" and not self.at(";", "&", ")", "\\}") and self.token.kind not in ("row", "close")
        ):
            self.take()
        return Node("cond", (node, Node("text", (), self.text[start.start : self.tokens[self.index - 1].end])))
