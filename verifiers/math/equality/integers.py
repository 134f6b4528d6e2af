"""Which names of an expression stand for integers: those that are counted, chosen from, or decide a sign."""

from __future__ import annotations

from ..tree import Node, symbols, walk

DISCRETE = frozenset(["factorial", "doublefactorial", "binomial", "permutations", "gcd", "lcm"])
_SMOOTH = DISCRETE | {"exp", "ln", "gamma", "sinh", "cosh", "tanh"}


def integer_names(reference: Node, answer: Node) -> frozenset[str]:
    r"""The names of two expressions that are sampled at integers only.

    What the reference says about its names is believed. An answer may count too, but then nothing that repeats from
    integer to integer may be near: ``x + \sin(\pi x) + 0 x!`` is no other spelling of ``x``.
    """
    known = _counted(reference)
    added = _counted(answer, signs=False) - known
    if added:
        for node in (reference, answer):
            for found in walk(node):
                if found.op == "fn" and found.value not in _SMOOTH:
                    added -= symbols(found)
                elif _is_sign(found):
                    added -= symbols(found.args[1])
    return known | added


def _counted(node: Node, *, signs: bool = True) -> frozenset[str]:
    """The names in arguments of functions of integers, in bounds of sums and, with ``signs``, in powers of -1."""
    names: frozenset[str] = frozenset()
    for found in walk(node):
        if found.op == "fn" and found.value in DISCRETE:
            names |= symbols(found)
        elif found.op == "big":
            names = names.union(*map(symbols, found.args[1:]))
        elif signs and _is_sign(found):
            names |= symbols(found.args[1])
    return names


def _is_sign(node: Node) -> bool:
    """Whether a power has a negative number as its base and names in its exponent."""
    if node.op != "pow" or not symbols(node.args[1]):
        return False
    base = node.args[0]
    while base.op == "group":
        base = base.args[0]
    return (base.op == "num" and base.value < 0) or (base.op == "neg" and base.args[0].op in ("num", "dec"))
