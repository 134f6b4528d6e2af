"""Known functions, fractions, roots, binomials, sums, integrals and limits."""

from __future__ import annotations

from ..tree import ONE, TEN, TWO, Node, function, number, product, symbol
from ..vocabulary import INVERSES
from .atoms import Atoms
from .lexer import Token

_RUN = frozenset(["sym", "const", "word", "letters"])  # what a function without brackets reaches over
_ORDERS = (TWO, number(3))
_BRACKETS = ("(", "[", "{", "\\{", "|", "|(", "⌊", "⌈")


class Functions(Atoms):
    """What takes arguments."""

    def read_frac(self, _token: Token) -> Node:
        top, bottom = self.group(), self.group()
        return derivative(top, bottom) or Node("div", (top, bottom))

    def read_binom(self, _token: Token) -> Node:
        return function("binomial", self.group(), self.group())

    def read_fn(self, token: Token) -> Node:
        name: str = token.value
        if name == "sqrt":
            return self.root()
        base = self.script("_")
        exponent = self.script("^")
        if self.at("'"):
            raise self.unexpected("a derivative of a known function")
        arguments = self.arguments()
        if exponent is not None and name in INVERSES and _is_minus_one(exponent):
            name, exponent = INVERSES[name], None
        node = self.call(name, arguments, base)
        return node if exponent is None else Node("pow", (node, exponent))

    def call(self, name: str, arguments: tuple[Node, ...], base: Node | None) -> Node:
        """A function of its arguments; logarithms to a base become quotients."""
        if name in ("log", "ln", "lg"):
            if len(arguments) == 2 and base is None:
                argument, base = arguments
                arguments = (argument,)
            if name == "lg":
                base = TEN
            if base is not None:
                return Node("div", (function("ln", *arguments), function("ln", base)))
            name = "ln"
        if name == "cbrt":
            return Node("root", (arguments[0], Node("num", (), ONE.value * 3)))
        if name in ("binomial", "mod") and len(arguments) != 2:
            raise self.unexpected(f"{name} takes two arguments")
        return function(name, *arguments)

    def script(self, sign: str) -> Node | None:
        """The index or the exponent between a function's name and its argument."""
        if not self.at(sign):
            return None
        self.take()
        return self.group() if sign == "_" else self.exponent()

    def root(self) -> Node:
        r"""``\sqrt[n]{x}``, ``sqrt(x)``, and an unbraced factor."""
        index = TWO
        if self.at("["):
            self.take()
            index = self.expression()
            self.need("]")
        whole = self.at("(") or self.token.kind == "num"  # √12 is no √1 times 2
        radicand = self.atom() if whole else self.group()
        if radicand.op == "bracket" and len(radicand.args) == 2 and radicand.value == "()":
            radicand, index = radicand.args  # root(x, n)
        return Node("root", (radicand, index))

    def arguments(self) -> tuple[Node, ...]:
        """``(a, b)``, a bracket, or the run of factors that a function without brackets reaches over."""
        if self.at(*_BRACKETS):
            inside = self.atom()
            if (inside.op == "bracket" and inside.value == "()") or inside.op == "set":
                return inside.args
            return (inside,)
        if self.at("-", "+"):
            return (self.signed(),)
        node = self.power()
        while self.token.kind in _RUN and self.starts_factor() and node.op != "fn" and not self.is_differential():
            node = product(node, self.power())
        return (node,)

    def is_differential(self) -> bool:
        """Whether ``dx`` comes next in an integral."""
        token = self.token
        return self.integrals > 0 and token.kind == "word" and token.value[0] == "d"

    def read_big(self, token: Token) -> Node:
        """A sum, a product, an integral or a limit with its bound name."""
        kind: str = token.value
        lower = upper = None
        while self.at("_", "^"):
            if self.take().value == "_":
                lower = self.bound()
            else:
                upper = self.group()
        if kind in ("sum", "prod"):
            return self.indexed(kind, lower, upper)
        if kind == "lim":
            if lower is None or lower.op != "chain" or lower.value != ("to",) or lower.args[0].op != "sym":
                raise self.unexpected("a limit needs x \\to a")
            return Node("big", (self.term(), lower.args[1]), (kind, lower.args[0].value))
        return self.integral(kind, lower, upper)

    def bound(self) -> Node:
        r"""The lower script: ``k=1``, ``x \to 0`` or a value."""
        if not self.at("{"):
            return self.group()
        self.take()
        node = self.statement()
        self.need("}")
        return node

    def indexed(self, kind: str, lower: Node | None, upper: Node | None) -> Node:
        if lower is None or lower.op != "chain" or lower.value != ("=",) or upper is None:
            raise self.unexpected(f"a {kind} needs k=a below and b above")
        name, start = lower.args
        if name.op == "const" and name.value == "i":
            name = symbol("i")
        if name.op != "sym":
            raise self.unexpected(f"a {kind} needs a name below")
        body = self.term()
        if name.value == "i":
            body = _as_index(body)
        return Node("big", (body, start, upper), (kind, name.value))

    def integral(self, kind: str, lower: Node | None, upper: Node | None) -> Node:
        """The integrand ends with ``d`` and the name that it binds."""
        self.integrals += 1
        body = self.expression()
        self.integrals -= 1
        terms = list(body.args) if body.op == "add" else [body]
        factors = list(terms[-1].args) if terms[-1].op == "mul" else []
        if len(factors) < 2 or factors[-2] != symbol("d") or factors[-1].op != "sym":
            raise self.unexpected("an integral needs dx at its end")
        name = factors[-1].value
        terms[-1] = product(*factors[:-2]) if len(factors) > 2 else ONE
        body = terms[0] if len(terms) == 1 else Node("add", tuple(terms))
        limits = tuple(node for node in (lower, upper) if node is not None)
        return Node("big", (body, *limits), (kind, name))


def derivative(top: Node, bottom: Node) -> Node | None:
    """``dy/dx`` as the name y'; None for any other quotient."""
    if any(part.op != "mul" or len(part.args) != 2 for part in (top, bottom)):
        return None
    (mark, dependent), (other, independent) = top.args, bottom.args
    order = 1
    if mark.op == independent.op == "pow" and mark.args[1] == independent.args[1] and mark.args[1] in _ORDERS:
        order = int(mark.args[1].value)
        mark, independent = mark.args[0], independent.args[0]
    if mark != other or mark not in (symbol("d"), symbol("∂")) or not dependent.op == independent.op == "sym":
        return None
    by = f"∂{independent.value}" if mark.value == "∂" else ""  # an ordinary derivative has one variable
    return symbol(f"{dependent.value}{by}" + "'" * order)


def _is_minus_one(node: Node) -> bool:
    return (node.op == "num" and node.value == -1) or (node.op == "neg" and node.args[0] == ONE)


def _as_index(node: Node) -> Node:
    """The summand with ``i`` read as the index that it is."""
    if node.op == "const" and node.value == "i":
        return symbol("i")
    return Node(node.op, tuple(map(_as_index, node.args)), node.value) if node.args else node
