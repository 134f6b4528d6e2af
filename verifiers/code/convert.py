"""Test code made of asserts, split in two: calls for the policy's process, and expressions to evaluate outside of it.

``assert f([2, 1]) == sorted([1, 2])`` becomes the call ``f([2, 1])`` and an expression over its result. Only what comes
out exactly as Python would judge it is converted; everything else raises ``Unsupported`` and is left to the
two-process way (``inside_tests.py``).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from .frame import Unsupported, bind, target_names
from .guards import MODULES
from .holes import HoleCompiler, is_mutable
from .parsing import parse
from .plan import CallPlan, Step
from .sent import root_of

MAX_STEPS = 5_000


def convert(source: str, names: Sequence[str]) -> CallPlan:
    """The plan of a test text.

    Args:
        source: Statements; functions ``check(candidate)`` and ``test_*()`` among them are taken as tests.
        names: The policy's functions and classes; ``check`` is called with the first.

    Raises:
        Unsupported: Some part cannot be converted exactly.
        SyntaxError: The text is not Python.
    """
    converter = _Converter(names)
    body = parse(source).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    for node in body:
        if node not in functions.values() and not _is_check_call(node, functions, names):
            converter.statement(node)
    for function in functions.values():
        converter.function(function)
    return CallPlan(converter.compiler.sent.items, converter.steps)


class _Converter:
    """Goes through the statements in order, as Python would, with the policy's calls left open."""

    def __init__(self, names: Sequence[str]) -> None:
        self.entry = names[0]
        self.compiler = HoleCompiler(names)
        self.steps: list[Step] = []
        self.scope = 0

    def function(self, node: ast.FunctionDef) -> None:
        """Convert the body of ``check(candidate)`` or of a ``test_*()``."""
        parameters = [argument.arg for argument in node.args.args]
        is_check = node.name == "check" and len(parameters) <= 1
        is_test = node.name.startswith("test") and not parameters
        if node.decorator_list or node.args.vararg or node.args.kwarg or not (is_check or is_test):
            raise Unsupported(f"the function {node.name} is not converted")
        compiler = self.compiler
        known, slots, functions = dict(compiler.known), dict(compiler.slots), dict(compiler.functions)
        aliases, variables = dict(compiler.aliases), dict(compiler.sent.variables)
        self.scope += 1
        for parameter in parameters:
            if parameter != self.entry:
                self.compiler.forget(parameter)
            compiler.aliases = {**compiler.aliases, parameter: self.entry}
        for statement in node.body:
            self.statement(statement)
        compiler.known.clear()
        compiler.known.update(known)
        compiler.slots, compiler.functions, compiler.aliases = slots, functions, aliases
        compiler.sent.variables = variables

    def statement(self, node: ast.stmt) -> None:
        """Convert one statement."""
        if len(self.steps) > MAX_STEPS:
            raise Unsupported("the tests have too many steps")
        if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and self._does_nothing(node.value)):
            return
        if isinstance(node, ast.Assert):
            self._test(node.test)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node, node.targets[0])
        elif isinstance(node, ast.For) and not node.orelse:
            self._loop(node)
        elif isinstance(node, ast.Expr) and self.compiler.is_hole(node.value):
            self.compiler.open(node.value)
            self._step(None, node)
        else:
            raise Unsupported(f"the statement {type(node).__name__} is not converted")

    def _does_nothing(self, node: ast.expr) -> bool:
        """A docstring, or the bare name of a builtin (HumanEval/129 says ``print``)."""
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and hasattr(builtins, node.id))

    def _step(self, run: Any, node: ast.AST, slot: str = "") -> None:
        self.steps.append(Step(run, ast.unparse(node)[:300], tuple(self.compiler.calls), slot, self.scope))

    def _test(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and node.value:
            return  # it checks nothing
        code = self.compiler.open(node)
        if code.constant:
            raise Unsupported("an assert that looks at no result")
        self._step(code.run, node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            if all(alias.name in MODULES and not alias.asname for alias in node.names):
                return
        elif all(alias.name in MODULES.get(node.module or "", {}) for alias in node.names):
            for alias in node.names:
                member, name = MODULES[node.module or ""][alias.name], alias.asname or alias.name
                self.compiler.forget(name)
                if callable(member):
                    self.compiler.functions = {**self.compiler.functions, name: member}
                else:
                    self.compiler.known[name] = member
            return
        raise Unsupported(f"{ast.unparse(node)[:80]} is not converted")

    def _assign(self, node: ast.Assign, target: ast.expr) -> None:
        compiler = self.compiler
        if compiler.made_class(node.value):
            self._assign_there(node, target)
            return
        if compiler.has_hole(node.value) and isinstance(target, ast.Name):
            if not compiler.is_hole(node.value):
                raise Unsupported("an assignment from more than a call")
            code = compiler.open(node.value)
            self.compiler.forget(target.id)
            slot = f"={target.id} {len(self.steps)}"  # no variable is called so
            compiler.slots = {**compiler.slots, target.id: slot}
            self._step(code.run, node, slot)
            return
        try:
            names = target_names(target)
            found: dict[str, Any] = {}
            bind(target, compiler.value(node.value), found)
        except Unsupported:
            if compiler.has_hole(node.value):
                raise
            self._assign_there(node, target)
            return
        compiler.relate([name for name in names if is_mutable(found[name])], node.value)
        for name in names:
            self.compiler.forget(name)
        compiler.known.update(found)

    def _assign_there(self, node: ast.Assign, target: ast.expr) -> None:
        """An assignment of an object that only the policy's process can hold."""
        outside = self.compiler.outside()
        if isinstance(target, ast.Name):
            self.compiler.forget(target.id)
            outside.pop(target.id, None)
        prefix = f"_tests_{self.scope}_" if self.scope else ""  # a function's variables must not be the program's
        self.compiler.sent.assign(node, self.compiler.aliases, outside, prefix)

    def _loop(self, node: ast.For) -> None:
        """Unroll a loop over known values."""
        names = target_names(node.target)
        for value in self.compiler.value(node.iter):
            found: dict[str, Any] = {}
            bind(node.target, value, found)
            self.compiler.relate([name for name in names if is_mutable(found[name])], node.iter)
            for name in names:
                self.compiler.forget(name)
            self.compiler.known.update(found)
            for statement in node.body:
                self.statement(statement)


def _is_check_call(node: ast.stmt, functions: dict[str, ast.FunctionDef], names: Sequence[str]) -> bool:
    """Whether the statement is ``check(entry)``; the body of ``check`` is converted anyhow."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not (isinstance(call, ast.Call) and "check" in functions and root_of(call.func) == "check"):
        return False
    arguments = [argument.id for argument in call.args if isinstance(argument, ast.Name)]
    return not call.keywords and len(call.args) == len(arguments) and arguments in ([], [names[0]])
