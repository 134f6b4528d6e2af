"""Where expressions with names are sampled: points that nobody can foresee and that one process always repeats."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

from flint import fmpq

_SECRET = os.urandom(16)
_MAGNITUDES = (1, 3, 8, 40, -3)  # powers of ten: far out and close to zero
_SMALL = (1, 2, 3, 5, 0, 7, 20, 60, 720720)


def sample(
    names: Iterable[str], seed: str, index: int, *, integers: frozenset[str] = frozenset(), secret: bytes = _SECRET
) -> dict[str, Any]:
    """One value for each name.

    Args:
        names: The names, in any order.
        seed: Usually the text of the reference: other references are sampled elsewhere.
        index: Which point of the sequence; by turns all positive, all negative, and of mixed signs.
        integers: The names that get positive integers instead of fractions.
        secret: Kept by the process, so that a policy cannot learn the points; fixed for canonical keys.

    Returns:
        Fractions of magnitude between 1/3 and 4, or integers from 2 to 50, even and odd ones.
    """
    values: dict[str, Any] = {}
    for position, name in enumerate(names):
        draw = _draw(f"{seed}\0{index}\0{name}", secret)
        if name in integers:
            place = position if index & 2 else len(values) and -position  # so that each name is the largest at times
            start = _draw(f"{seed}\0{index}", secret) % (16 if index % 2 else 4)
            values[name] = (
                fmpq(10 + 2 * start + 3 * place + 2 * (draw % 3) + (index >> position % 2 & 1))
                if abs(place) < 3
                else fmpq(2)
            )
            continue
        top, bottom = 700 + draw % 2203, 701 + (draw >> 16) % 1291
        negative = index % 3 == 1 or (index % 3 == 2 and (draw >> 32) % 2)
        values[name] = fmpq(-top if negative else top, bottom)
    return values


def far(names: Iterable[str], seed: str, *, near: bool = False, secret: bytes = _SECRET) -> Iterator[dict[str, Any]]:
    """Points of very different magnitudes and of all signs; ``near``: of the usual magnitude only."""
    found = list(names)
    for index, magnitude in enumerate((0,) if near else _MAGNITUDES):
        for sign in (1, -1):
            values: dict[str, Any] = {}
            for name in found:
                draw = _draw(f"far\0{seed}\0{index}\0{name}", secret)
                size = fmpq(10) ** (magnitude + (draw >> 32) % 2) * fmpq(700 + draw % 2203, 701 + (draw >> 16) % 1291)
                mixed = len(found) > 1 and (draw >> 40) % 2
                values[name] = size * (-sign if mixed else sign)
            yield values


def large_integers(names: Iterable[str], seed: str, *, secret: bytes = _SECRET) -> Iterator[dict[str, Any]]:
    """Integers beyond the zeros of products that an answer could write down, in both orders of the names."""
    found = list(names)
    for size, order in ((64, 1), (150, -1), (600, 1), (10**6, 1)):
        start = size + _draw(f"large\0{seed}\0{size}", secret) % size
        yield {name: fmpq(start + order * 7 * place) for place, name in enumerate(found)}


def small_integers(names: Iterable[str], literals: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Integers that differ much in size and in their divisors, for expressions of integers that are made of pieces."""
    found = list(names)
    for start in (*_SMALL, *literals):
        yield {name: fmpq(start + 2 * place) for place, name in enumerate(found)}


def fraction(seed: str, *, secret: bytes = _SECRET) -> Any:
    """A fraction between 1/4 and 3/4."""
    return fmpq(1, 4) + fmpq(_draw(seed, secret) % 1000, 2000)


def _draw(text: str, secret: bytes) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), key=secret, digest_size=8).digest(), "little")


def primes(secret: bytes = _SECRET) -> tuple[int, ...]:
    """Two primes of about 61 bits that only this process knows."""
    from flint import fmpz

    found: list[int] = []
    draw = int.from_bytes(blake2b(b"primes", key=secret, digest_size=16).digest(), "little")
    for shift in (0, 64):
        candidate = (1 << 60) + ((draw >> shift) % (1 << 60)) | 1
        while not fmpz(candidate).is_prime():
            candidate += 2
        found.append(candidate)
    return tuple(found)
