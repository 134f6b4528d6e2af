"""Equality of values and of outputs."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.verifiers.code.compare import output_comparison, same_value, shorten

FIXED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
)


@FIXED
@given(PLAIN)
def test_equality_is_reflexive(value: Any) -> None:
    assert same_value(value, value)


@FIXED
@given(PLAIN, PLAIN)
def test_equality_is_symmetric_and_implies_pythons(a: Any, b: Any) -> None:
    assert same_value(a, b) == same_value(b, a)
    assert not same_value(a, b) or a == b


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (1, True), (1, 1.0), (0, False), ([1], (1,)), ("1", 1), ([True], [1]), ({1: 1}, {1: True}), ({1: 0}, {True: 0}),
        ({1}, {1.0}), ({1}, frozenset({1})), (None, False), ([], ()), (b"a", "a"), (1 + 0j, 1), ([1, [2]], [1, [True]]),
        (math.nan, math.nan), ([math.nan], [math.nan]), ([1], [1, 2]), ({"a": 1}, {"a": 1, "b": 2}), (deque([1]), [1]),
    ],
)  # fmt: skip
def test_types_matter_and_nan_equals_nothing(expected: Any, found: Any) -> None:
    assert not same_value(expected, found)


def test_floats_differ_by_the_stated_tolerance_only() -> None:
    assert not same_value(0.3, 0.1 + 0.2)
    assert same_value({"x": [0.3]}, {"x": [0.1 + 0.2]}, 1e-9)
    assert not same_value(1.0, 1.01, 1e-3)
    assert same_value(math.inf, math.inf)
    assert not same_value(math.inf, 1e308, 1e-3)
    assert not same_value(10**20, 10**20 + 1, 0.5)


@pytest.mark.parametrize(
    ("name", "expected", "found", "same"),
    [
        ("exact", "1\n", "1\n", True),
        ("exact", "1\n", "1", False),
        ("lines", "1\n2\n", "1  \r\n2\n\n\n", True),
        ("lines", "1\n2\n", "1\r2", True),
        ("lines", "1\n2\n", "1 2\n", False),
        ("lines", "a b\n", "a  b\n", False),
        ("lines", "\n1\n", "1\n", False),
        ("lines", "Yes", "YES", False),
        ("tokens", "1 2\n3", "1\n2\t3\n", True),
        ("tokens", "1 2 3", "3 2 1", False),
        ("tokens", "1 2", "1 2 2", False),
        ("tokens", "1", "1.0", False),
        ("unordered", "1\n2\n", "2\n1\n", True),
        ("unordered", "1\n1\n2\n", "1\n2\n2\n", False),
        ("numbers", "0.5 abc", "0.50000001 abc", True),
        ("numbers", "0.5", "0.6", False),
        ("numbers", "3", "3.0000001", True),
        ("numbers", "100000000000000000001", "100000000000000000002", False),
        ("numbers", "007", "+7", True),
        ("numbers", "1e5", "100000", True),
        ("numbers", "inf", "inf", True),
        ("numbers", "inf", "1e308", False),
        ("numbers", "nan", "nan", False),
        ("numbers", "1", "1_0", False),
        ("numbers", "1 2", "1", False),
        ("numbers", "1", "9" * 5000, False),
        ("numbers", "1", "１", False),
    ],
)
def test_outputs_compare_as_each_mode_says(name: str, expected: str, found: str, same: bool) -> None:
    assert output_comparison(name, 1e-6)(expected, found) is same


def test_an_unknown_mode_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"no comparison of outputs is called 'fuzzy'; there are exact, lines, tokens, num"
    ):
        output_comparison("fuzzy", 0.0)


def test_values_are_shown_short() -> None:
    assert shorten("x" * 1000, 10) == "'xxxxxxxxx…"
    assert len(shorten(list(range(10**6)))) < 200
    assert shorten(10**5000) == "a int"
