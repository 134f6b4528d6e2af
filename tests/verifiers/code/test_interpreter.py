"""The safe interpreter: it means what Python means, or refuses."""

from __future__ import annotations

import ast
import time
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.verifiers.code.frame import Frame, Unsupported
from assay.verifiers.code.holes import HoleCompiler
from assay.verifiers.code.interpreter import Compiler

FIXED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

NUMBERS = ["(0)", "(1)", "(-3)", "(7)", "(2.5)", "True"]
OTHERS = ["'ab'", "''", "None", "[]", "[3, 1, 2]", "(1, 'x')", "{1, 2}", "{'a': 1}", "b'q'", "range(4)"]
LITERALS = st.sampled_from(NUMBERS + OTHERS)
OPERATORS = st.sampled_from("+ - * // % / < <= == != > in and or & | ^ **".split())  # noqa: SIM905
FUNCTIONS = (
    "len sorted sum list tuple set str abs max min any all bool int float repr round reversed enumerate dict type"
)
SHAPES = """
(not {0}); -{0}; ~{0}; [{0}, {1}]; ({0}, {1}); {{{0}: {1}}}; {{{0}, {1}}}; {0}[{1}]; {0}[1:]; ({0} if {1} else {0});
[x for x in {0} if x]; {{x for x in {0}}}; {{x: {1} for x in {0}}}; list(x + {1} for x in {0}); {0}.count({1});
{0}.upper(); {0}.get({1}); [(x, y) for x in {0} for y in {1}]; {0} < {1} < {0}; isinstance({0}, int); ({0} is None);
sorted({0}, reverse=True); [*{0}, {1}]; divmod({0}, {1}); ({0} not in {1}); {0}.join({1}); {0}.replace({1}, {0})
"""


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, OPERATORS, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    applied = st.tuples(st.sampled_from(FUNCTIONS.split()), inner).map(lambda t: f"{t[0]}({t[1]})")
    return (
        two
        | applied
        | st.tuples(st.sampled_from([shape.strip() for shape in SHAPES.split(";")]), inner, inner).map(
            lambda t: t[0].format(t[1], t[2])
        )
    )


def python(text: str) -> Any:
    """Python's own value, or the kind of exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "value", eval(text, {})
    except Exception as error:
        return "error", type(error)


def ours(text: str) -> Any:
    code = Compiler({}, {}).compile(ast.parse(text, mode="eval").body)
    try:
        return "value", code.run(Frame(lambda number: None))
    except Exception as error:
        return "error", type(error)


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if hasattr(a, "__next__"):
        return list(a) == list(b)
    if isinstance(a, str) and " at 0x" in a:
        return a.partition(" at 0x")[0] == str(b).partition(" at 0x")[0]
    return bool(a == b or a != a)


@FIXED
@given(st.recursive(LITERALS, _grow, max_leaves=6))
def test_it_evaluates_as_python_does_or_refuses(text: str) -> None:
    try:
        found = ours(text)
    except Unsupported:
        return
    wanted = python(text)
    if found[0] == "error" and found[1].__name__ == "TooMuch":
        return
    assert found[0] == wanted[0], text
    assert found[1] is wanted[1] if found[0] == "error" else same(found[1], wanted[1]), text


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('/etc/passwd')",
        "().__class__",
        "''.format",
        "'{0.__class__}'.format(1)",
        "eval('1')",
        "(lambda: 1)()",
        "getattr(1, 'real')",
        "f'{1}'",
        "[x async for x in y]",
        "(x := 1)",
        "print(1)",
        "math.__dict__",
        "sorted([1], key=print)",
        "1 is 1",
        "unknown",
        "dict(**{'a': 1})",
        "{**{}}",
    ],
)
def test_what_could_reach_out_is_refused_before_anything_runs(text: str) -> None:
    with pytest.raises(Unsupported):
        Compiler({}, {}).compile(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("f() ** f()", 10**6),
        ("f() * 10 ** 9", "a" * 10**6),
        ("10 ** 9 * f()", [0] * 1000),
        ("f() << f()", 10**9),
        ("round(5, f())", -(10**9)),
        ("list(range(f()))", 10**12),
        ("sum(f(), [])", [[1]] * 1000),
        ("bytes(f())", 10**12),
        ("f() % 5", "%1000000000d"),
        ("'a'.replace('a', f()) * 10", "b" * 10**7),
        ("f().replace('a', f())", "a" * 10**5),
        ("f().join(f())", "a" * 10**5),
        ("set(f())", [n * (2**61 - 1) for n in range(100_000)]),
        ("{x for x in f()}", [n * (2**61 - 1) for n in range(100_000)]),
        ("{x: 1 for x in f()}", [n * (2**61 - 1) for n in range(100_000)]),
        ("dict(f())", [(n * (2**61 - 1), 0) for n in range(100_000)]),
        ("[x in y for y in [f()] for x in y]", list(range(100_000))),
        ("[x + y for z in [f()] for x in z for y in z]", list(range(100_000))),
        ("f() == 4 and math.factorial(10 ** 9)", 4),
    ],
)
def test_values_made_to_hurt_end_quickly(text: str, result: Any) -> None:
    compiler = HoleCompiler(["f"])
    code = compiler.open(ast.parse(text, mode="eval").body)
    started = time.process_time()
    with pytest.raises(Exception, match=r"too |not evaluated|elements hash alike|cannot fit"):
        code.run(Frame(lambda number: result))
    assert time.process_time() - started < 20  # a guard against hanging, not a measurement


def test_comprehensions_do_not_share_their_variables() -> None:
    text = "list(zip((x + y for x in [1, 2] for y in [10, 20]), (x for x in [7, 8, 9])))"
    assert ours(text) == python(text)


def test_a_generator_is_lazy_as_in_python() -> None:
    text = "any(x == 1 or 1 / (x - 1) for x in [1, 2])"
    assert ours(text) == python(text) == ("value", True)
