"""Polynomials, many at once, agree with NumPy's one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import polynomial

from assay.evaluation.polynomials import gauss, integral, multiply, power, staggered


def rows(count: int, width: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng(width).random((count, width))


@pytest.mark.parametrize("degree", [0, 3, 40, 1000])
@pytest.mark.parametrize(("count", "first", "second"), [(1, 9, 4), (5, 1, 7), (5, 7, 1), (20, 9, 9), (3, 90, 60)])
def test_a_product_is_that_of_each_row_without_high_powers(count: int, first: int, second: int, degree: int) -> None:
    left, right = rows(count, first), rows(count, second)
    wanted = np.array([polynomial.polymul(a, b)[: degree + 1] for a, b in zip(left, right, strict=True)])
    np.testing.assert_allclose(multiply(left, right, degree), wanted, rtol=1e-13)


@pytest.mark.parametrize("times", [0, 1, 2, 7])
def test_a_power_is_that_of_each_row(times: int) -> None:
    base = rows(4, 3)
    wanted = np.array([polynomial.polypow(row, times)[:9] for row in base])
    np.testing.assert_allclose(power(base, times, 8), wanted, rtol=1e-13)


def test_staggered_polynomials_are_summed_each_one_power_higher() -> None:
    found = staggered(np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]))
    assert found.tolist() == [1.0, 12.0, 120.0, 200.0]


def test_several_integrals_over_y_are_taken_at_once() -> None:
    nodes, weights = gauss(3)
    values = np.array([[1.0, y**2] for y in nodes] + [[y, y**5] for y in nodes])
    np.testing.assert_allclose(integral(weights, values), [[1, 1 / 3], [1 / 2, 1 / 6]], rtol=1e-14)
