"""The grammar: what it makes of notations, that it fails on leftovers, and its limits."""

from __future__ import annotations

import pytest

from assay.verifiers.math.characters import to_latex
from assay.verifiers.math.parsing import TooLarge, Unreadable, parse
from assay.verifiers.math.tidy import tidy
from assay.verifiers.math.tree import Node


def _written(node: Node) -> str:
    """A tree in prefix notation."""
    if node.op in ("num", "sym", "const", "text"):
        return str(node.value)
    if node.op == "dec":
        return str(float(node.value[0]))
    label = (
        node.op if node.op in ("add", "mul", "div", "pow", "neg", "set", "pm", "root") else f"{node.op}:{node.value}"
    )
    return f"{label}({', '.join(map(_written, node.args))})"


TREES = [
    (r"\frac12x+3", "add(mul(div(1, 2), x), 3)"),
    (r"-1\frac{1}{2}", "neg(add(1, div(1, 2)))"),
    ("1 1/2", "add(1, div(1, 2))"),
    ("-2^2", "neg(pow(2, 2))"),
    ("2^3^2", "pow(2, pow(3, 2))"),
    ("ab^2", "mul(a, pow(b, 2))"),
    ("a/bc", "mul(div(a, b), c)"),
    (r"2\sin b\cos a", "mul(2, fn:sin(b), fn:cos(a))"),
    (r"\sin 2\pi t", "fn:sin(mul(2, pi, t))"),
    (r"\sin^2 x", "pow(fn:sin(x), 2)"),
    (r"\sin^{-1} x", "fn:arcsin(x)"),
    (r"\log_2 8", "div(fn:ln(8), fn:ln(2))"),
    (r"\sqrt[3]{2}", "root(2, 3)"),
    ("sqrt(2)", "root(2, 2)"),
    ("f(x)", "apply:f(x)"),
    ("x(x+1)", "mul(x, add(x, 1))"),
    ("5!=120", "chain:('=',)(fn:factorial(5), 120)"),
    ("x!=3", "chain:('!=',)(x, 3)"),
    ("x <= 3", "chain:('<=',)(x, 3)"),
    (r"\frac{dy}{dx}", "y'"),
    (r"0.\overline{27}", "3/11"),
    (r"0.1\dot{6}", "1/6"),
    ("0.333...", "1/3"),
    (r"7,\!425,\!000", "7425000"),
    ("1,234", "1234"),
    ("(1,234)", "bracket:()(1, 234)"),
    ("36,36,108", "list:,(36, 36, 108)"),
    ("1.5e3", "1500.0"),
    ("1.5x10^3", "mul(1.5, pow(10, 3))"),
    (r"\{1,2\}", "set(1, 2)"),
    (r"1\pm\sqrt{2}", "pm(1, root(2, 2))"),
    (r"{}_{10}C_3", "fn:binomial(10, 3)"),
    ("|x-2|", "fn:abs(add(x, neg(2)))"),
    ("x₁²", "pow(x_1, 2)"),
    (r"\sum_{k=1}^n k", "big:('sum', 'k')(k, 1, n)"),
    (r"\int_0^1 x^2\,dx", "big:('int', 'x')(pow(x, 2), 0, 1)"),
]
LEFTOVERS = [
    "2 +", "2 ^", r"2 \frac", r"4\sqrt", "1)", "(1", r"\left( 2 \right", r"5 \foo{3}", r"\begin{foo} 7 \end{bar}", "#",
    "x [ x + 1", "7 8 9", "2x3", r"7 \end{pmatrix}", r"\begin{pmatrix}1\\2\end{bmatrix}", "{1", "1..2", "= 5 =",
    r"\sum k", r"\int x", "⁷", "||",
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_a_notation_becomes_its_tree(text: str, tree: str) -> None:
    assert _written(parse(to_latex(text))) == tree


@pytest.mark.parametrize("text", LEFTOVERS)
def test_whatever_is_left_over_is_an_error_with_its_position(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse(to_latex(text))
    assert 0 <= caught.value.position <= len(to_latex(text))
    assert "at position" in str(caught.value)


def test_an_error_says_what_was_found_and_what_was_due() -> None:
    with pytest.raises(
        Unreadable, match=r"'\)' where something else was due \(nothing more was expected\) at position 1"
    ):
        parse("1)")
    with pytest.raises(Unreadable, match=r"unknown command \\foo at position 2"):
        parse(r"5 \foo{3}")


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("1+" * 3000 + "1", "6001 characters; at most 4000 are read"),
        ("(" * 100 + "1" + ")" * 100, "more than 64 levels of nesting"),
        ("9" * 3000, "a numeral of 3000 characters; at most 2000 are read"),
        ("1+" * 1600 + "1", "more than 1500 signs"),
    ],
)
def test_limits_are_kept(text: str, limit: str) -> None:
    with pytest.raises(TooLarge, match=limit):
        parse(text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (" $5$ ", "5"),
        ("$$5$$", "5"),
        (r"\[ 5 \]", "5"),
        (r"\boxed{\boxed{5}}", "5"),
        ("**5**", "5"),
        ("`5`", "5"),
        ("5.", "5"),
        (r"5\ .", "5"),
        ("$10", "$10"),
        ("-1$,$2$,$-2", "-1 , 2 , -2"),
        (r"\\frac{1}{2}", r"\frac{1}{2}"),
        ("0.333...", "0.333..."),
        ("５．０", "5.0"),
        ("1\u200b2", "12"),
    ],
)
def test_wrapping_is_taken_off(text: str, bare: str) -> None:
    assert tidy(text) == bare


def test_letters_that_only_look_latin_stay_what_they_are() -> None:
    assert to_latex("А") == "А"
    assert to_latex("𝟕") == "7"
    assert to_latex("Ⅲ") == "Ⅲ"
