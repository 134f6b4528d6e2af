"""From a test suite to what must be done to judge a program by it."""

from __future__ import annotations

import ast
import builtins
import json
import sys
from typing import Any

from .compare import output_comparison, same_value, shorten
from .convert import convert
from .decoding import decode
from .frame import Frame, Run, Unsupported
from .parsing import parse
from .plan import BadSuite, CallPlan, CheckerPlan, LinkedPlan, Plan, StdioPlan, Step
from .reached import run_main, unreached
from .sent import root_of
from .suite import TestSuite

_LONGER = 10  # of equal values encoded: a float within the tolerance has up to 24 characters where 0.0 has three
_LONGER_BYTES = 1000


def plan_of(suite: TestSuite) -> Plan:
    """The plan of a suite.

    Raises:
        BadSuite: It has no test, checks nothing, or is not Python.
    """
    if suite.kind == "stdio":
        return _stdio(suite)
    if suite.kind == "calls":
        return _calls(suite)
    try:
        tree = parse(suite.source)
    except SyntaxError as error:
        raise BadSuite(f"the tests are not Python: {error}") from error
    if not any(map(_checks, ast.walk(tree))):
        raise BadSuite("the tests check nothing: there is neither an assert nor any other check in them")
    if not suite.entry_points:
        raise BadSuite("no assert calls a function; name it with entry_point")
    try:
        plan = convert(suite.source, suite.entry_points)
    except Unsupported:
        return _linked(suite, tree)
    if not any(step.is_test for step in plan.steps):
        raise BadSuite("the tests check no result")
    return plan


def _linked(suite: TestSuite, tree: ast.Module) -> LinkedPlan:
    """The tests as they are, with what they do as a script; refused where some of them would not be run."""
    whole = run_main(tree)
    idle = unreached(whole, suite.entry_points)
    if idle:
        raise BadSuite(
            f"nothing runs the assertions in {', '.join(dict.fromkeys(idle))}: call it in the tests, or name it check "
            "(with one argument) or test_... (without arguments that nothing gives)"
        )
    stream = _stream_of(tree)
    if stream:
        raise BadSuite(
            f"the tests look at what the program prints, or give it input ({stream}); a program's streams are not its "
            "tests': judge whole programs by from_stdio"
        )
    source = suite.source if whole.body == tree.body else ast.unparse(whole)
    return LinkedPlan(source, suite.entry_points, "\n".join([*_missing_imports(tree), suite.prompt]))


def entry_points(source: str) -> tuple[str, ...]:
    """The functions that asserts call first, in their order; builtin and the tests' own ones only for want of others.

    Raises:
        SyntaxError: The text is not Python.

    >>> entry_points("assert sorted(f([2, 1])) == [1, 2]")
    ('f',)
    """
    tree = parse(source)
    for others in ({*dir(builtins), *_bound(tree)}, set()):
        found: dict[str, None] = {}
        for statement in ast.walk(tree):
            call = _outermost_call(statement.test, others) if isinstance(statement, ast.Assert) else None
            if call:
                found[call] = None
        if found:
            return tuple(found)
    return ()


def _outermost_call(node: ast.AST, others: set[str]) -> str | None:
    """The first function but ``others`` that an expression calls, from the outside in and from left to right."""
    if isinstance(node, ast.Call):
        root = root_of(node)
        of_name = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if root and not of_name and root not in others:
            return root
    found = (_outermost_call(part, others) for part in ast.iter_child_nodes(node))
    return next(filter(None, found), None)


def _missing_imports(tree: ast.Module) -> list[str]:
    """Imports of standard modules that tests use unbound: natively the program's own imports serve them too."""
    bound = _bound(tree)
    used = {n.value.id for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    return [f"import {name}" for name in sorted((used - bound) & sys.stdlib_module_names)]


def _stream_of(tree: ast.Module) -> str:
    """What of the program's own streams tests replace and depend on; "" for nothing."""
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            words.add(f"{node.attr} =" if isinstance(node.ctx, ast.Store) else node.attr)
        elif isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
    given = words & {"builtins.input", "sys.stdin", "stdin =", "builtins.print"}
    shown = words & {"redirect_stdout", "sys.stdout", "stdout ="} if "getvalue" in words else set()
    return " ".join(sorted(given | shown)[:1]).removesuffix(" =")


def _bound(tree: ast.Module) -> set[str]:
    """The names that a text binds: by assignment, import or definition."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
    return bound


def _checks(node: ast.AST) -> bool:
    """Whether a piece of test code can make a test fail."""
    if isinstance(node, ast.Assert):
        return not (isinstance(node.test, ast.Constant) and node.test.value)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name.startswith("assert") or name in ("fail", "raises")
    return isinstance(node, ast.Raise)


def _stdio(suite: TestSuite) -> StdioPlan:
    if not suite.cases:
        raise BadSuite("the suite has no test; expected at least one (stdin, stdout)")
    cases = [(case[0], case[1]) for case in suite.cases]
    if suite.checker:
        return StdioPlan(cases, None, _checker(suite.checker))
    if not any(expected.strip() for _, expected in cases):
        raise BadSuite("every expected output is empty, so that a program that prints nothing would pass")
    return StdioPlan(cases, output_comparison(suite.compare, suite.tolerance))


def _calls(suite: TestSuite) -> CallPlan | CheckerPlan:
    if not suite.cases:
        raise BadSuite("the suite has no test; expected at least one (arguments, keywords, expected)")
    items, texts, contexts, expected = [], [], [], []
    for case in suite.cases:
        arguments, keywords, form = (json.loads(part) for part in case)
        items.append(["call", suite.entry_points[0], arguments, keywords])
        texts.append(_call_text(suite.entry_points[0], arguments, keywords))
        contexts.append(([["l", *arguments], ["d", *[[key, value] for key, value in keywords.items()]]], form))
        expected.append(decode(form))
    if suite.checker:
        return CheckerPlan(items, texts, contexts, _checker(suite.checker))
    steps = [
        Step(_equality(number, value, suite.tolerance), f"{text} == {shorten(value)}", (number,))
        for number, (text, value) in enumerate(zip(texts, expected, strict=True))
    ]
    most = [_LONGER * len(json.dumps(form)) + _LONGER_BYTES for _, form in contexts]
    return CallPlan(items, steps, methods=True, most_bytes=most)


def _equality(number: int, expected: Any, tolerance: float) -> Run:
    def run(frame: Frame) -> bool:
        return same_value(expected, frame.result(number), tolerance)

    return run


def _call_text(name: str, arguments: list[Any], keywords: dict[str, Any]) -> str:
    parts = [_shown(form) for form in arguments]
    parts += [f"{key}={_shown(form)}" for key, form in keywords.items()]
    return f"{name}({', '.join(parts)})"[:300]


def _shown(form: Any) -> str:
    return shorten(decode(form, array=lambda dtype, shape, items: items))


def _checker(source: str) -> str:
    try:
        tree = parse(source)
    except SyntaxError as error:
        raise BadSuite(f"the checker is not Python: {error}") from error
    if not any(isinstance(node, ast.FunctionDef) and node.name == "check" for node in tree.body):
        raise BadSuite("the checker does not define a function check")
    return source
