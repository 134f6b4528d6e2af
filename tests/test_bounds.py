"""Numbers out of range are refused in the same words everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from assay.bounds import at_least, fraction, positive, share
from assay.errors import InputError

ONE_OR_MORE = partial(at_least, 1)


@pytest.mark.parametrize(
    ("check", "value", "expected"),
    [
        *[(ONE_OR_MORE, value, "a whole number of at least 1") for value in (0, -3, 1.0, "4", None, math.nan)],
        *[(positive, value, "a positive number") for value in (0, -0.5, math.nan, "6", None, 1j)],
        *[(share, value, "a share in (0, 1]") for value in (0, 1.5, -1, math.nan, "1", None)],
        *[(fraction, value, "a number in [0, 1]") for value in (1.5, -0.1, math.nan, math.inf, "0", None)],
    ],
)
def test_a_number_out_of_range_is_named_with_what_was_expected(
    check: Callable[..., None], value: Any, expected: str
) -> None:
    with pytest.raises(InputError) as caught:
        check(good=1, wanted=value)
    assert str(caught.value) == f"wanted is {value!r}; expected {expected}"


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (ONE_OR_MORE, [1, 10**30, np.int32(4)]),
        (partial(at_least, 0), [0]),
        (positive, [1, 1e-300, math.inf, np.float32(0.5)]),
        (share, [1, 1e-300, np.float32(0.5)]),
        (fraction, [0, 1, 0.5, np.float64(0.5)]),
    ],
)
def test_numbers_in_range_pass_whatever_their_type(check: Callable[..., None], values: list[Any]) -> None:
    for value in values:
        check(wanted=value)
