"""Polynomials in x at several nodes of y, cut at a degree: arrays of shape (nodes, degree + 1); and their integrals."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
    """``base`` to the power ``times``, at least 0, for each node."""
    if times == 0:
        return np.ones((base.shape[0], 1))
    if times == 1:
        return base[:, : degree + 1]
    half = power(base, times // 2, degree)
    square = multiply(half, half, degree)
    return multiply(square, base, degree) if times % 2 else square


def multiply(left: Array, right: Array, degree: int) -> Array:
    """The product of two polynomials for each node, without the powers above ``degree``."""
    if left.shape[1] < right.shape[1]:
        left, right = right, left
    length = min(left.shape[1] + right.shape[1] - 1, degree + 1)
    if left.shape[0] < right.shape[1]:
        return np.array([np.convolve(a, b)[:length] for a, b in zip(left, right, strict=True)])
    out = np.zeros((left.shape[0], length))
    for shift in range(min(right.shape[1], length)):
        out[:, shift : shift + left.shape[1]] += right[:, shift, None] * left[:, : length - shift]
    return out


def integral(weights: Array, left: Array, right: Array, degree: int) -> Array:
    """The weighted sum over the nodes of the product of two polynomials, by power of x up to ``degree``."""
    if left.shape[1] < right.shape[1]:
        left, right = right, left
    length = min(left.shape[1] + right.shape[1] - 1, degree + 1)
    pairs = (right * weights[:, None]).T @ left  # of each two powers: the integral of the coefficients' product
    out = np.zeros(length)
    for shift in range(min(right.shape[1], length)):
        out[shift : shift + left.shape[1]] += pairs[shift, : length - shift]
    return out
