r"""Arbitrary constants: of integration, and of the general solutions of differential equations.

``f + C`` and ``g + C`` are one set of functions where f - g does not depend on the variable;
``C_1 e^x + C_2 e^{-x}`` and ``A e^{-x} + B e^x`` are one where what the constants multiply agrees in pairs. An
expression counts only where it is linear in its constants, so that an angle C in ``\cos C`` is none, and where a
variable is left besides them.
"""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from ..tree import E_BASE, ONE, ZERO, Node, is_arithmetic, number, product, substitute, symbol, symbols, walk

if TYPE_CHECKING:
    from ..compare import Judge

_CONSTANT = re.compile(r"(?:C|[Cc]_\{?\d\}?)\Z")  # a lone c is as often a coefficient
_LETTERS = frozenset("ABDKkc")  # what the other side may call a constant
_ALONE = frozenset("AKkc")  # B and D stand beside an A
_VARIABLES = ("x", "t", "theta", "u", "s", "z", "y", "r")
_GROWING = frozenset(["fn", "root"])
MAX_CONSTANTS = 3


class _General(NamedTuple):
    """A sum of constants times functions, and a function without constants."""

    functions: tuple[Node, ...]
    rest: Node


def constants(node: Node) -> tuple[str, ...]:
    """The names that are arbitrary constants by their spelling, where a variable is left beside them."""
    names = symbols(node)
    found = tuple(sorted(name for name in names if _CONSTANT.match(name)))
    return found if found and len(found) <= MAX_CONSTANTS and _variable(names - set(found)) else ()


def same_but_for_constants(mine: Node, theirs: Node, judge: Judge) -> bool:
    """Whether two expressions describe the same functions when their constants are free."""
    names, others = constants(mine), constants(theirs)
    if not names and not others:
        return False
    shared = symbols(mine) & symbols(theirs)
    if names:
        others = _called(theirs, others, len(names), shared - set(names))
    else:
        names = _called(mine, names, len(others), shared - set(others))
    variable = _variable(symbols(mine) - set(names))
    if len(names) != len(others) or not names or variable is None or variable not in symbols(theirs):
        return False
    if symbols(mine) - set(names) != symbols(theirs) - set(others):
        return False
    left, right = _general(mine, names, judge), _general(theirs, others, judge)
    if left is None or right is None:
        return False
    numbered = all("_" in name for name in names) or all("_" in name for name in others)
    if not _same_rest(
        left.rest, right.rest, variable, judge, free=any(_is_one(part, judge) for part in left.functions)
    ):
        return False
    if not numbered and not all(_is_one(part, judge) or _grows(part, variable) for part in left.functions):
        return False
    return any(_agree(left.functions, order, judge) for order in permutations(right.functions))


def _called(node: Node, known: tuple[str, ...], count: int, shared: frozenset[str]) -> tuple[str, ...]:
    """The constants of the other side: by their spelling, or as many letters as are wanted that only it has."""
    if len(known) == count:
        return known
    letters = _LETTERS if count > 1 else _ALONE
    found = tuple(sorted(name for name in symbols(node) - shared if name in letters or name in known))
    return found if len(found) == count else ()


def _variable(names: frozenset[str] | set[str]) -> str | None:
    return next((name for name in _VARIABLES if name in names), None)


def _general(node: Node, names: tuple[str, ...], judge: Judge) -> _General | None:
    """The expression as a sum over its constants; None where it is not linear in them."""
    if not is_arithmetic(node):
        return None
    if (written := _by_form(node, names)) is not None:
        return written
    at_zero = dict.fromkeys(names, ZERO)
    rest = substitute(node, at_zero)
    functions = []
    for name in names:
        once, twice = (_less(substitute(node, {**at_zero, name: number(value)}), rest) for value in (1, 2))
        if not judge.same_value(product(number(2), once), twice).equal:
            return None
        functions.append(once)
    free = {name: symbol(f"{name}°") for name in names}
    total = Node("add", (rest, *(product(free[name], part) for name, part in zip(names, functions, strict=True))))
    linear = judge.same_value(substitute(node, free), total).equal
    return _General(tuple(functions), rest) if linear else None


def _by_form(node: Node, names: tuple[str, ...]) -> _General | None:
    """The same, read off a sum in which each constant is a summand or a factor of one; None for any other form."""
    terms = list(node.args) if node.op == "add" else [node]
    functions = []
    for name in names:
        own = [term for term in terms if name in symbols(term)]
        factors = own[0].args if len(own) == 1 and own[0].op == "mul" else tuple(own)
        others = [factor for factor in factors if factor != symbol(name)]
        if len(own) != 1 or len(others) != len(factors) - 1 or any(symbols(part) & set(names) for part in others):
            return None
        functions.append(product(*others) if others else ONE)
        terms.remove(own[0])
    return _General(tuple(functions), Node("add", tuple(terms)) if len(terms) > 1 else terms[0] if terms else ZERO)


def _less(left: Node, right: Node) -> Node:
    return Node("add", (left, Node("neg", (right,))))


def _agree(mine: tuple[Node, ...], theirs: tuple[Node, ...], judge: Judge) -> bool:
    """Whether functions agree in pairs; another sign or factor is another answer here, if not to a mathematician."""
    return all(judge.same_value(left, right).equal for left, right in zip(mine, theirs, strict=True))


def _same_rest(left: Node, right: Node, variable: str, judge: Judge, *, free: bool) -> bool:
    """Whether what stands without constants agrees, where ``free`` but for a number that a summand C takes up."""
    if judge.same_value(left, right).equal:
        return True
    difference = _less(left, right)
    moved = {name: symbol(f"{name}°") for name in (variable, *_VARIABLES) if name in symbols(difference)}
    return free and judge.same_value(difference, substitute(difference, moved)).equal


def _is_one(node: Node, judge: Judge) -> bool:
    return judge.same_value(node, ONE).equal


def _grows(node: Node, variable: str) -> bool:
    """Whether the variable stands in an exponent, in a function or under a root: where equations are solved."""
    for found in walk(node):
        inside = found.args if found.op in _GROWING else found.args[1:] if found.op == "pow" else ()
        if any(variable in symbols(arg) for arg in inside):
            return True
    return any(found == E_BASE for found in walk(node))
