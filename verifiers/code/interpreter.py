"""A small, safe interpreter for the expressions that tests are made of.

``Compiler`` turns an expression into a closure, or refuses it with ``Unsupported`` before anything runs. The closure
runs in the judge's own process on values that a policy chose, so there are no attributes, no imports and no calls but
those of ``guards.py``, and every loop draws on a budget. What it does evaluate means exactly what Python means by it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from .codec import TYPES
from .comprehensions import Comprehensions
from .frame import Code, Frame, Run, Unsupported, constant
from .guards import BINARY, COMPARE, FUNCTIONS, METHODS, MODULES, UNARY, TooMuch, hashable

_FOLDED = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, type, slice)


class Compiler(Comprehensions):
    """Compiles expressions over known constants.

    Args:
        constants: Values of names known when the tests are read.
        functions: Further functions by name (``from math import isclose``).
    """

    def __init__(self, constants: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> None:
        self.constants = constants
        self.functions = functions
        self.locals: tuple[str, ...] = ()
        self.varying = 0  # codes made so far that depend on a result

    def compile(self, node: ast.expr) -> Code:
        """The code of an expression; constant parts are evaluated here, once.

        Raises:
            Unsupported: Some part of it cannot be evaluated safely.
        """
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(f"{type(node).__name__} is not evaluated")
        code: Code = method(node)
        return _folded(code) if code.constant else code

    def value(self, node: ast.expr) -> Any:
        """The value of an expression that depends on no result."""
        code = self.compile(node)
        if not code.constant:
            raise Unsupported("the value depends on a result")
        try:
            return code.run(Frame(_no_result))
        except Exception as error:  # noqa: BLE001  (expressions of tests may raise anything)
            raise Unsupported(f"{type(error).__name__} while evaluating {ast.unparse(node)[:80]}") from None

    def _all(self, nodes: list[ast.expr]) -> tuple[list[Run], bool]:
        codes = [self.compile(node) for node in nodes]
        return [code.run for code in codes], all(code.constant for code in codes)

    def _constant(self, node: ast.Constant) -> Code:
        return constant(node.value)

    def _name(self, node: ast.Name) -> Code:
        name = node.id
        if name in self.locals:
            return Code(lambda frame: frame.names[name], False)
        if name in self.constants:
            return constant(self.constants[name])
        if name in TYPES:
            return constant(TYPES[name])
        raise Unsupported(f"the name {name} is not known")

    def _items(self, nodes: list[ast.expr]) -> tuple[Callable[[Frame], list[Any]], bool]:
        starred = [isinstance(node, ast.Starred) for node in nodes]
        runs, fixed = self._all([node.value if isinstance(node, ast.Starred) else node for node in nodes])
        if not any(starred):
            return lambda frame: [run(frame) for run in runs], fixed

        def items(frame: Frame) -> list[Any]:
            found: list[Any] = []
            for run, spread in zip(runs, starred, strict=True):
                found.extend(run(frame)) if spread else found.append(run(frame))
            return found

        return items, fixed

    def _list(self, node: ast.List) -> Code:
        return Code(*self._items(node.elts))

    def _tuple(self, node: ast.Tuple) -> Code:
        items, fixed = self._items(node.elts)
        return Code(lambda frame: tuple(items(frame)), fixed)

    def _set(self, node: ast.Set) -> Code:
        items, fixed = self._items(node.elts)
        return Code(lambda frame: set(hashable(items(frame))), fixed)

    def _dict(self, node: ast.Dict) -> Code:
        if None in node.keys:
            raise Unsupported("** in a dictionary is not evaluated")
        keys, fixed_keys = self._all([key for key in node.keys if key is not None])
        values, fixed_values = self._all(node.values)
        pairs = list(zip(keys, values, strict=True))
        return Code(lambda frame: {key(frame): value(frame) for key, value in pairs}, fixed_keys and fixed_values)

    def _unaryop(self, node: ast.UnaryOp) -> Code:
        operate = UNARY[type(node.op)]
        operand, fixed = self.compile(node.operand)
        return Code(lambda frame: operate(operand(frame)), fixed)

    def _binop(self, node: ast.BinOp) -> Code:
        operate = BINARY.get(type(node.op))
        if operate is None:
            raise Unsupported(f"{type(node.op).__name__} is not evaluated")
        left, fixed_left = self.compile(node.left)
        right, fixed_right = self.compile(node.right)
        return Code(lambda frame: operate(left(frame), right(frame)), fixed_left and fixed_right)

    def _boolop(self, node: ast.BoolOp) -> Code:
        runs, fixed = self._all(node.values)
        stop_at = isinstance(node.op, ast.Or)

        def run(frame: Frame) -> Any:
            value = None
            for part in runs:
                value = part(frame)
                if bool(value) is stop_at:
                    break
            return value

        return Code(run, fixed)

    def _compare(self, node: ast.Compare) -> Code:
        for operation, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operation, (ast.Is, ast.IsNot)) and not _has_identity(right):
                raise Unsupported("identity is decided only for None, True, False and types")
        first, fixed_first = self.compile(node.left)
        runs, fixed = self._all(node.comparators)
        steps = list(zip([COMPARE[type(operation)] for operation in node.ops], runs, strict=True))
        searches = any(isinstance(operation, (ast.In, ast.NotIn)) for operation in node.ops)

        def run(frame: Frame) -> Any:
            left, verdict = first(frame), True
            for compare, part in steps:
                right = part(frame)
                if searches and isinstance(right, (list, tuple)):
                    frame.spend(len(right))
                verdict = compare(left, right)
                if not verdict:
                    break
                left = right
            return verdict

        return Code(run, fixed_first and fixed)

    def _ifexp(self, node: ast.IfExp) -> Code:
        (test, body, other), fixed = self._all([node.test, node.body, node.orelse])
        return Code(lambda frame: body(frame) if test(frame) else other(frame), fixed)

    def _subscript(self, node: ast.Subscript) -> Code:
        (container, key), fixed = self._all([node.value, node.slice])
        return Code(lambda frame: container(frame)[key(frame)], fixed)

    def _slice(self, node: ast.Slice) -> Code:
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        runs, fixed = self._all(parts)
        return Code(lambda frame: slice(*[run(frame) for run in runs]), fixed)

    def _attribute(self, node: ast.Attribute) -> Code:
        found = _module_member(node)
        if found is None or callable(found):
            raise Unsupported(f"the attribute {node.attr} is not evaluated")
        return constant(found)

    def _call(self, node: ast.Call) -> Code:
        positional, fixed = self._items(node.args)
        if any(keyword.arg is None for keyword in node.keywords):
            raise Unsupported("** in a call is not evaluated")
        runs, fixed_keywords = self._all([keyword.value for keyword in node.keywords])
        named = list(zip([str(keyword.arg) for keyword in node.keywords], runs, strict=True))
        if any(name == "key" for name, _ in named):
            raise Unsupported("key= is not evaluated")
        function, fixed_function = self._function(node.func)

        def run(frame: Frame) -> Any:
            frame.spend(1)
            return function(frame)(*positional(frame), **{name: value(frame) for name, value in named})

        return Code(run, fixed and fixed_keywords and fixed_function)

    def _function(self, node: ast.expr) -> Code:
        name = node.id if isinstance(node, ast.Name) else ""
        hidden = name in self.constants or name in self.locals
        known = None if hidden else self.functions.get(name) or FUNCTIONS.get(name)
        if known is None and isinstance(node, ast.Attribute):
            found = _module_member(node)
            if found is None:
                return self._method(node)
            known = found
        if not callable(known):
            raise Unsupported(f"a call of {ast.unparse(node)[:60]} is not evaluated")
        return constant(known)

    def _method(self, node: ast.Attribute) -> Code:
        name = node.attr
        if not any(name in methods for methods in METHODS.values()):
            raise Unsupported(f"the method {name} is not evaluated")
        owner, fixed = self.compile(node.value)

        def bind(frame: Frame) -> Callable[..., Any]:
            value = owner(frame)
            method = METHODS.get(type(value), {}).get(name)
            if method is None:
                if hasattr(type(value), name):
                    raise TooMuch(f"the method {type(value).__name__}.{name} is not evaluated")
                raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
            return lambda *arguments, **keywords: method(value, *arguments, **keywords)

        return Code(bind, fixed)


def _folded(code: Code) -> Code:
    """The code with its value computed, where that value is plain and computing it succeeds."""
    try:
        value = code.run(Frame(_no_result))
    except Exception:  # noqa: BLE001
        return code  # it raises again, in its place, when the check runs
    return constant(value) if type(value) in _FOLDED else code


def _no_result(index: int) -> Any:
    raise Unsupported(f"result {index} is not known here")


def _has_identity(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is True or node.value is False
    return isinstance(node, ast.Name) and node.id in TYPES


def _module_member(node: ast.Attribute) -> Any:
    if isinstance(node.value, ast.Name):
        return MODULES.get(node.value.id, {}).get(node.attr)
    return None
