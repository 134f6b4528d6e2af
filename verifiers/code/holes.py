"""Expressions with holes: each call of the policy's functions is sent away, and its result filled in outside."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence
from typing import Any

from .codec import NotComparable, encode
from .frame import Code, Unsupported
from .interpreter import Compiler
from .sent import Sent, names_in

# Methods that plain values have and that tests ask about a result: whoever has such a name is not asked over there.
_ASK_A_VALUE = frozenset([*dir(str), *dir(int), *dir(float), "issubset", "issuperset", "isdisjoint"])


class HoleCompiler(Compiler):
    """Compiles the expressions of asserts.

    Args:
        names: The policy's functions and classes.

    Attributes:
        sent: The calls so far.
        calls: Numbers of the calls in the expression at hand.
        aliases: What the tests call the policy's functions, with their own names.
        slots: Variables that hold a result, with the name under which frames keep it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.known: dict[str, Any] = {}
        super().__init__(self.known, {})
        self.sent = Sent()
        self.calls: list[int] = []
        self.aliases = {name: name for name in names}
        self.slots: dict[str, str] = {}
        self._lent: set[str] = set()  # variables whose mutable value a call may have changed
        self._related: dict[str, set[str]] = {}  # variables that may share mutable values

    def open(self, node: ast.expr) -> Code:
        """Compile an expression; its calls are in ``calls`` after."""
        self.calls = []
        return self.compile(node)

    def is_hole(self, node: ast.AST) -> bool:
        """Whether the node is a call that belongs into the policy's process.

        That is a call of an entry point, or of a method of an object that exists only there: ``f(1)``, ``stack.pop()``,
        ``Solution().solve(1)``. A method of a *result*, as in ``f(1).startswith("a")``, is evaluated outside: over
        there an object could answer it as it likes.
        """
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name):
            return node.func.id in self.aliases and node.func.id not in self.locals
        if not isinstance(node.func, ast.Attribute):
            return False
        owner = node.func.value
        if self.made_class(owner) == "Solution":
            return True
        if node.func.attr in _ASK_A_VALUE:
            return False
        if self.made_class(owner):
            return True
        while isinstance(owner, ast.Attribute):
            owner = owner.value
        return isinstance(owner, ast.Name) and owner.id in self.sent.variables and owner.id not in self.locals

    def made_class(self, node: ast.AST) -> str:
        """The class of the policy's that the node instantiates: an entry point that is written like a class; or ""."""
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        return name if name in self.aliases and name[0].isupper() else ""

    def has_hole(self, node: ast.AST) -> bool:
        """Whether any part of the node is a hole."""
        return any(self.is_hole(part) for part in ast.walk(node))

    def relate(self, names: Sequence[str], value: ast.expr) -> None:
        """The names are bound anew, to parts of what the expression holds."""
        others = {name for name in names_in(value) if is_mutable(self.known.get(name))}
        for name in names:
            self._related[name] = set(others)
            for other in others:
                self._related.setdefault(other, set()).add(name)

    def forget(self, name: str) -> None:
        """The name is bound anew: what it stood for is gone."""
        if name in self.aliases:
            raise Unsupported(f"{name} is bound anew")
        self.known.pop(name, None)
        self._lent.discard(name)
        self.slots = {known: slot for known, slot in self.slots.items() if known != name}
        self.functions = {known: value for known, value in self.functions.items() if known != name}
        self.sent.variables = {known: there for known, there in self.sent.variables.items() if known != name}

    def _lend(self, node: ast.expr) -> None:
        """A call gets a mutable value: the variables in it must not be looked at again."""
        open_names = [name for name in names_in(node) if is_mutable(self.known.get(name))]
        while open_names:
            name = open_names.pop()
            if name not in self._lent:
                self._lent.add(name)
                open_names.extend(self._related.get(name, ()))

    def _call(self, node: ast.Call) -> Code:
        if not self.is_hole(node):
            return super()._call(node)
        if self.locals:
            raise Unsupported("a call inside a comprehension")
        number = self._place(node)
        self.calls.append(number)
        self.varying += 1
        return Code(lambda frame: frame.result(number), False)

    def _place(self, node: ast.Call) -> int:
        """Note one call; its number."""
        if isinstance(node.func, ast.Name) and node.func.id in self.aliases:
            mark = len(self.sent.items), self.sent.calls
            calls = list(self.calls)
            try:
                arguments = [self._argument(argument) for argument in node.args]
                keywords = {str(k.arg): self._argument(k.value) for k in node.keywords if k.arg is not None}
                if len(keywords) == len(node.keywords):
                    return self.sent.call(self.aliases[node.func.id], arguments, keywords)
            except Unsupported:
                self.sent.rewind(*mark)
                self.calls = calls
        return self.sent.expression(node, self.aliases, self.outside())

    def _argument(self, node: ast.expr) -> Any:
        value = self.value(node)
        try:
            form = encode(value)
        except NotComparable as error:
            raise Unsupported(f"argument: {error}") from None
        if is_mutable(value):
            self._lend(node)
        return form

    def outside(self) -> dict[str, Any]:
        """Names that exist only outside of the policy's process, with their values where known."""
        return {**self.known, **dict.fromkeys([*self.slots, *self.locals, *self.functions], ...)}

    def _name(self, node: ast.Name) -> Code:
        name = node.id
        if name in self.locals:
            return super()._name(node)
        if name in self._lent:
            raise Unsupported(f"{name} is used after a call that may have changed it")
        if name in self.slots:
            slot = self.slots[name]
            self.varying += 1
            return Code(lambda frame: frame.names[slot], False)
        if name in self.aliases or name in self.sent.variables:
            raise Unsupported(f"{name} is used as a value")
        return super()._name(node)

    def _boolop(self, node: ast.BoolOp) -> Code:
        self._refuse_calls(node.values[1:])
        return super()._boolop(node)

    def _ifexp(self, node: ast.IfExp) -> Code:
        self._refuse_calls([node.body, node.orelse])
        return super()._ifexp(node)

    def _compare(self, node: ast.Compare) -> Code:
        self._refuse_calls(node.comparators[1:])
        return super()._compare(node)

    def _refuse_calls(self, nodes: Sequence[ast.expr]) -> None:
        """Python may skip these calls, and then it never makes them."""
        if any(self.has_hole(node) for node in nodes):
            raise Unsupported("a call that may not be made")


def is_mutable(value: Any) -> bool:
    """Whether a plain value, or a part of it, can be changed in place."""
    if isinstance(value, (list, dict, set, bytearray, deque)):
        return True
    return isinstance(value, (tuple, frozenset)) and any(is_mutable(item) for item in value)
