"""Names, brackets and everything else that a factor can be."""

from __future__ import annotations

from .. import vocabulary
from ..tree import Node, function, product, symbol
from .letters import is_product, may_be_product
from .lexer import Token
from .names import COUNTING, Names, letter

_STARTS = frozenset(
    [
        "num",
        "sym",
        "const",
        "fn",
        "frac",
        "binom",
        "big",
        "accent",
        "font",
        "color",
        "name",
        "begin",
        "numbers",
        "empty",
        "letters",
        "braced",
    ]
)
_AROUND = frozenset("+-*/^_=|(){}\\'0123456789")
_CLOSERS = frozenset([")", "]", "}", "|", ")|", "⌋", "⌉", "⟩"])


_READERS = {
    kind: f"read_{kind}"
    for kind in (
        "num", "const", "dots", "empty", "numbers", "sym", "name", "accent", "font", "color", "pre", "word", "letters",
        "frac", "binom", "fn", "big", "op", "begin", "braced",
    )
}  # fmt: skip


class Atoms(Names):
    """The leaves of the grammar."""

    in_set = False  # inside braces of a set, where | separates the condition

    def starts_factor(self) -> bool:
        kind, value, _, _ = self.tokens[self.index]
        if kind in _STARTS:
            return True
        if kind == "word":
            return is_product(value) or self.is_factor(self.tokens[self.index])
        if kind == "pre":
            return bool(value != "¬")
        if kind != "op":
            return False
        if value == "|":
            return not self.bars and not self.in_set
        if value == "{":
            return not self.is_braced_text()
        return value in ("(", "[", "⌊", "⌈", "|(", "‖", "\\{", "⟨") and not (value == "‖" and self.bars)

    def is_braced_text(self) -> bool:
        """Whether braces hold words only, as in ``5{years}``, ``{even}`` and ``65{/h}``."""
        words = per = 0
        for token in self.tokens[self.index + 1 : self.index + 12]:
            if token.kind == "op" and token.value == "}":
                return words > 0
            if token.kind in ("word", "text") and (len(token.value) > 1 or words or per):
                words += 1
            elif token.kind == "op" and token.value in "/^":
                per += 1
            elif token.kind != "num" or not words:
                return False
        return False

    def ends_term(self) -> bool:
        value = self.tokens[self.index].value
        if value == "(" and self.at("("):
            following = self.ahead()
            return (
                following.kind == "mod"
                or (following.kind == "word" and following.value == "base")
                or self.holds_relation()
            )
        if value == "U":
            return self.tokens[self.index - 1].value in _CLOSERS and self.ahead().value in ("(", "[", "\\{")
        return value == "[" and self.at("[") and self.tokens[self.index - 1].kind == "word"

    def holds_relation(self) -> bool:
        """Whether the bracket ahead holds a relation, as in ``(k in Z)``: a condition, not a factor."""
        depth = 0
        for token in self.tokens[self.index :]:
            if token.kind == "op":
                depth += (token.value in "([") - (token.value in ")]")
                if depth == 0:
                    return False
            elif token.kind == "rel" and depth == 1:
                return True
        return False

    def number_after(self, before: Node) -> Node:
        previous = self.tokens[self.index - 1]
        if previous.kind == "op" and previous.value in _CLOSERS:
            return product(before, self.power())
        if before.op == "mul" and len(before.args) == 2 and before.args[1].value in COUNTING:
            return function(COUNTING[before.args[1].value], before.args[0], self.take().value)
        return super().number_after(before)

    def atom(self) -> Node:
        """One indivisible thing."""
        token = self.take()
        if token.kind == "num":
            return self.read_num(token)
        if token.kind == "word" and len(token.value) == 1 and token.value.isascii():
            return self.named(token.value)
        self.deeper()
        reader = getattr(self, _READERS.get(token.kind, ""), None)
        if reader is None:
            self.index -= token.kind != "end"
            raise self.unexpected("expected a value")
        node: Node = reader(token)
        self.depth -= 1
        return node

    def read_num(self, token: Token) -> Node:
        node: Node = token.value
        if self.tokens[self.index].value == "_" and self.tokens[self.index - 2].value != "^":
            raise self.unexpected("a number in a base inside an expression")
        return node

    def read_const(self, token: Token) -> Node:
        return Node("const", (), token.value)

    def read_dots(self, _token: Token) -> Node:
        return Node("dots")

    def read_empty(self, _token: Token) -> Node:
        return Node("set")

    def read_numbers(self, token: Token) -> Node:
        name = token.value
        if name in vocabulary.OF_EVENTS and self.at("(", "["):
            return self.named(name)
        while self.at("^", "_"):
            name += self.take().value + self.index_signs()
        return Node("numbers", (), name)

    def index_signs(self) -> str:
        r"""The signs of an index such as ``{\ge 0}``."""
        start = self.index
        plain = self.raw_group()
        relations = [token.value for token in self.tokens[start : self.index] if token.kind == "rel"]
        return relations[0] + plain.lstrip("<>=") if len(relations) == 1 else plain

    def read_sym(self, token: Token) -> Node:
        return self.named(token.value)

    def read_name(self, token: Token) -> Node:
        return self.named(token.value)

    def read_accent(self, token: Token) -> Node:
        start = self.index
        name = self.raw_group().replace("\\imath", "i").replace("\\jmath", "j")
        if token.value == "bar" and not name.isalnum():
            self.index = start
            return function("conjugate", self.group())
        return self.named(
            f"vec {name}" if name in ("i", "j", "k") and token.value == "hat" else f"{token.value} {name}"
        )

    def read_font(self, _token: Token) -> Node:
        return self.group()

    def read_color(self, token: Token) -> Node:
        for _ in range(token.value):
            self.raw_group()
        return self.group()

    def read_braced(self, _token: Token) -> Node:
        r"""``\underbrace{x}_{\text{label}}`` is x."""
        node = self.group()
        if self.at("_", "^"):
            self.take()
            self.raw_group()
        return node

    def read_pre(self, token: Token) -> Node:
        if token.value == "¬":
            return Node("prefix", (self.power(),), "¬")
        if token.value == "∇":
            sign = self.text[self.token.start : self.token.end] if self.at("*") else ""
            if sign:
                self.take()
            return Node("prefix", (self.power(),), f"∇{sign}")
        return symbol(token.value + self.take().value) if self.token.kind == "word" else self.named(token.value)

    def read_word(self, token: Token) -> Node:
        """Letters: one name, or several multiplied; the last one takes an index or arguments."""
        word = token.value
        if len(word) != 1 and not is_product(word) and not self.is_factor(token):
            self.index -= 1
            raise self.unexpected("a word inside an expression")
        return self.read_letters(token)

    def is_factor(self, token: Token) -> bool:
        """Whether a short word stands for its letters after all, where no word makes sense: the ``by`` of ``ax+by``."""
        if not self.letters or not may_be_product(token.value):
            return False
        before, after = self.text[max(0, token.start - 1) : token.start], self.text[token.end : token.end + 1]
        return (before in _AROUND and before != "") or (after in _AROUND and after != "")

    def read_letters(self, token: Token) -> Node:
        """The first of several letters; the others wait as a token of their own, for exponents bind to the last one."""
        if len(token.value) == 1:
            return self.named(token.value)
        self.index -= 1
        self.tokens[self.index] = Token("letters", token.value[1:], token.start + 1, token.end)
        return letter(token.value[0])

    def bracket(self, opening: Token) -> Node:
        """What an opening sign begins, up to its closing sign."""
        raise NotImplementedError
