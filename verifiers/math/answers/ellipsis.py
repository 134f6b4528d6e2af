"""Sums that go on: ``1 + 2 + ... + n`` as the sum of its last term over all integers up to n."""

from __future__ import annotations

from ..equality.exact import rational
from ..tree import Node, is_arithmetic, number, substitute, symbol, symbols

STARTS = range(4)  # where the index of the first term may begin
MAX_SHOWN = 6  # terms before the dots


def summed(node: Node) -> Node | None:
    """The sum, where its last term is the rule that its first terms follow; None for anything else.

    The name that the last term alone has is the index: ``1 + x + ... + x^n`` runs over n.
    """
    if node.op != "add" or len(node.args) < 4 or node.args[-2].op != "dots":
        return None
    shown, last = node.args[:-2], node.args[-1]
    if len(shown) > MAX_SHOWN or not all(map(is_arithmetic, (*shown, last))):
        return None
    indices = symbols(last).difference(*map(symbols, shown))
    if len(indices) != 1:
        return None
    (name,) = indices
    start = next((start for start in STARTS if _follow(shown, last, name, start)), None)
    if start is None:
        return None
    bound = f"{name}°"
    return Node("big", (substitute(last, {name: symbol(bound)}), number(start), symbol(name)), ("sum", bound))


def _follow(shown: tuple[Node, ...], last: Node, name: str, start: int) -> bool:
    """Whether the terms are the last one at ``start`` and the integers after it."""
    from ..compare import Judge

    judge = Judge()
    for place, term in enumerate(shown):
        rule = substitute(last, {name: number(start + place)})
        if symbols(rule) or symbols(term):
            if not judge.same_value(term, rule).equal:
                return False
        elif (value := rational(term)) is None or value != rational(rule):
            return False
    return True
