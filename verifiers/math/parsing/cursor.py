"""Where the parser stands in its tokens, and the limits it keeps."""

from __future__ import annotations

from ..tree import Node
from .errors import TooLarge, Unreadable
from .lexer import Token, tokenize

MAX_DEPTH = 64


class Cursor:
    """The tokens of one text with a position; the grammar's layers are built on it."""

    def __init__(self, text: str, *, letters: bool = False) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.letters = letters  # whether short words are taken for their letters
        self.index = 0
        self.depth = 0
        self.in_rows = False  # between \begin and \end, where & parts cells
        self.integrals = 0  # how many integrals are open, in which dx ends the argument of a function
        self.in_money = False  # after a sign of money, where "/hour" is no quotient
        self.bars = 0  # how many absolute values are open, in which a further | closes

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.index]

    def ahead(self, count: int = 1) -> Token:
        """The token ``count`` after the next one; the end token beyond the end."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Read one token."""
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, *values: str) -> bool:
        """Whether an operator of these comes next."""
        kind, value, _, _ = self.tokens[self.index]
        return kind == "op" and value in values

    def skip(self, value: str) -> bool:
        """Read the operator ``value`` if it comes next."""
        if self.at(value):
            self.index += 1
            return True
        return False

    def need(self, value: str) -> None:
        """Read the operator ``value``, which has to come next."""
        if not self.skip(value):
            raise self.unexpected(f"expected {value!r}")

    def unexpected(self, expectation: str) -> Unreadable:
        """The error for what comes next."""
        token = self.token
        found = "the end" if token.kind == "end" else repr(self.text[token.start : token.end])
        return Unreadable(f"{found} where something else was due ({expectation})", token.start)

    def deeper(self) -> None:
        """Count one level of nesting; the caller counts it down again."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge(f"more than {MAX_DEPTH} levels of nesting", self.token.start)

    # The layers of the grammar call each other through these.

    def statement(self) -> Node:
        """A relation, a value or a text with what follows it."""
        raise NotImplementedError

    def items(self) -> Node:
        """Statements with separators between them."""
        raise NotImplementedError

    def operand(self) -> Node:
        """A side of a relation."""
        raise NotImplementedError

    def ratio(self) -> Node:
        """Sums with colons between them."""
        raise NotImplementedError

    def expression(self) -> Node:
        """Sums."""
        raise NotImplementedError

    def power(self) -> Node:
        """One factor."""
        raise NotImplementedError

    def starts_factor(self) -> bool:
        """Whether the next token can begin a factor."""
        raise NotImplementedError

    def group(self) -> Node:
        """What LaTeX takes as one argument."""
        raise NotImplementedError

    def raw_group(self) -> str:
        """The source of a braced group, or of one token."""
        raise NotImplementedError
