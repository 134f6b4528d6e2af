"""The part of a test text that goes into the policy's process: calls, and inputs that only it can build.

Inputs such as ``Node(3)`` or ``lambda x: -x`` have no plain content, so their expressions are sent instead of their
values. What may hold an expected value never goes along: an expression may not take a variable of the tests apart.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from .frame import Unsupported

_FORBIDDEN = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_SCALARS = (bool, int, float, str, bytes, type(None))


class Sent:
    """Collects the items of a plan in the order of the tests.

    Attributes:
        items: As ``inside_calls.py`` reads them.
        variables: Variables that exist only in the policy's process, by the name that the tests give them.
    """

    def __init__(self) -> None:
        self.items: list[list[Any]] = []
        self.variables: dict[str, str] = {}
        self.calls = 0

    def call(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> int:
        """Add a call with encoded arguments; its number among the calls."""
        self.items.append(["call", name, arguments, keywords])
        self.calls += 1
        return self.calls - 1

    def expression(self, node: ast.expr, renamed: Mapping[str, str], outside: Mapping[str, Any]) -> int:
        """Add a call that is evaluated there as an expression; its number among the calls."""
        self.items.append(["eval", self._text(node, renamed, outside)])
        self.calls += 1
        return self.calls - 1

    def assign(self, node: ast.Assign, renamed: Mapping[str, str], outside: Mapping[str, Any], prefix: str) -> None:
        """Add an assignment to a variable, or to an attribute of one, that exists only there."""
        target = node.targets[0]
        value = self._text(node.value, renamed, outside)
        if isinstance(target, ast.Name):
            self.variables[target.id] = prefix + target.id
            self.items.append(["exec", f"{prefix}{target.id} = {value}"])
            return
        root = target
        while isinstance(root, ast.Attribute):
            root = root.value
        if not (isinstance(target, ast.Attribute) and isinstance(root, ast.Name) and root.id in self.variables):
            raise Unsupported(f"{ast.unparse(node)[:80]} is not converted")
        self.items.append(["exec", f"{self._text(target, renamed, outside)} = {value}"])

    def rewind(self, length: int, calls: int) -> None:
        """Forget the items after the first ``length``."""
        del self.items[length:]
        self.calls = calls

    def _text(self, node: ast.expr, renamed: Mapping[str, str], outside: Mapping[str, Any]) -> str:
        """The expression with the names that it has there."""
        local = bound_in(node)
        names = {**renamed, **self.variables}

        class Renamed(ast.NodeTransformer):
            def visit_Name(self, found: ast.Name) -> ast.expr:
                if found.id in local:
                    return found
                if found.id in outside:
                    if type(outside[found.id]) not in _SCALARS:
                        raise Unsupported(f"{found.id} exists only outside of the program")
                    return ast.Constant(outside[found.id])
                return ast.Name(names.get(found.id, found.id), found.ctx)

        for part in ast.walk(node):
            if isinstance(part, _FORBIDDEN) or (isinstance(part, ast.Subscript) and names_in(part) & set(names)):
                raise Unsupported(f"{ast.unparse(part)[:60]} is not evaluated in the program's process")
        copy = ast.parse(ast.unparse(node), mode="eval").body
        return ast.unparse(Renamed().visit(copy))


def names_in(node: ast.AST) -> set[str]:
    """All names that an expression mentions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound_in(node: ast.AST) -> set[str]:
    """Names that an expression binds itself: of its comprehensions and lambdas."""
    bound: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.comprehension):
            bound |= names_in(part.target)
        elif isinstance(part, ast.Lambda):
            bound |= {argument.arg for argument in ast.walk(part.args) if isinstance(argument, ast.arg)}
    return bound


def root_of(node: ast.expr) -> str | None:
    """The name at the root of a chain of calls and attributes: ``Stack`` in ``Stack().push(1)``."""
    while isinstance(node, (ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None
