"""Remainders of huge rational numbers modulo primes that only this process knows.

Different remainders prove two numbers different however large they are. Equal remainders alone prove nothing; with the
agreement of two tight balls beside them, and primes drawn by the process, they leave nothing to be gamed.
"""

from __future__ import annotations

from typing import Any

from ..tree import Node
from .exact import Exact, NotExact
from .points import primes


class NoResidue(Exception):
    """The expression is no rational number of powers, products and sums."""


def residues(node: Node) -> tuple[int, ...] | None:
    """The remainders modulo each secret prime; None where the expression has none."""
    try:
        return tuple(_residue(node, prime) for prime in primes())
    except (NoResidue, ValueError):
        return None


def _residue(node: Node, prime: int) -> int:
    op, args = node.op, node.args
    if op in ("num", "dec"):
        value: Any = node.value if op == "num" else node.value[0]
        return int(value.numerator * pow(value.denominator, -1, prime) % prime)
    if op in ("group", "deg"):
        return _residue(args[0], prime)
    if op == "neg":
        return -_residue(args[0], prime) % prime
    if op == "add":
        return sum(_residue(arg, prime) for arg in args) % prime
    if op == "mul":
        total = 1
        for arg in args:
            total = total * _residue(arg, prime) % prime
        return total
    if op == "div":
        return _residue(args[0], prime) * pow(_residue(args[1], prime), -1, prime) % prime
    if op == "pow":
        return _power(node, prime)
    raise NoResidue(op)


def _power(node: Node, prime: int) -> int:
    """A power: its exponent has to be an integer that is known exactly, or itself a power."""
    base = _residue(node.args[0], prime)
    if base == 0:
        raise NoResidue("a base that the prime divides")
    try:
        exponent = Exact().value(node.args[1])
        if exponent.q != 1:
            raise NoResidue("a fractional exponent")
        return pow(base, int(exponent.p) % (prime - 1), prime)
    except NotExact as error:
        raise NoResidue("an exponent too large to write down") from error
