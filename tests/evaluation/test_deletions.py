"""maj@k with one sample taken away, in one pass, against taking it away and counting anew."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from assay.evaluation import VoteClass, majority_curve
from assay.evaluation.deletions import deletion_curves


def anew(classes: list[VoteClass], missing: int, kind: VoteClass | None) -> np.ndarray:
    """The curve after one sample of a kind is gone."""
    if kind is None:
        return majority_curve(classes, missing=missing - 1)
    left = Counter(classes) - Counter([kind]) + Counter([VoteClass(kind.size - 1, kind.score)])
    return majority_curve(left.elements(), missing=missing)


def test_every_deletion_agrees_with_counting_anew() -> None:
    draw = random.Random(8)
    for _ in range(150):
        classes = [VoteClass(draw.randint(1, 6), draw.choice([0.0, 0.25, 1.0])) for _ in range(draw.randint(0, 7))]
        missing = draw.randint(0, 4)
        n = sum(item.size for item in classes) + missing
        if n < 2:
            continue
        most = draw.randint(1, n - 1)
        whole, curves = deletion_curves(classes, missing=missing, most=most)
        np.testing.assert_allclose(whole, majority_curve(classes, missing=missing)[:most], atol=1e-13)
        assert set(curves) == {*classes} | ({None} if missing else set())
        for kind, curve in curves.items():
            np.testing.assert_allclose(curve, anew(classes, missing, kind)[:most], atol=1e-12)


@pytest.mark.parametrize("most", [128, 255])
def test_at_256_samples_nothing_is_lost_to_the_difference(most: int) -> None:
    sizes = [60, 40, 40, 31, 20, 12, 8, 8, 5, 3, 3, 2, 2, 1, 1, 1, 1]
    classes = [VoteClass(size, float(index in (1, 4))) for index, size in enumerate(sizes)]
    missing = 256 - sum(sizes)
    _, curves = deletion_curves(classes, missing=missing, most=most)
    for kind in (VoteClass(40, 1.0), VoteClass(40, 0.0), VoteClass(1, 0.0), None):
        np.testing.assert_allclose(curves[kind], anew(classes, missing, kind)[:most], atol=1e-12)
