"""Values on their way out of a hostile process."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.verifiers.code.codec import MAX_NODES, NotComparable, TooLarge, encode
from assay.verifiers.code.decoding import decode

FIXED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.integers(-(2**300), 2**300) | st.floats(allow_nan=False) | st.text()
    | st.text(st.characters(categories=["Cs", "Ll"])) | st.binary() | st.complex_numbers(allow_nan=False)
    | st.fractions() | st.decimals(allow_nan=False) | st.datetimes() | st.timedeltas()
)  # fmt: skip
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=4), max_leaves=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    HASHABLE,
    lambda inner: st.lists(inner, max_size=5)
    | st.dictionaries(HASHABLE, inner, max_size=4) | st.sets(HASHABLE, max_size=4)
    | st.builds(collections.deque, st.lists(inner, max_size=3)),
    max_leaves=20,
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from("l t d S F q it dk dv di i f s c b B r T D Q dt td np".split()),  # noqa: SIM905
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
)  # fmt: skip


def travelled(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


@FIXED
@given(VALUES)
def test_a_plain_value_arrives_as_it_is(value: Any) -> None:
    found = travelled(value)
    assert found == value
    assert type(found) is type(value)
    assert repr(found) == repr(value) or isinstance(value, (set, frozenset, list, tuple, dict, collections.deque))


@FIXED
@given(VALUES, VALUES)
def test_equality_is_what_it_was_before_the_journey(a: Any, b: Any) -> None:
    assert (travelled(a) == b) == (a == b)
    assert (travelled([a, b]) == [b, a]) == ([a, b] == [b, a])


@FIXED
@given(JSON)
def test_whatever_a_program_sends_decodes_or_is_refused(form: Any) -> None:
    try:
        found = decode(form)
    except NotComparable:
        return
    allowed = (str, int, float, complex, bytes, bytearray, list, tuple, dict, set, frozenset, range, type, type(None))
    more = (collections.deque, decimal.Decimal, fractions.Fraction, datetime.date, datetime.time, datetime.timedelta)
    views: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()), type(iter([])))
    assert isinstance(found, (*allowed, *more, *views))


class Colour(enum.IntEnum):
    RED = 3


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __int__(self) -> int:
        return 4

    def __add__(self, other: int) -> int:
        return 4

    def __format__(self, spec: str) -> str:
        return "4"


class LyingText(str):
    def __str__(self) -> str:
        return "right"

    def __iter__(self) -> Any:
        return iter("right")


class LyingList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return iter([4])

    def __len__(self) -> int:
        return 1


class LyingDict(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [(1, 4)]


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (Liar(0), 0),
        (LyingText("wrong"), "wrong"),
        (LyingList([0, 0]), [0, 0]),
        (LyingDict({1: 0}), {1: 0}),
        (Colour.RED, 3),
        (Point(1, 2), (1, 2)),
        (collections.OrderedDict([(2, 1)]), {2: 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.defaultdict(list, {1: [2]}), {1: [2]}),
        (np.int64(7), 7),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        (True, True),
    ],
)
def test_a_subclass_is_taken_by_its_real_content(value: Any, content: Any) -> None:
    found = travelled(value)
    assert found == content
    assert type(found) is type(content)


def test_views_and_iterators_keep_their_meaning() -> None:
    assert list(travelled(iter([1, 2]))) == [1, 2]
    assert travelled(iter([1, 2])) != [1, 2]
    assert list(travelled(x * x for x in range(3))) == [0, 1, 4]
    assert travelled({1: 2}.keys()) == {1}
    assert travelled({1: 2}.items()) == {(1, 2)}
    assert list(travelled({1: 2}.values())) == [2]
    assert travelled(range(2, 9, 3)) == range(2, 9, 3)
    assert travelled(int) is int


def test_nan_never_equals_by_accident() -> None:
    first, second = travelled([math.nan]), travelled([math.nan])
    assert math.isnan(first[0])
    assert first != second
    assert travelled([math.nan] * 2)[0] is not travelled([math.nan] * 2)[1]
    assert travelled(math.inf) == math.inf


def test_arrays_arrive_only_where_somebody_builds_them() -> None:
    form = json.loads(json.dumps(encode(np.arange(6.0).reshape(2, 3))))
    built = decode(form, array=lambda dtype, shape, items: np.array(items, dtype=dtype).reshape(shape))
    assert (built == np.arange(6.0).reshape(2, 3)).all()
    with pytest.raises(NotComparable, match="an array"):
        decode(form)


@pytest.mark.parametrize("value", [object(), len, lambda: 0, ValueError("x"), json, print, open, type("X", (), {})])
def test_what_has_no_plain_content_is_refused(value: Any) -> None:
    with pytest.raises(NotComparable, match="has no plain content"):
        encode(value)


def test_size_depth_and_cycles_are_bounded() -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    cycle: list[Any] = []
    cycle.append(cycle)
    endless = iter(int, 1)
    for value in (deep, cycle, [0] * (MAX_NODES + 1), endless):
        with pytest.raises(TooLarge):
            encode(value)
    form: Any = ["l"]
    for _ in range(200):
        form = ["l", form]
    with pytest.raises(TooLarge):
        decode(form)


@pytest.mark.parametrize(
    "form",
    [
        ["r", 0, 10**12, 1],
        ["D", "1e999999"],
        ["i", "f" * 30_000],
        ["S", *[n * (2**61 - 1) for n in range(200)]],
        ["d", *[[n * (2**61 - 1), 0] for n in range(200)]],
        ["F", *[["t", n * (2**61 - 1)] for n in range(200)]],
        ["S", ["l"]],
        ["d", 1],
        ["b", "zz"],
        ["dt", "datetime", "yesterday"],
        ["T", "object; import os"],
        ["Q", 1, 0],
        {"l": 1},
        [],
        [1, 2],
    ],
)
def test_forms_made_to_hurt_are_refused(form: Any) -> None:
    with pytest.raises(NotComparable):
        decode(form)


@FIXED
@given(st.sets(st.integers(), min_size=70, max_size=300))
def test_ordinary_sets_are_not_taken_for_attacks(value: set[int]) -> None:
    assert travelled(value) == value


@pytest.mark.parametrize(
    "form",
    [
        ["Q", "1e400000000", None], ["Q", "1e400000000", 1], ["Q", 1e300, 1], ["Q", ["D", "1E+19999"], 3],
        ["Q", True, 3], ["Q", ["Q", 1, 3], 3], ["r", 0, 1.0, 1], ["r", 0, ["i", "f" * 20001], 1], ["td", 1e308, 0, 0],
        ["td", 10**400, 0, 0], ["td", 1], ["c", "1" * 1000, 0], ["c", ["Q", 1, 3], 0], ["s", "abc"], ["s", {"a": 1}],
        ["i", 7], ["i", "f", "f"],
        ["dt", "time", "1" * 101], ["D", "1E+999999"], ["np", "float64", 3, ["l"]], ["np", "float64", [3], "abc"],
    ],
)  # fmt: skip
def test_a_part_of_another_shape_than_its_own_is_malformed_and_costs_nothing(form: Any) -> None:
    with pytest.raises(NotComparable):
        decode(form, array=lambda dtype, shape, items: items)


def test_fractions_are_bounded_by_the_time_that_reducing_them_takes() -> None:
    long = ["i", "f" * 20_000]
    assert decode(["Q", long, 3]).denominator == 1
    with pytest.raises(TooLarge):
        decode(["l", *[["Q", long, ["i", "e" * 20_000]]] * 100])


def test_arrays_of_one_type_each_cross_and_those_of_others_do_not() -> None:
    assert encode(np.array([1.5], dtype=">f8")) == ["np", "float64", [1], ["l", 1.5]]
    assert encode(np.array(["ab"])) == ["np", "<U2", [1], ["l", "ab"]]
    for other in (
        np.random.default_rng(0),
        np.array([1], dtype=object),
        np.zeros(1, dtype="i4,i4"),
        np.array(["a"], dtype="<U5000"),
    ):
        with pytest.raises(NotComparable):
            encode(other)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="a long double is a double here")
def test_a_long_double_has_no_plain_content() -> None:
    for value in (np.longdouble(1), np.array([1], dtype=np.longdouble)):
        with pytest.raises(NotComparable, match="no plain content"):
            encode(value)
