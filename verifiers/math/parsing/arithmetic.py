"""Sums, products, powers and postfix signs."""

from __future__ import annotations

from ..tree import Node, function, number, product, symbol
from ..units import read_unit
from .cursor import Cursor

_POSTFIX = frozenset("!%°'^")
_TERM_ENDS = frozenset(["+", "-", ",", ";", "}", ")", "]", "\\}", "&"])  # no factor begins with one
_SIGNS = frozenset("-+±∓")
_CLOSED = frozenset(["bracket", "fn", "root", "div", "apply", "add", "neg", "set"])


class Arithmetic(Cursor):
    """From sums down to one factor with its exponent; what a factor is, the next layer knows."""

    def expression(self) -> Node:
        """``term (± term)*``; fails on nothing that is left over, its caller does."""
        self.deeper()
        terms = [self.term()]
        while True:
            kind, sign, _, _ = self.tokens[self.index]
            if kind != "op" or sign not in "+-±∓":
                break
            self.index += 1
            term = self.term()
            if sign == "+":
                terms.append(term)
            elif sign == "-":
                terms.append(Node("neg", (term,)))
            else:
                terms = [Node("pm" if sign == "±" else "mp", (_sum(terms), term))]
        self.depth -= 1
        return _sum(terms)

    def term(self) -> Node:
        """Factors with ``*``, ``/`` or nothing between them."""
        result = self.signed()
        while True:
            kind, sign, _, _ = self.tokens[self.index]
            if kind == "end" or (kind == "op" and sign in _TERM_ENDS):
                return result
            if kind == "op" and sign == "*":
                self.take()
                result = product(result, self.signed())
            elif kind == "op" and sign == "/" and self.in_money and self.ahead().kind in ("text", "word"):
                return result
            elif kind == "op" and sign == "/":
                self.take()
                bottom = self.signed()
                if bottom.op == "pct" and bottom.args[0].op == result.op == "num":
                    result = Node("pct", (Node("div", (result, bottom.args[0])),))  # 16/3 % is so many hundredths
                else:
                    result = Node("div", (result, bottom))
            elif kind == "bin":
                self.take()
                result = Node("binop", (result, self.signed()), sign)
            elif self.starts_factor() and not self.ends_term():
                result = self.juxtaposed(result)
            else:
                return result

    def ends_term(self) -> bool:
        """Whether what could be a factor begins something else, such as ``(mod 7)`` or ``(k in Z)``."""
        raise NotImplementedError

    def juxtaposed(self, before: Node) -> Node:
        """A factor right after another: a product, or the fraction of a mixed number."""
        token = self.token
        if token.kind == "num":
            return self.number_after(before)
        factor = self.power()
        if token.kind == "frac" and (mixed := _mixed(before, factor)):
            return mixed
        return product(before, factor)

    def number_after(self, before: Node) -> Node:
        """``1 1/2`` is a mixed number and ``(-1) 3`` a product; any other number after a factor is an error."""
        if before.op in ("num", "neg"):
            top = self.take()
            if self.skip("/") and self.token.kind == "num":
                fraction = Node("div", (top.value, self.take().value))
                if mixed := _mixed(before, fraction):
                    return self.postfix(mixed)
            self.index -= 1
            raise self.unexpected("two numbers side by side")
        if before.op in _CLOSED or (before.op == "mul" and before.args[-1].op in _CLOSED):
            return product(before, self.power())
        raise self.unexpected("a number right after a name")

    def signed(self) -> Node:
        """Leading signs and one factor."""
        kind, sign, _, _ = self.tokens[self.index]
        if kind != "op" or sign not in _SIGNS:
            return self.power()
        self.index += 1
        self.deeper()
        operand = self.term() if sign in "±∓" else self.signed_term()
        self.depth -= 1
        if sign == "-":
            return number(-operand.value) if operand.op == "num" else Node("neg", (operand,))
        return operand if sign == "+" else Node("pm" if sign == "±" else "mp", (operand,))

    def signed_term(self) -> Node:
        """What a sign stands before: one factor, or a whole mixed number."""
        factor = self.signed()
        if factor.op == "num":
            following = self.token.kind
            if following == "frac" or (following == "num" and self.ahead().value == "/"):
                return self.juxtaposed(factor)
        return factor

    def power(self) -> Node:
        """A factor with postfix signs and exponents; exponents group to the right."""
        base = self.atom()
        kind, sign, _, _ = self.tokens[self.index]
        if kind != "op" or sign not in _POSTFIX:
            return base
        base = self.postfix(base)
        if not self.at("^"):
            return base
        self.index += 1
        if self.degree_follows(of_number=base.op in ("num", "dec")):
            return self.postfix(self.temperature(base) or Node("deg", (base,)))
        if self.at("'"):
            return self.postfix(base)
        self.deeper()
        exponent = self.exponent()
        self.depth -= 1
        if self.at("_") and base.op == "sym":
            self.take()
            base = symbol(f"{base.value}_{self.raw_group()}")
        if exponent.op == "sym" and exponent.value == "'":
            return self.postfix(_primed(base, 1))
        return self.postfix(Node("pow", (base, exponent)))

    def degree_follows(self, *, of_number: bool) -> bool:
        r"""Read ``\circ`` or ``{\circ}`` after a caret, and after a number a letter o."""
        if self.token.value == "∘" or (self.token.value == "o" and of_number):
            self.take()
            return True
        if self.at("{") and self.ahead(2).value == "}":
            sign = self.ahead().value
            if sign == "∘" or (sign == "o" and of_number):
                self.index += 3
                return True
        return False

    def temperature(self, base: Node) -> Node | None:
        """Degrees Celsius or Fahrenheit, where the letter follows the degree sign."""
        token = self.token
        if token.kind in ("word", "text") and token.value in ("C", "F") and self.ahead().kind in ("end", "op"):
            return Node("unit", (base,), read_unit(f"°{self.take().value}"))
        return None

    def exponent(self) -> Node:
        """``{...}``, or in plain text a signed factor with its own exponent."""
        if self.at("{"):
            if self.ahead().value == "'" and self.ahead(2).value == "}":
                self.index += 3
                return symbol("'")
            return self.group()
        if self.at("-", "+"):
            negative = self.take().value == "-"
            exponent = self.exponent()
            return Node("neg", (exponent,)) if negative else exponent
        if self.at("("):
            return self.power()
        exponent = self.postfix(self.atom())
        if self.at("^"):
            self.take()
            return Node("pow", (exponent, self.exponent()))
        return exponent

    def postfix(self, node: Node) -> Node:
        """Factorials, percent, degree and prime signs after a factor."""
        while True:
            kind, value, _, _ = self.tokens[self.index]
            if kind != "op" or value not in _POSTFIX:
                break
            if self.at("!"):
                self.take()
                node = function("doublefactorial" if self.skip("!") else "factorial", node)
            elif self.at("%"):
                self.take()
                node = Node("pct", (node,))
            elif self.at("°"):
                self.take()
                node = Node("deg", (node,))
            elif self.at("'"):
                self.take()
                node = _primed(node, 1)
            elif self.at("^") and self.ahead().value == "'":
                self.index += 2
                node = _primed(node, 1)
            else:
                break
        return node

    def atom(self) -> Node:
        """One indivisible thing."""
        raise NotImplementedError


def _primed(node: Node, count: int) -> Node:
    mark = "'" * count
    if node.op == "sym":
        return symbol(node.value + mark)
    if node.op == "apply":
        return Node("apply", node.args, node.value + mark)
    return Node("prefix", (node,), mark)


def _sum(terms: list[Node]) -> Node:
    return terms[0] if len(terms) == 1 else Node("add", tuple(terms))


def _mixed(whole: Node, fraction: Node) -> Node | None:
    """``whole`` and ``fraction`` as a mixed number; None where they cannot be one."""
    if fraction.op in ("pct", "deg"):
        inner = _mixed(whole, fraction.args[0])
        return Node(fraction.op, (inner,)) if inner else None
    if whole.op == "neg":
        inner = _mixed(whole.args[0], fraction)
        return Node("neg", (inner,)) if inner else None
    if whole.op != "num" or whole.value.denominator != 1 or fraction.op != "div":
        return None
    top, bottom = fraction.args
    if top.op == bottom.op == "num" and 0 < top.value < bottom.value and top.value.denominator == 1:
        if whole.value < 0:
            return Node("neg", (Node("add", (number(-whole.value), fraction)),))
        return Node("add", (whole, fraction))
    return None
