"""Runs inside the sandboxes of tests and checkers: whose fault an undefined name or a missing module is.

A text that uses a name which nothing binds is broken. But a program can bring about the same exceptions in a sound
text: a loop over its answer that binds nothing, ``eval`` of what it printed, an undefined name in a branch or a message
that only wrong answers lead to. So once an answer of the program was used, the text is to blame only for what happens
whatever the answers are.
"""

import ast
from collections.abc import Iterator
from types import TracebackType
from typing import Any

FAULTS = (NameError, ImportError, SyntaxError)
_EXITS = (ast.Return, ast.Break, ast.Continue)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Place = tuple[int | None, int | None, int | None, int | None]


def is_inevitable(error: BaseException, source: str, filename: str) -> bool:
    """Whether a fault of a text comes however the program answers, as far as the text alone shows.

    Args:
        error: One of ``FAULTS``, caught where the text was called.
        source: The text.
        filename: Under which it was compiled.
    """
    tree = ast.parse(source)
    places = {_place(node): node for node in _certain_anywhere(tree)}
    frames = list(_frames(error.__traceback__))
    at = [places.get(place) for name, place in frames if name == filename]
    if not at or None in at:
        return False
    if isinstance(error, ImportError):
        return isinstance(at[-1], ast.Import | ast.ImportFrom)
    return type(error) is NameError and frames[-1][0] == filename and error.name not in _bound(tree)


def _frames(traceback: TracebackType | None) -> Iterator[tuple[str, _Place]]:
    """The files of a traceback, and where in them what was being executed stands."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places = list(code.co_positions())
        yield code.co_filename, places[traceback.tb_lasti // 2]
        traceback = traceback.tb_next


def _place(node: Any) -> _Place:
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def _bound(tree: ast.AST) -> set[str | None]:
    """Every name that something in the text binds, wherever."""
    found: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        for field in ("name", "asname", "arg", "rest"):
            found.add(getattr(node, field, None))
    return found


def _certain_anywhere(tree: ast.Module) -> Iterator[ast.AST]:
    """What of the text, and of each function once it is called, is executed unless an exception ends it before."""
    yield from _certain(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from _certain(node.body)


def _certain(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.While | ast.Assert):
            yield from _evaluated(statement.test)
        elif isinstance(statement, ast.For | ast.AsyncFor):
            yield from _evaluated(statement.iter)
            if isinstance(statement.iter, ast.List | ast.Tuple) and statement.iter.elts:
                yield from _certain(statement.body)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                yield from _evaluated(item.context_expr)
            yield from _certain(statement.body)
        elif not isinstance(statement, (*_FUNCTIONS, ast.ClassDef, ast.Try, ast.TryStar, ast.Match)):
            for part in ast.iter_child_nodes(statement):
                yield from _evaluated(part)
        if _may_leave(statement):
            return  # what follows may be left out


def _may_leave(node: ast.AST) -> bool:
    """Whether a statement may end its function, or its turn of a loop, without an exception."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
        return False
    return isinstance(node, _EXITS) or any(map(_may_leave, ast.iter_child_nodes(node)))


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are evaluated in any case."""
    if hasattr(node, "lineno"):
        yield node
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.BoolOp):
        parts = [node.values[0]]
    elif isinstance(node, ast.IfExp):
        parts = [node.test]
    elif isinstance(node, ast.Compare):
        parts = [node.left, node.comparators[0]]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        parts = [node.generators[0].iter]
    elif isinstance(node, ast.Lambda):
        parts = []
    for part in parts:
        yield from _evaluated(part)
