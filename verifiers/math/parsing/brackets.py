"""Brackets, sets, absolute values, matrices and cases."""

from __future__ import annotations

import re

from ..tree import Node, function
from .functions import Functions
from .lexer import Token

_CLOSING = {"(": (")", "]"), "[": ("]", ")"), "{": ("}",), "\\{": ("\\}",), "⟨": ("⟩",)}
_MATRICES = {"matrix": "p", "pmatrix": "p", "bmatrix": "p", "smallmatrix": "p", "array": "p", "vmatrix": "det",
             "Vmatrix": "norm", "Bmatrix": "p"}  # fmt: skip
_CASES = frozenset(["cases", "dcases", "rcases", "aligned", "align", "align*", "gathered", "split", "alignedat"])


class Brackets(Functions):
    """What stands between an opening and a closing sign."""

    def read_op(self, token: Token) -> Node:
        """An atom that begins with a sign."""
        sign = token.value
        if sign in _CLOSING:
            return self.counted() if self.is_counted(token) else self.bracket(token)
        if sign in ("|", "|(", "∣"):
            return self.absolute(")|" if sign == "|(" else sign, "abs")
        if sign == "‖":
            return self.absolute("‖", "norm")
        if sign in ("⌊", "⌈"):
            inside = self.expression()
            self.need("⌋" if sign == "⌊" else "⌉")
            return function("floor" if sign == "⌊" else "ceil", inside)
        if sign in ("_", "^"):
            self.index -= 1
            return self.counted()
        self.index -= 1
        raise self.unexpected("expected a value")

    def absolute(self, closing: str, name: str) -> Node:
        bars, self.bars = self.bars, self.bars + (closing != ")|")
        inside = self.expression()
        self.need(closing)
        self.bars = bars
        return Node("matrix", inside.args, "det") if inside.op == "matrix" and name == "abs" else function(name, inside)

    def is_counted(self, token: Token) -> bool:
        """Whether ``{}`` begins ``{}_{10}C_{3}``."""
        return token.value == "{" and self.at("}") and self.ahead().value in ("_", "^")

    def counted(self) -> Node:
        """``_{10}C_{3}`` and ``^{10}C_{3}``, combinations and permutations."""
        self.skip("}")
        if not self.at("_", "^"):
            raise self.unexpected("expected an index")
        self.take()
        total = self.group()
        letter = self.take()
        if letter.kind != "word" or letter.value not in ("C", "P") or not self.skip("_"):
            raise self.unexpected("expected C or P with an index")
        return function("binomial" if letter.value == "C" else "permutations", total, self.group())

    def bracket(self, opening: Token) -> Node:
        self.deeper()
        sign = opening.value
        bars, in_set = self.bars, self.in_set
        self.in_set = (sign in ("\\{", "{") and self.in_set) or sign == "\\{"
        self.bars = 0 if sign != "(" else self.bars
        node = self.inside(sign)
        self.bars, self.in_set = bars, in_set
        self.depth -= 1
        return node

    def inside(self, sign: str) -> Node:
        """The content of a bracket and its closing sign."""
        if sign in ("\\{", "{") and self.at(_CLOSING[sign][0]):
            self.take()
            return Node("set")
        content = self.items()
        if sign in ("\\{", "(") and self.at("|", "∣", ":"):
            return self.conditional(sign, content)
        if self.token.kind == "over" and sign == "{":
            self.take()
            content = Node("div", (content, self.expression()))
        if self.token.kind == "choose":
            self.take()
            content = function("binomial", content, self.expression())
        if sign == "\\{" and content.op == "matrix" and not self.at("\\}"):
            return Node("cases", content.args)  # a brace before an array
        if not self.at(*_CLOSING[sign]):
            raise self.unexpected(f"expected {_CLOSING[sign][0]!r}")
        closing = self.take().value
        items = content.args if content.op == "list" and content.value in ",;" else (content,)
        if len(items) == 1 and sign + closing in ("(]", "[)"):
            raise self.unexpected("a bracket closed by one of another kind")
        if sign == "\\{":
            return Node("set", items)
        if sign == "{":
            return Node("set", items) if content.op == "list" else content
        if len(items) == 1 and sign == "(" and closing == ")":
            return Node("bracket", items, "()") if content.op in ("chain", "list", "cond") else content
        if sign == "[" and len(items) == 1 and items[0].op == "matrix":
            return items[0]
        if sign == "⟨":
            return Node("bracket", items, "()")
        return Node("group", items) if len(items) == 1 and sign == "[" else Node("bracket", items, sign + closing)

    def conditional(self, sign: str, content: Node) -> Node:
        """``{x | x > 2}``, and ``A | B`` in the arguments of a probability."""
        self.take()
        condition = self.items()
        self.need(")" if sign == "(" else "\\}")
        return Node("builder" if sign == "\\{" else "given", (content, condition))

    def read_begin(self, token: Token) -> Node:
        """An environment: a matrix or cases."""
        name, star = self.environment(token)
        kind = _MATRICES.get(name)
        if kind is None and name not in _CASES:
            raise self.unexpected(f"unknown environment {name}")
        if name == "array" and self.at("{"):
            self.raw_group()
        rows = self.rows(cases=kind is None)
        if self.token.kind != "close":
            raise self.unexpected(f"expected \\end{{{name}}}")
        if self.environment(self.take()) != (name, star):
            raise self.unexpected(f"expected \\end{{{name}}}")
        return Node("cases", rows) if kind is None else Node("matrix", rows, kind)

    def environment(self, token: Token) -> tuple[str, str]:
        r"""The name in ``\begin{name}`` or ``\end{name}``."""
        found = re.compile(r"\\(?:begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}").match(self.text, token.start)
        if found is None:
            raise self.unexpected("expected the name of an environment")
        while self.token.kind != "end" and self.token.start < found.end():
            self.take()
        return found[1], found[2]

    def rows(self, *, cases: bool) -> tuple[Node, ...]:
        r"""Cells set apart by ``&``, rows by ``\\``; a last empty row is dropped."""
        rows: list[Node] = []
        bars, self.bars = self.bars, 0
        outer, self.in_rows = self.in_rows, True
        while True:
            cells: list[Node] = []
            while not self.at_row_end():
                cells.append(self.cell(condition=bool(cells)) if cases else self.statement())
                if not self.skip("&"):
                    break
            if self.at(".") and self.ahead().kind in ("row", "close"):
                self.take()  # the full stop that ends a sentence
            if cells:
                rows.append(Node("row", tuple(cells)))
            if self.token.kind != "row":
                break
            self.take()
        self.bars, self.in_rows = bars, outer
        return tuple(rows)

    def cell(self, *, condition: bool) -> Node:
        """A value or a condition; the "if" before a condition is not part of it, and one in words is a text."""
        if self.token.kind in ("text", "word"):
            word = str(self.token.value).lower()
            if word in ("otherwise", "else"):
                self.take()
                return Node("text", (), "otherwise")
            if word in ("if", "when", "for", "where"):
                self.take()
        if condition and (end := self.end_of_words()):
            start, self.index = self.token.start, end
            return Node("text", (), self.text[start : self.tokens[end - 1].end])
        return self.items()

    def end_of_words(self) -> int:
        """Where a cell ends that holds words and no relation; 0 for any other."""
        wordy = False
        for index in range(self.index, len(self.tokens)):
            token = self.tokens[index]
            if token.kind in ("row", "end", "close"):
                return index if wordy else 0
            if token.kind in ("rel", "join", "mod", "numbers") or (token.kind == "op" and token.value == "&"):
                return 0
            wordy = wordy or token.kind == "text" or (token.kind == "word" and token.value in ("even", "odd", "is"))
        return 0

    def at_row_end(self) -> bool:
        """Whether the row is over."""
        return self.token.kind in ("row", "end", "close")
