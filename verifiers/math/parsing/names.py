"""Names with their indices and arguments, and what LaTeX takes as one argument."""

from __future__ import annotations

import re

from .. import vocabulary
from ..tree import E_BASE, I_UNIT, Node, function, number, symbol
from .arithmetic import Arithmetic
from .lexer import Token

_FONT_COMMANDS = re.compile(r"\\(?:[A-Za-z]+(?=[\s{])|[,;:!\s])|[{}\s$]")
_PLAIN = frozenset(["sym", "num", "const", "given", "chain", "setop", "binop", "prefix", "text"])
COUNTING = {"C": "binomial", "P": "permutations", "A": "permutations"}


class Names(Arithmetic):
    """Names and groups."""

    def named(self, name: str) -> Node:
        """A name with its index, and with arguments where it is a function."""
        if self.tokens[self.index].kind != "op":
            return letter(name)
        if self.at("_"):
            self.take()
            name = f"{name}_{self.raw_group()}"
        primes = 0
        while self.at("'"):
            self.take()
            primes += 1
        full = name + "'" * primes
        if self.at("[") and name in ("E", "Var", "P", "Pr", "Cov") and (found := self.applied(name, full)):
            return found
        if self.at("(") and (found := self.applied(name, full)):
            return found
        return letter(full)

    def applied(self, name: str, full: str) -> Node | None:
        """``f(x)``: a function applied, a binomial ``C(5,2)``, or None where it is a product."""
        base = name.partition("_")[0]
        if base.isupper() and len(base) == 1 and base not in vocabulary.UNKNOWN_FUNCTIONS and base not in "CPE":
            return self.point()
        named = base in vocabulary.APPLIED_WORDS
        named = named or (full != name and len(base) == 1)  # y'(x)
        if base not in vocabulary.UNKNOWN_FUNCTIONS and base not in COUNTING and base != "E" and not named:
            return None
        start = self.index
        bars, self.bars = self.bars, 1
        inside = self.bracket(self.take())
        self.bars = bars
        items = inside.args if inside.op in ("bracket", "group") else (inside,)
        if len(items) == 2 and base in COUNTING and inside.value == "()":
            return function(COUNTING[base], *items)
        if base in vocabulary.OF_EVENTS:
            items = tuple(map(_event, items))
        plain = named or all(item.op in _PLAIN for item in items)
        if base in vocabulary.ALWAYS_FUNCTIONS or (plain and base not in "CA") or full != name:
            return Node("apply", items, full)
        self.index = start
        return None

    def point(self) -> Node | None:
        """The coordinates in ``A(1, 2)``; None where the bracket holds one factor."""
        start = self.index
        inside = self.bracket(self.take())
        if inside.op == "bracket" and len(inside.args) > 1:
            return inside
        self.index = start
        return None

    def raw_group(self) -> str:
        """The source of a group without braces, blanks and fonts: an index, the name under an accent."""
        token = self.take()
        if token.kind == "end":
            raise self.unexpected("expected an index")
        if not (token.kind == "op" and token.value == "{"):
            return _FONT_COMMANDS.sub("", self.text[token.start : token.end])
        depth, start = 1, token.end
        while depth:
            token = self.take()
            if token.kind == "end":
                raise self.unexpected("expected '}'")
            if token.kind == "op":
                depth += (token.value == "{") - (token.value == "}")
        return _FONT_COMMANDS.sub(
            "",
            re.sub(
                r"\\(?=(?:max|min|sup|inf|lim|exp|log|tan|sin)(?![A-Za-z]))|\\(?:text|mathrm|mathbf|mbox)\s*",
                "",
                self.text[start : token.start],
            ),
        )

    def group(self) -> Node:
        """``{...}`` or what LaTeX takes without braces: one digit, one letter or one command."""
        token = self.tokens[self.index]
        if token.kind == "op" and token.value == "{":
            return self.lone() or self.bracket(self.take())
        source = self.text[token.start : token.end]
        if token.kind == "num" and len(source) > 1 and source.isdigit():
            self.tokens[self.index] = Token("num", number(int(source[1:])), token.start + 1, token.end)
            return number(int(source[0]))
        if token.kind in ("word", "letters") and len(source) > 1 and source.isalpha():
            self.tokens[self.index] = Token("letters", source[1:], token.start + 1, token.end)
            return letter(source[0])
        if self.at("-"):
            self.take()
            return Node("neg", (self.atom(),))
        return self.atom()

    def lone(self) -> Node | None:
        """The number or the letter that braces hold alone, as most of them do; None where they hold anything else."""
        inside, closing = self.ahead(1), self.ahead(2)
        if closing.kind != "op" or closing.value != "}":
            return None
        if inside.kind == "num":
            node: Node = inside.value
        elif inside.kind == "word" and len(inside.value) == 1 and inside.value.isascii():
            node = letter(inside.value)
        else:
            return None
        self.index += 3
        return node

    def bracket(self, opening: Token) -> Node:
        """What an opening sign begins, up to its closing sign."""
        raise NotImplementedError


def _event(node: Node) -> Node:
    r"""What a probability is of: ``A \mid B`` is A given B there, not a divisor of B."""
    return Node("given", node.args) if node.op == "chain" and node.value == ("mid",) else node


def letter(name: str) -> Node:
    """A name of one letter; e and i are the constants."""
    return I_UNIT if name == "i" else E_BASE if name == "e" else symbol(name)
