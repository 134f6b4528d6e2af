"""Properties: reflexive, symmetric, deaf to typesetting; equal under rewriting, unequal under a change."""

from __future__ import annotations

from fractions import Fraction

import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.verifiers import MathVerifier

VERIFIER = MathVerifier()
SETTINGS = settings(max_examples=150, deadline=None, derandomize=True)
NAMES = ("x", "y", "n")


def _equal(answer: str, reference: str) -> bool:
    return VERIFIER.verify_answers([answer], [reference])[0].score == 1.0


# Our own generator of expressions: a tree, written as LaTeX by us and as SymPy by SymPy.
integers = st.integers(-9, 9).filter(bool)
leaves = st.one_of(integers.map(sympy.Integer), st.sampled_from(NAMES).map(sympy.Symbol))


def _grown(children: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    return st.one_of(
        st.tuples(children, children).map(lambda pair: sympy.Add(*pair, evaluate=False)),
        st.tuples(children, children).map(lambda pair: sympy.Mul(*pair, evaluate=False)),
        st.tuples(children, st.integers(2, 3)).map(lambda pair: sympy.Pow(*pair, evaluate=False)),
        children.map(lambda child: sympy.Mul(child, sympy.Rational(1, 3), evaluate=False)),
    )


expressions = st.recursive(leaves, _grown, max_leaves=7)


def _latex(expression: sympy.Expr) -> str:
    """LaTeX in brackets throughout, so that nothing depends on how tightly signs bind."""
    if expression.is_Symbol:
        return str(expression)
    if expression.is_Rational:
        return f"\\left({expression}\\right)" if expression < 0 or expression.q != 1 else str(expression)
    if expression.is_Pow:
        return f"\\left({_latex(expression.base)}\\right)^{{{expression.exp}}}"
    sign = " + " if expression.is_Add else " \\cdot "
    return f"\\left({sign.join(map(_latex, expression.args))}\\right)"


rewritings = st.sampled_from(
    [sympy.expand, sympy.factor, sympy.simplify, sympy.together, lambda tree: sympy.collect(tree, "x")]
)


@SETTINGS
@given(expressions, rewritings)
def test_an_expression_equals_what_sympy_rewrites_it_to(expression: sympy.Expr, rewriting: object) -> None:
    rewritten = rewriting(expression)  # type: ignore[operator]
    assert _equal(sympy.latex(rewritten), _latex(expression))
    assert _equal(str(rewritten), _latex(expression))
    assert _equal(_latex(expression), sympy.latex(rewritten))


@SETTINGS
@given(expressions, expressions)
def test_different_expressions_differ_as_sympy_says(left: sympy.Expr, right: sympy.Expr) -> None:
    assert _equal(_latex(left), _latex(right)) == (sympy.expand(left - right) == 0)


@SETTINGS
@given(expressions, st.sampled_from(["+1", "-x", "\\cdot 2", "+\\frac{1}{1000003}", "\\cdot y"]))
def test_a_perturbed_expression_is_another_one(expression: sympy.Expr, change: str) -> None:
    latex = f"\\left({_latex(expression)}\\right)"
    same = change in ("\\cdot 2", "\\cdot y") and sympy.expand(expression) == 0
    assert _equal(f"{latex}{change}", latex) is same


constants = st.sampled_from(
    [r"\sqrt{2}", r"\pi", "e", r"\frac{1}{3}", r"\ln 2", r"\sin 1", "7", r"\sqrt[3]{5}", "i", r"\frac{\sqrt{3}}{2}"]
)


@SETTINGS
@given(constants, constants, integers)
def test_identities_of_constants_hold_and_their_perturbations_do_not(a: str, b: str, k: int) -> None:
    left = rf"\left({a}+{b}\right)^2-\left({k}\right)"
    right = rf"{a}^2+2\cdot {a}\cdot {b}+{b}^2-\left({k}\right)" if "ln" not in a + b and "sin" not in a + b else left
    assert _equal(right, left)
    assert not _equal(rf"{right}+10^{{-40}}", left)


@SETTINGS
@given(st.fractions(-100, 100, max_denominator=50), st.fractions(-100, 100, max_denominator=50))
def test_fractions_are_equal_exactly_when_their_values_are(a: Fraction, b: Fraction) -> None:
    latex = f"\\frac{{{3 * b.numerator}}}{{{3 * b.denominator}}}"
    assert _equal(latex, f"{a.numerator}/{a.denominator}") == (a == b)
    assert _equal(f"{b.numerator}/{b.denominator}", latex)


ANSWERS = st.sampled_from(
    [
        r"\frac{1}{2}", r"2\sqrt{3}+1", r"(1, -2)", r"\{1, 2, 3\}", r"[0, 1)", r"x^2+y^2=1", "x > 3", r"1 \pm \sqrt{5}",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", r"\text{Tuesday}", "15\\text{ cm}^2", r"45^\circ", "4210_7",
        r"f(x)=2x+3", r"x=5", "1,2,3", r"3 \pmod{7}", r"12\%", r"\$12.50", r"\frac{n(n+1)}{2}", r"x \in [2, 5)", "3:4",
        r"\int_0^1 x^2\,dx", r"(-\infty, 2) \cup (3, \infty)", "2+3i", r"\sin x", "10^{10^{10}}", "B", "4:30 p.m.",
    ]
)  # fmt: skip
TYPESETTING = st.sampled_from(
    [
        lambda text: f"${text}$",
        lambda text: f"\\[ {text} \\]",
        lambda text: f"\\( {text} \\)",
        lambda text: f"  {text} ",
        lambda text: f"\\boxed{{{text}}}",
        lambda text: f"{text}.",
        lambda text: f"\\displaystyle {text}",
        lambda text: f"\\, {text}\\;",
        lambda text: text.replace("\\frac", "\\dfrac"),
        lambda text: text if "[" in text else text.replace("(", "\\left(").replace(")", "\\right)"),
        lambda text: text if "\\text" in text or "mod" in text or "\\ " in text else text.replace(" ", "\\ "),
        lambda text: text.replace("+", " + ").replace("=", " = "),
        lambda text: f"**{text}**",
    ]
)  # fmt: skip


@SETTINGS
@given(ANSWERS, TYPESETTING, TYPESETTING)
def test_typesetting_does_not_count(answer: str, first: object, second: object) -> None:
    assert _equal(first(second(answer)), answer)  # type: ignore[operator]


@SETTINGS
@given(ANSWERS, ANSWERS)
def test_equality_is_reflexive_and_symmetric(left: str, right: str) -> None:
    assert _equal(f"{left} ", left)
    assert _equal(left, right) == _equal(right, left)
