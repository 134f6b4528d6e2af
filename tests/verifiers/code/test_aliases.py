"""Which objects are the same, kept between the tests and the program."""

from __future__ import annotations

import json
from collections import deque, namedtuple
from typing import Any

import pytest

from assay import Result, Verdict
from assay.sandbox import Limits, Sandbox
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code import aliases
from assay.verifiers.code.aliases import Registry, SharingDecoder, SharingEncoder
from assay.verifiers.code.codec import NotComparable, TooLarge


def judge(sandbox: Sandbox, program: str, tests: str) -> Result:
    suite = TestSuite.from_code(f"import random\n{tests}", entry_point="f")
    return CodeVerifier(sandbox, limits=Limits(cpu_seconds=2.0, wall_seconds=20)).verify([program], [suite])[0]


@pytest.mark.parametrize(
    ("tests", "right", "wrong"),
    [
        (
            "m = f(2)\nm[0][0] = 1\nassert m == [[1, 0], [0, 0]]",
            "def f(n): return [[0] * n for _ in range(n)]",
            "def f(n): return [[0] * n] * n",
        ),
        ("xs = [1]\nassert f(xs) is xs", "def f(xs): return xs", "def f(xs): return list(xs)"),
        ("xs = [1]\nys = f(xs)\nys.append(2)\nassert xs == [1]", "def f(xs): return xs[:]", "def f(xs): return xs"),
        ("assert f() is f()", "one = []\ndef f(): return one", "def f(): return []"),
        (
            "a, b = f(1), f(2)\nassert (a, b) == ([1], [2])",
            "def f(x, seen=None): return (seen or []) + [x]",
            "def f(x, seen=[]): seen.append(x); return seen",
        ),
        (
            "row = [1]\nxs = [row]\nf(xs)\nassert row == [2]",
            "def f(xs): xs[0][0] = 2",
            "def f(xs): xs[0] = [2]",
        ),
        (
            "xs = [1]\nf([xs, xs])\nassert xs == [1, 7, 7]",
            "def f(xs):\n    for x in xs: x.append(7)",
            "def f(xs): xs[0].append(7)",
        ),
        (
            "d = f({})\nd['a'] = [1]\nassert f(d) == {'a': [1, 2]} and d['a'] == [1, 2]",
            "def f(d):\n    for v in d.values(): v.append(2)\n    return d",
            "def f(d): return {k: v + [2] for k, v in d.items()}",
        ),
        ("xs = [1]\nf(items=xs)\nassert xs == []", "def f(items): items.clear()", "def f(items): items = []"),
    ],
)  # fmt: skip
def test_what_is_one_object_natively_is_one_here(sandbox: Sandbox, tests: str, right: str, wrong: str) -> None:
    for program, verdict in ((right, Verdict.CORRECT), (wrong, Verdict.INCORRECT)):
        names: dict[str, Any] = {}
        exec(program, names)
        try:
            exec(f"import random\n{tests}", names)
        except AssertionError:
            assert verdict is Verdict.INCORRECT
        else:
            assert verdict is Verdict.CORRECT
        result = judge(sandbox, program, tests)
        assert result.verdict is verdict, result.reason


def test_what_a_call_does_not_change_stays_what_it_is_in_the_tests(sandbox: Sandbox) -> None:
    tests = (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\nxs = [P(1, 2), P(3, 4)]\n"
        "f(xs)\nassert xs[0].x == 1 and len(xs) == 3"
    )
    assert judge(sandbox, "def f(xs): xs.append(5)", tests).verdict is Verdict.CORRECT


def test_arguments_of_earlier_calls_are_not_the_programs_to_change(sandbox: Sandbox) -> None:
    """It holds them natively; but it could make the tests' own data suit its answers."""
    tests = "cases = [[2], [3]]\ngot = [f(xs) for xs in cases]\nf([])\nassert got == [xs[0] ** 2 for xs in cases]"
    program = (
        "kept = []\ndef f(xs):\n    if xs: kept.append(xs); return 0\n    for x in kept: x[0] = 0\n    return kept"
    )
    assert judge(sandbox, program, tests).verdict is Verdict.INCORRECT


def test_arrays_reach_the_program(sandbox: Sandbox) -> None:
    tests = "import numpy as np\nassert (f(np.array([1, 2])) == np.array([2, 4])).all()"
    assert judge(sandbox, "def f(a): return 2 * a", tests).verdict is Verdict.CORRECT
    within = (
        "import numpy as np\nd = {'a': np.array([1, 2])}\nf(d)\nassert (d['a'] == np.array([2, 4])).all()\n"
        "xs = [np.array([1, 2])]\nassert (f({'a': xs[0]})['a'] == 2 * xs[0]).all()"
    )
    program = "def f(d):\n    d['a'] = 2 * d['a']\n    return d"
    assert judge(sandbox, program, within).verdict is Verdict.CORRECT


class Ends:
    """Both sides of a connection in one process."""

    def __init__(self) -> None:
        self.tests, self.program = Registry(0), Registry(1)

    def send(self, values: list[Any], *, back: bool = False) -> list[Any]:
        source, target = (self.program, self.tests) if back else (self.tests, self.program)
        encoder = SharingEncoder(source)
        forms = json.loads(json.dumps(encoder.all(values)))
        if not back:
            self.tests.open = encoder.said
        return SharingDecoder(target).all(forms)


@pytest.mark.parametrize("value", [[1], {"a": 1}, {1, 2}, deque([1]), bytearray(b"x")])
def test_every_mutable_kind_comes_back_as_itself_with_its_new_content(value: Any) -> None:
    ends = Ends()
    [there] = ends.send([value])
    assert there == value
    assert there is not value
    before = type(value)(there)
    there.clear()
    [here, again] = ends.send([there, there], back=True)
    assert here is again is value
    assert len(value) == 0
    there.update(before) if isinstance(there, (dict, set)) else there.extend(before)
    assert ends.send([there], back=True)[0] is value
    assert value == before


def test_what_is_forgotten_comes_as_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aliases, "_MOST_NODES", 10)
    ends, xs = Ends(), [1]
    [there] = ends.send([xs])
    assert not ends.tests.full()
    ends.send([list(range(20))])
    assert ends.tests.full()
    ends.tests.forget()
    ends.program.forget()
    assert not ends.tests.full()
    assert ends.send([xs])[0] is not there
    assert ends.send([there], back=True)[0] is not xs


def test_subclasses_of_containers_are_values_without_identity() -> None:
    pair = namedtuple("pair", "a b")
    xs = [pair(1, 2), True]
    ends = Ends()
    [there] = ends.send([xs])
    there[1] = 1
    ends.send([there], back=True)
    assert type(xs[0]) is pair
    assert xs[1] is not True


@pytest.mark.parametrize(
    "forms",
    [
        [["@", 0]], [["@", []]], [["=", 1]], [["=", "1", ["l"]]], [["=", 1, 5]], [["=", True, ["t"]]],
        [["=", 1, ["l"]], ["=", 1, ["l"]]], [["=", 1, ["l", ["@", 1]]]], [["=", 1, ["l"], 3]],
    ],
)  # fmt: skip
def test_forged_references_are_refused(forms: list[Any]) -> None:
    with pytest.raises(NotComparable):
        SharingDecoder(Registry(0)).all(forms)


@pytest.mark.parametrize(
    "dtype", ["O", "i4,i4", "M8[s]", "V8", "no such", "(,)f8,f8", "float128", "<U9999999", "f8", "<U", "<U1_0"]
)
def test_forged_arrays_that_could_not_be_sent_on_are_refused(dtype: str) -> None:
    pytest.importorskip("numpy")
    assert SharingDecoder(Registry(0)).all([["np", "int64", [1], ["l", 4]]])[0].tolist() == [4]
    with pytest.raises(NotComparable):
        SharingDecoder(Registry(0)).all([["np", dtype, [1], ["l", 4]]])


def test_a_reference_to_something_of_another_kind_or_of_the_tests_own_does_not_replace_it() -> None:
    ends, xs = Ends(), [1]
    ends.send([xs])
    for number, form in ((0, ["d"]), (2, ["l", 9]), (40, ["l", 9])):
        decoded = SharingDecoder(ends.tests).all([["=", number, form]])
        assert decoded[0] is not xs
        assert xs == [1]


def test_a_value_that_contains_itself_cannot_cross() -> None:
    xs: list[Any] = []
    xs.append(xs)
    with pytest.raises(TooLarge, match="contains itself"):
        SharingEncoder(Registry(0)).all([xs])
