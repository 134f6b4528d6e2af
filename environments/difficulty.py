"""How hard a prompt looks: a small model of the pass rate, learned from what has been judged so far.

A training run visits most prompts once or never, so counts by prompt say nothing about the next prompt. This model
carries what was seen on some prompts to those that look alike: words, the sizes of the numbers, the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .base import Prompt, prompt_text

Floats = NDArray[np.float64]
_TOKEN = re.compile(r"\d+|[^\W\d]+|[^\w\s]")
_COLUMNS = 4096
_LONGEST_TEXT = 4000
_ITERATIONS = 30
_RATE = 0.5
_RIDGE = 0.02


def features(prompts: Sequence[Prompt]) -> csr_array:
    """What prompts look like: hashed words and number sizes, n x 4096, rows of length one.

    A number counts by its digits without leading zeros, a word by its lower-case form; every text has its length in
    powers of two. Only the first 4,000 characters count.
    """
    indptr = [0]
    indices: list[int] = []
    for prompt in prompts:
        indices += sorted({crc32(feature.encode()) % _COLUMNS for feature in _features(prompt_text(prompt))})
        indptr.append(len(indices))
    sizes = np.diff(indptr)
    data = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
    return csr_array((data, np.asarray(indices, dtype=np.int32), np.asarray(indptr)), shape=(len(prompts), _COLUMNS))


def _features(text: str) -> Iterator[str]:
    yield f"length {len(text).bit_length()}"
    for place, token in enumerate(_TOKEN.findall(text[:_LONGEST_TEXT])):
        if token.isdecimal():
            digits = len(token.lstrip("0"))
            yield f"number {digits}"
            yield f"number {digits} at {min(place, 20)}"
        else:
            yield token.lower()


class DifficultyModel:
    """Logistic regression of the pass rate on ``features``, refitted as judgements come in.

    Deterministic: the same judgements in the same order give the same numbers on the same machine.

    Args:
        prompts: All prompts, n of them.
    """

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self._features = features(prompts)
        self._weights: Floats = np.zeros(_COLUMNS)
        self._bias = 0.0

    def fit(self, rows: NDArray[np.int64], passed: Floats, total: Floats) -> None:
        """Refit on judged prompts, from the last fit on.

        Maximises sum_i (passed_i log p_i + (total_i - passed_i) log(1 - p_i)) / sum_i total_i less a ridge, by
        gradient steps scaled as in AdaGrad (Duchi, Hazan and Singer 2011).

        Args:
            rows: Which prompts, m of them.
            passed: How often each was passed; fading counts may be broken numbers.
            total: How often each was tried, in the same unit.
        """
        if not total.sum() > 0:
            return
        judged = self._features[rows]
        scale = np.zeros(_COLUMNS)
        bias_scale = 0.0
        for _ in range(_ITERATIONS):
            rate = _sigmoid(judged @ self._weights + self._bias)
            slope = (total * rate - passed) / total.sum()
            gradient = judged.T @ slope + _RIDGE * self._weights / _ITERATIONS
            scale += gradient**2
            bias_scale += slope.sum() ** 2
            self._weights -= _RATE * gradient / (np.sqrt(scale) + 1e-8)
            self._bias -= _RATE * slope.sum() / (np.sqrt(bias_scale) + 1e-8)

    def pass_rates(self) -> Floats:
        """The expected pass rate of every prompt, n numbers in (0, 1)."""
        return _sigmoid(self._features @ self._weights + self._bias)

    def state_dict(self) -> dict[str, Any]:
        """What ``load_state_dict`` takes, as JSON values."""
        used = np.flatnonzero(self._weights)
        return {"columns": used.tolist(), "weights": self._weights[used].tolist(), "bias": self._bias}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go back to a state."""
        self._weights = np.zeros(_COLUMNS)
        self._weights[np.asarray(state["columns"], dtype=np.int64)] = state["weights"]
        self._bias = float(state["bias"])


def _sigmoid(value: Any) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(value, -30.0, 30.0)))
    return result
