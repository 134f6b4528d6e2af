"""Randomness by hashing: what an item is depends on its key alone, never on a generator's state or on call order."""

from __future__ import annotations

from hashlib import sha256
from random import Random


def hashed_integer(*key: str | int) -> int:
    """A whole number below 2**256 made from ``key``; keys that differ in a part or its type give unrelated numbers.

    >>> hashed_integer("math/sums-v1", "train", 0, 7) == hashed_integer("math/sums-v1", "train", 0, 7)
    True
    >>> hashed_integer("a", 1) == hashed_integer("a", "1")
    False
    """
    return int.from_bytes(sha256(repr(key).encode()).digest(), "big")


def hashed_fraction(*key: str | int) -> float:
    """A number in [0, 1) made from ``key``, with 53 random bits."""
    return (hashed_integer(*key) >> 203) / (1 << 53)


def item_random(name: str, split: str, seed: int, index: int) -> Random:
    """A generator for one item of a procedural environment.

    Seeds and indices are hashed together: seeds 0 and 1 share no item, unlike ``Random(seed + index)``.

    Args:
        name: The environment with its version.
        split: The split that the item is drawn for.
        seed: The environment's seed.
        index: Position of the item in its split.
    """
    return Random(hashed_integer(name, split, seed, index))
