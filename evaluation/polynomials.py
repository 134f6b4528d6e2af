"""Polynomials in x, many at once, cut at a degree: arrays of shape (rows, degree + 1), one polynomial a row.

The rows are the nodes of y at which an integrand is known; those of several integrands come one after the other.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# From so many products in a row on, NumPy is quicker row by row than on all rows at once.
_LONG = 4000


@lru_cache(maxsize=64)
def gauss(nodes: int) -> tuple[Array, Array]:
    """Nodes and weights on [0, 1], exact for polynomials of degree up to ``2 nodes - 1``."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return (points + 1.0) / 2.0, weights / 2.0


@lru_cache(maxsize=2048)
def binomials(n: int) -> Array:
    """C(n, 0) ... C(n, n); not to be written to."""
    row = np.array([math.comb(n, i) for i in range(n + 1)], dtype=np.float64)
    row.setflags(write=False)
    return row


def power(base: Array, times: int, degree: int) -> Array:
    """Each polynomial to the power ``times``, at least 0."""
    if times == 0:
        return np.ones((base.shape[0], 1))
    if times == 1:
        return base[:, : degree + 1]
    half = power(base, times // 2, degree)
    square = multiply(half, half, degree)
    return multiply(square, base, degree) if times % 2 else square


def multiply(left: Array, right: Array, degree: int) -> Array:
    """The product of the two polynomials of each row, without the powers above ``degree``."""
    if left.shape[1] < right.shape[1]:
        left, right = right, left
    if right.shape[1] == 1:
        return right * left[:, : degree + 1]
    length = min(left.shape[1] + right.shape[1] - 1, degree + 1)
    rows, width = left.shape[0], right.shape[1]
    if rows == 1 or length * width > _LONG:
        return np.array([np.convolve(a, b)[:length] for a, b in zip(left, right, strict=True)])
    # Each coefficient is the product of the shorter polynomial, turned round, with a window of the longer one.
    padded = np.zeros((rows, length + width - 1))
    known = left[:, :length]
    padded[:, width - 1 : width - 1 + known.shape[1]] = known
    row, item = padded.strides
    windows: Array = np.ndarray((rows, length, width), np.float64, padded, strides=(row, item, item))
    product: Array = (windows @ right[:, ::-1, None])[:, :, 0]
    return product


def integral(weights: Array, values: Array) -> Array:
    """Each integrand's weighted sum over the nodes: shape (integrands, degree + 1)."""
    found: Array = weights @ values.reshape(-1, len(weights), values.shape[1])
    return found


def staggered(rows: Array) -> Array:
    """The sum of all polynomials, the i-th of them times ``x**i``."""
    count, width = rows.shape
    length = count + width - 1
    # In rows longer by one than the sum; read in rows of the sum's length, each lies one further to the right.
    padded = np.zeros((count, length + 1))
    padded[:, :width] = rows
    total: Array = padded.reshape(-1)[: count * length].reshape(count, length).sum(axis=0)
    return total
