"""The last tier: SymPy, on our own trees, in a process that is killed when it takes too long.

Nothing that a policy wrote is ever evaluated as text: SymPy objects are built from the tree, node by node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....sandbox.worker import Worker
from ..tree import Node

MEMORY_BYTES = 2 << 30


class Symbolic:
    """Asks SymPy whether two expressions are equal.

    Args:
        seconds: Real time for one question; starting the process apart.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.worker = Worker(f"{__name__}:equal", memory_bytes=MEMORY_BYTES)

    def same_value(self, left: Node, right: Node) -> bool | None:
        """Whether the difference simplifies to zero; None where SymPy cannot tell.

        Raises:
            WorkerTimeout: The time passed; the process was killed.
            WorkerFailed: The process could not start, ran out of memory, or SymPy failed.
        """
        answer: bool | None = self.worker.call(left, right, deadline_seconds=self.seconds)
        return answer

    def close(self) -> None:
        """End the process."""
        self.worker.close()


def equal(left: Node, right: Node) -> bool | None:
    """Whether SymPy finds two expressions equal; runs in the worker process."""
    import sympy

    difference = (_built(left) - _built(right)).doit()
    simplified = sympy.simplify(difference)
    if simplified == 0:
        return True
    if simplified.is_number and not simplified.has(sympy.Integral, sympy.Sum, sympy.Limit):
        return False
    found: bool | None = simplified.equals(0)
    return found


def _built(node: Node) -> Any:
    """The SymPy object of a tree.

    Raises:
        ValueError: The tree holds something that SymPy is not asked about.
    """
    import sympy

    args = [_built(arg) for arg in node.args] if node.op != "big" else []
    if node.op in ("num", "dec"):
        value = node.value if node.op == "num" else node.value[0]
        return sympy.Rational(value.numerator, value.denominator)
    if node.op == "sym":
        return sympy.Symbol(node.value)
    if node.op == "const":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}[node.value]
    if node.op == "big":
        return _calculus(node)
    if node.op == "fn":
        return _function(node.value)(*args)
    builders: dict[str, Callable[..., Any]] = {
        "add": sympy.Add,
        "mul": sympy.Mul,
        "div": lambda top, bottom: top / bottom,
        "pow": lambda base, exponent: base**exponent,
        "neg": lambda value: -value,
        "root": sympy.real_root if node.op == "root" and node.args[1].value in (3, 5, 7) else sympy.root,
        "pct": lambda value: value / 100,
        "deg": lambda value: value,
        "group": lambda value: value,
    }
    if node.op not in builders:
        raise ValueError(f"nothing in SymPy stands for {node.op}")
    return builders[node.op](*args)


def _function(name: str) -> Callable[..., Any]:
    import sympy

    names = {
        "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec",
        "arccsc": "acsc", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "abs": "Abs", "ceil": "ceiling",
        "doublefactorial": "factorial2", "permutations": "ff", "sgn": "sign", "max": "Max", "min": "Min",
    }  # fmt: skip
    known = (
        "log exp sin cos tan cot sec csc sinh cosh tanh asin acos atan acot asec acsc asinh acosh atanh Abs floor "
        "ceiling factorial factorial2 binomial ff sign Max Min gamma zeta erf gcd lcm conjugate arg"
    ).split()
    spelled = names.get(name, name)
    if spelled not in known:
        raise ValueError(f"nothing in SymPy stands for {name}")
    function: Callable[..., Any] = getattr(sympy, spelled)
    return function


def _calculus(node: Node) -> Any:
    import sympy

    kind, name = node.value
    variable = sympy.Symbol(name)
    body, *limits = [_built(arg) for arg in node.args]
    if kind == "lim":
        return sympy.limit(body, variable, limits[0])
    if kind == "int":
        return sympy.Integral(body, (variable, *limits) if limits else variable)
    if kind in ("sum", "prod") and len(limits) == 2:
        return (sympy.Sum if kind == "sum" else sympy.Product)(body, (variable, *limits))
    raise ValueError(f"nothing in SymPy stands for {kind}")
