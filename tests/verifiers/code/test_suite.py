"""``TestSuite`` as data."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import pytest

from assay.errors import InputError
from assay.verifiers import TestSuite

SUITES = [
    TestSuite.from_asserts("assert f(1) == 2", setup="x = 1", prompt="def f(x):\n"),
    TestSuite.from_asserts(["assert f(1) == 2", "assert f(2) == 3"], entry_point=["f", "g"]),
    TestSuite.from_stdio([("1\n", "2\n"), ("é\r\n", "\u2028")], compare="numbers", tolerance=1e-6),
    TestSuite.from_stdio([("1", "2")], checker="def check(stdin, stdout, expected): return True"),
    TestSuite.from_calls("f", [((1, [2], {"a": (3,)}), {"k": {4}}, [1.5, None, True])], tolerance=1e-9),
    TestSuite.from_code("def check(candidate):\n    assert candidate(1) == 2", entry_point="f"),
    TestSuite.from_stdio([]),
]


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.kind)
def test_it_survives_json_and_pickle_and_equals_its_copy(suite: TestSuite) -> None:
    for copy in (TestSuite.from_json(suite.to_json()), pickle.loads(pickle.dumps(suite))):
        assert copy == suite
        assert hash(copy) == hash(suite)
        assert copy.to_json() == suite.to_json()


def test_different_suites_differ() -> None:
    assert len(set(SUITES)) == len({suite.to_json() for suite in SUITES}) == len(SUITES)
    one, true = (TestSuite.from_calls("f", [((value,), {}, value)]) for value in (1, True))
    assert one != true


def test_a_dataset_column_carries_it() -> None:
    datasets = importlib.import_module("datasets")
    table = datasets.Dataset.from_dict({"tests": [suite.to_json() for suite in SUITES]})
    assert [TestSuite.from_json(text) for text in table["tests"]] == SUITES


def calls(arguments: Any, expected: Any) -> TestSuite:
    return TestSuite.from_calls("f", [(arguments, {}, expected)])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TestSuite.from_stdio(["12"]), r"stdio case 0 is '12'; expected \(stdin, stdout\), both str"),  # type: ignore[list-item]
        (lambda: TestSuite.from_stdio([("1", 2)]), r"stdio case 0 is \('1', 2\); expected"),  # type: ignore[list-item]
        (lambda: TestSuite.from_stdio([], compare="fuzzy"), "no comparison of outputs is called 'fuzzy'"),
        (lambda: TestSuite.from_stdio([], tolerance=-1), "tolerance is -1; expected a number >= 0"),
        (lambda: TestSuite.from_stdio([], tolerance=float("nan")), "tolerance is nan; expected a number >= 0"),
        (lambda: TestSuite.from_calls("f", [((1,), 2)]), r"call case 0 is \(\(1,\), 2\); expected \(arg"),  # type: ignore[list-item]
        (lambda: calls("ab", 2), "call case 0 has the arguments 'ab'; expected a sequence"),
        (lambda: calls((1,), object()), "call case 0 holds a value that is not plain: a builtins.object"),
        (lambda: calls((), [float("nan")]), "call case 0 expects NaN, which equals nothing; give a checker"),
        (lambda: TestSuite.from_calls("f(", []), r"entry_point 'f\(' is no name of a function or class"),
        (lambda: TestSuite.from_code("assert 1", entry_point=[]), "needs the name of at least one function or class"),
        (lambda: TestSuite.from_code(1, entry_point="f"), "source is 1; expected a str"),  # type: ignore[arg-type]
        (lambda: TestSuite.from_json("[]"), r"'\[\]' is no test suite; expected what TestSuite.to_json\(\) wrote"),
        (lambda: TestSuite.from_json('{"kind": "stdio", "sourc": ""}'), "is no test suite"),
        (lambda: TestSuite.from_json('{"kind": "other"}'), "has the kind 'other'; expected 'asserts', 'stdio'"),
    ],
)  # fmt: skip
def test_bad_input_is_answered_with_what_was_expected(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
