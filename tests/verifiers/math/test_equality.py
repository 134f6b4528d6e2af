"""Equality is sound: what is too close, too large or too strange to tell is not equal."""

from __future__ import annotations

from fractions import Fraction

import pytest

from assay.verifiers.math.characters import to_latex
from assay.verifiers.math.equality.exact import rational
from assay.verifiers.math.equality.order import compare
from assay.verifiers.math.equality.points import primes, sample
from assay.verifiers.math.equality.residues import residues
from assay.verifiers.math.equality.values import same_value
from assay.verifiers.math.parsing import parse
from assay.verifiers.math.tree import Node


def _tree(text: str) -> Node:
    return parse(to_latex(text))


EQUAL = [
    (r"\frac{2^{100}-1}{3}", r"\frac{4^{50}-1}{3}"),
    (r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}"),
    (r"\sin 18^\circ", r"\frac{\sqrt5-1}{4}"),
    (r"\sqrt[3]{-8}", "-2"),
    ("x^{3/2}", r"x\sqrt{x}"),
    (r"\sqrt{x^2}", "|x|"),
    (r"\ln(xy)", r"\ln x+\ln y"),
    (r"\sqrt{1/n}", r"\frac{1}{\sqrt{n}}"),
    ("2^{10^9}", r"2\cdot 2^{10^9-1}"),
    (r"\binom{n}{k}", r"\frac{n!}{k!(n-k)!}"),
    (r"\binom{2026}{1013}", r"\frac{2026!}{1013!\,1013!}"),
    (r"\sum_{k=0}^{\infty} \frac{1}{2^k}", "2"),
    (r"\sum_{k=1}^{\infty} \frac{1}{k^2}", r"\frac{\pi^2}{6}"),
    (r"\sum_{k=1}^n k^3", r"\frac{n^2(n+1)^2}{4}"),
    (r"\int_0^{\pi} \sin x\,dx", "2"),
    (r"\frac{1+i}{1-i}", "i"),
    ("e^{i\\pi}+1", "0"),
    (r"\arctan 2", r"\frac{\pi}{2}-\arctan\frac12"),
    ("(x+y)^{20}(x-y)^{20}", "(x^2-y^2)^{20}"),
]
NOT_EQUAL = [
    ("1", "1+e^{-10^6}"),
    ("1", "1+2^{-10^6}"),
    ("1", r"\cos(e^{-10^6})"),
    ("0", "2^{-10^9}"),
    ("2^{10^9}", "2^{10^9}+1"),
    ("10^{10^{10}}", "10^{10^{10}}+1"),
    (r"\sin(2^{2^{100}})", "1"),
    ("x", "(x+1)^{10000}-(x+1)^{10000}+x+1"),
    ("x", r"x+10^{-60}\sin x"),
    (r"\sqrt{2}", r"\sqrt{2}+10^{-100}"),
    (r"e^{\pi\sqrt{163}}", "262537412640768744"),
    ("1000000!", "1000001!"),
    (r"\frac{1}{2^{99999}}", r"\frac{1}{2^{99998}}"),
    (r"\sqrt{x^2}", "x"),
    (r"\lfloor n/2\rfloor", "n/2"),
    ("1.6e-19", "1.7e-19"),
    ("x^{2^{61}-1}", "x"),
    ("9^{9^{9^9}}", "9^{9^{9^8}}"),
    (r"\sum_{k=0}^{\infty} 2^k", "-1"),
    (r"\sum_{k=0}^{n-1} F_k", "n F_k"),
    (r"\int_0^1 \frac{1}{x} dx", "0"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_values_are_equal_both_ways(left: str, right: str) -> None:
    for first, second in ((left, right), (right, left)):
        assert same_value(_tree(first), _tree(second), digits=9, seed="seed").equal


@pytest.mark.parametrize(("left", "right"), NOT_EQUAL)
def test_what_differs_or_cannot_be_told_is_not_equal_either_way(left: str, right: str) -> None:
    for first, second in ((left, right), (right, left)):
        outcome = same_value(_tree(first), _tree(second), digits=9, seed="seed")
        assert not outcome.equal
        assert outcome.reason


def test_a_proven_difference_is_told_apart_from_an_open_question() -> None:
    assert same_value(_tree("1/3"), _tree("0.3"), digits=9, seed="").decided
    assert not same_value(_tree("1"), _tree("1+e^{-10^6}"), digits=9, seed="").decided


@pytest.mark.parametrize(
    ("literal", "exact", "equal"),
    [
        ("1.41421356", r"\sqrt{2}", True),
        ("1.4142136", r"\sqrt{2}", False),
        ("1.41421357", r"\sqrt{2}", True),
        ("1.41421360", r"\sqrt{2}", False),
        ("0.333333333", r"\frac13", True),
        ("0.33333333", r"\frac13", False),
        ("125.66370614359172", r"40\pi", True),
        ("0.30000000000000004", "0.3", True),
        ("0.000000000160257708151404", "1.60257708151404e-10", True),
        ("3.123456789", "3.123456788", False),
        ("0.70710678118+0.70710678118i", r"\frac{1+i}{\sqrt2}", True),
    ],
)
def test_long_decimals_stand_for_what_they_approximate_to_their_last_digit(
    literal: str, exact: str, equal: bool
) -> None:
    assert same_value(_tree(exact), _tree(literal), digits=9, seed="").equal is equal


def test_points_are_fractions_of_both_signs_that_one_secret_repeats() -> None:
    first = sample(["x"], "gold", 0)
    assert first == sample(["x"], "gold", 0)
    assert first != sample(["x"], "gold", 0, secret=b"another")
    signs = {sample(["x"], "gold", index)["x"] > 0 for index in range(3)}
    assert signs == {True, False}
    assert {sample(["n"], "gold", index, integers=frozenset(["n"]))["n"].q for index in range(6)} == {1}


def test_primes_are_this_process_s_own_and_residues_tell_huge_numbers_apart() -> None:
    assert all(prime > 1 << 60 for prime in primes())
    assert primes() != primes(b"another secret")
    assert residues(_tree("2^{10^9}")) != residues(_tree("2^{10^9}+1"))
    assert residues(_tree("2^{10^9}")) == residues(_tree("2*2^{10^9-1}"))
    assert residues(_tree("x")) is None


def test_exact_values_are_bounded() -> None:
    value = rational(_tree("1/3+1/6"))
    assert value is not None
    assert Fraction(int(value.p), int(value.q)) == Fraction(1, 2)
    assert rational(_tree("2^{10^9}")) is None
    assert rational(_tree(r"\frac{1}{0}")) is None
    assert rational(_tree("100!!!!!!")) is None
    assert rational(_tree("x")) is None


def test_order_of_real_numbers() -> None:
    assert compare(_tree("1"), _tree(r"\sqrt2")) == -1
    assert compare(_tree(r"\pi"), _tree("3.14")) == 1
    assert compare(_tree(r"\sqrt8"), _tree(r"2\sqrt2")) == 0
    assert compare(_tree("i"), _tree("1")) is None
