"""Tests that nothing would run: found when a suite is planned, so that they do not pass unnoticed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FIXTURES = frozenset({
    "setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "setup_method",
    "teardown_method", "setup_class", "teardown_class", "setUpModule", "tearDownModule", "setup_module",
    "teardown_module", "setup_function", "teardown_function",
})  # fmt: skip
_LOOK_UP = frozenset({"globals", "locals", "vars", "dir", "getattr", "eval", "exec"})
_RUNNERS = frozenset({"unittest", "pytest", "main", "print", "exit", "sys", "check"})
_HARMLESS = frozenset({"staticmethod", "classmethod", "property", "skip", "skipIf", "skipUnless", "expectedFailure"})


def run_main(tree: ast.Module) -> ast.Module:
    """The tests with what they do as a script (``if __name__ == "__main__"``) as a plain part of them.

    Nothing where it would only run tests that are found anyway, as ``unittest.main()`` does.
    """
    body: list[ast.stmt] = []
    runners = _RUNNERS - {node.name for node, _ in _functions(tree) if node.name != "check"}
    for node in tree.body:
        if not _is_main(node):
            body.append(node)
            continue
        assert isinstance(node, ast.If)
        if not all(_only_runs_tests(part, runners) for part in node.body):
            body += node.body
    return ast.Module(body, tree.type_ignores)


def unreached(tree: ast.Module, entry_points: Sequence[str]) -> list[str]:
    """The functions with assertions that nobody runs: neither the text by itself, nor by their names as tests.

    Those that call an entry point; where no assertion at all is run, every one.

    Args:
        tree: The tests.
        entry_points: What they test.
    """
    functions = dict(_functions(tree))
    bases = {_last(base) for part in ast.walk(tree) if isinstance(part, ast.ClassDef) for base in part.bases}
    collected = (node for node, owner in functions.items() if _is_collected(node, owner, bases))
    todo: list[ast.AST] = [tree, *collected]
    reached: set[ast.AST] = set(todo)
    asserting = False
    while todo:
        names, asserts = _own(todo.pop())
        asserting = asserting or asserts
        everything = bool(names & _LOOK_UP)
        for node in functions:
            if node not in reached and (everything or node.name in names or node.name.startswith("__")):
                reached.add(node)
                todo.append(node)
    found = []
    for node in functions:
        names, asserts = _own(node)
        if node not in reached and asserts and (not asserting or names & set(entry_points)):
            found.append(node.name)
    return found


def _is_main(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.test, ast.Compare)
        and {ast.unparse(part).strip("'") for part in (node.test.left, *node.test.comparators)}
        == {"__name__", "__main__"}
    )


def _only_runs_tests(node: ast.stmt, runners: frozenset[str]) -> bool:
    """Whether a statement does nothing but call runners and tests."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)):
        return True
    if not isinstance(node, (ast.Expr, ast.Assign)) or node.value is None:
        return False
    calls = [part for part in ast.walk(node.value) if isinstance(part, ast.Call)]
    return all(_root(call.func) in runners or _root(call.func).startswith("test") for call in calls)


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def _functions(node: ast.AST, owner: ast.AST | None = None) -> Iterator[tuple[Function, ast.AST | None]]:
    """All functions below a node, with the class or function that they belong to."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, Function):
            yield part, owner
            yield from _functions(part, part)
        elif isinstance(part, ast.ClassDef):
            yield from _functions(part, part)
        else:
            yield from _functions(part, owner)


def _is_collected(node: Function, owner: ast.AST | None, bases: set[str]) -> bool:
    """Whether it is run for its name, or for a decorator that may do what it likes.

    Args:
        node: The function.
        owner: The class or function that it belongs to.
        bases: What classes of the tests derive from.
    """
    decorators = [_last(decorator) for decorator in node.decorator_list]
    if any(name not in _HARMLESS and name not in ("fixture", "parametrize", "skipif", "xfail") for name in decorators):
        return True
    needed = len(node.args.args) + len(node.args.posonlyargs) - len(node.args.defaults)
    needed += sum(default is None for default in node.args.kw_defaults)
    if owner is None:
        if node.name == "check":
            return needed <= 1
        return node.name in _FIXTURES or (node.name.startswith("test") and (needed == 0 or "parametrize" in decorators))
    if not isinstance(owner, ast.ClassDef) or not (owner.bases or owner.name.startswith("Test") or owner.name in bases):
        return False
    free = 0 if "staticmethod" in decorators else 1
    return node.name in _FIXTURES or (node.name.startswith("test") and (needed <= free or "parametrize" in decorators))


def _last(node: ast.expr) -> str:
    """The last name of a decorator: ``parametrize`` of ``@pytest.mark.parametrize(...)``."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _own(node: ast.AST) -> tuple[set[str], bool]:
    """The names that a function's own statements mention, and whether they assert; functions within it apart."""
    names: set[str] = set()
    asserts = False
    todo = list(ast.iter_child_nodes(node))
    while todo:
        part = todo.pop()
        if isinstance(part, Function):
            todo += [*part.decorator_list, part.args]
            continue
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            names.add(part.attr)
            asserts = asserts or part.attr.startswith("assert")
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
            names.add(part.value)  # patched, or looked up
        asserts = asserts or isinstance(part, ast.Assert)
        todo += ast.iter_child_nodes(part)
    return names, asserts
