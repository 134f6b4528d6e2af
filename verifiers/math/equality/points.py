"""Where expressions with names are sampled: points that nobody can foresee and that one process always repeats."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

from flint import fmpq

_SECRET = os.urandom(16)


def sample(names: Iterable[str], seed: str, index: int, *, integers: bool, secret: bytes = _SECRET) -> dict[str, Any]:
    """One value for each name.

    Args:
        names: The names, in any order.
        seed: Usually the text of the reference: other references are sampled elsewhere.
        index: Which point of the sequence; by turns all positive, all negative, and of mixed signs.
        integers: Positive integers instead of fractions, for factorials, sums and floors.
        secret: Kept by the process, so that a policy cannot learn the points; fixed for canonical keys.

    Returns:
        Fractions of magnitude between 1/3 and 4, or integers from 2 to 13, even and odd ones.
    """
    values: dict[str, Any] = {}
    for position, name in enumerate(names):
        digest = blake2b(
            f"{seed}\0{index}\0{name}".encode("utf-8", "surrogatepass"), key=secret, digest_size=8
        ).digest()
        draw = int.from_bytes(digest, "little")
        if integers:
            place = position if index & 2 else len(values) and -position  # so that each name is the largest at times
            values[name] = (
                fmpq(10 + 3 * place + 2 * (draw % 3) + (index >> position % 2 & 1)) if abs(place) < 3 else fmpq(2)
            )
            continue
        top, bottom = 700 + draw % 2203, 701 + (draw >> 16) % 1291
        negative = index % 3 == 1 or (index % 3 == 2 and (draw >> 32) % 2)
        values[name] = fmpq(-top if negative else top, bottom)
    return values


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
