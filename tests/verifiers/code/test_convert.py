"""Which tests are converted, into what, and that the verdict is the one of plain Python."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from assay import Verdict
from assay.environments.datasets import read_file
from assay.sandbox import Limits, Program, Sandbox, Status
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code.convert import convert
from assay.verifiers.code.frame import Unsupported
from assay.verifiers.code.parsing import parse
from assay.verifiers.code.plan import CallPlan, LinkedPlan
from assay.verifiers.code.planning import entry_points, plan_of

CONVERTED = [
    "assert f(2) == 4",
    "assert abs(f(1.5) - 2.25) < 1e-6",
    "assert f(2) == 4, 'a message'",
    "assert f(x=2) == 4",
    "assert f(*[2]) == 4",
    "assert f(f(2)) == 16",
    "assert [f(1), f(2)] == [1, 4]",
    "assert f(2) in (4, 5) and True",
    "assert not f(2) > 4",
    "assert f(2) is not None",
    "assert isinstance(f(2), int)",
    "assert str(f(12)).startswith('1')",
    "assert sorted([f(-2), f(1)]) == [1, 4]",
    "import math\nassert math.isclose(f(2), 4)",
    "from math import isclose as close\nassert close(f(2), 4)",
    "xs = [1, 2]\nassert f(xs[1]) == 4\nassert f(xs[0]) == 1",
    "for x in range(4):\n    assert f(x) == x * x",
    "for x, y in [(1, 1), (2, 4)]:\n    assert f(x) == y",
    "r = f(3)\nassert r == 9\nassert r % 2 == 1",
    "f(1)\nassert f(2) == 4",
    "def check(candidate):\n    want = 4\n    assert candidate(2) == want",
    "def check(g):\n    assert g(2) == 4\ncheck(f)",
    "def test_a():\n    assert f(2) == 4\ndef test_b():\n    assert f(3) == 9",
    "print\nassert f(2) == 4",
    "assert f(len('\\d')) == 4",
    "assert f((lambda: 2)()) == 4",
    "assert all(x == y for x, y in zip([f(1), f(2)], [1, 4]))",
    "assert f(int('2')) == 4",
]
LEFT = [
    "import random\nassert f(2) == 4",
    "while False: pass\nassert f(2) == 4",
    "assert f(2) == 4 or f(3) == 9",
    "assert 0 < f(1) < f(2)",
    "assert all(f(x) == x * x for x in range(3))",
    "try:\n    assert f(2) == 4\nexcept AssertionError:\n    raise",
    "xs = [2]\nassert f(*xs) == 4\nassert xs == [2]",
    "with open('x') as g: pass\nassert f(2) == 4",
    "def helper(x): return x\nassert f(2) == helper(4)",
    "assert f(2).bit_count() == 1",
    "g = f\nassert g(2) == 4",
    "assert f(2) == unknown",
    "class T: pass\nassert f(2) == 4",
]
PROGRAMS = [
    "def f(x): return x * x",
    "def f(x): return x * x if x != 2 else 5",
    "def f(x): return float(x * x)",
    "def f(x): return abs(x)",
    "def f(x): raise ValueError('no')",
    "def f(x): return None",
    "def f(x): return str(x * x)",
    "def g(x): return x * x",
]


@pytest.mark.parametrize("text", CONVERTED)
def test_it_is_converted(text: str) -> None:
    assert isinstance(plan_of(TestSuite.from_code(text, entry_point="f")), CallPlan)


@pytest.mark.parametrize("text", LEFT)
def test_it_is_left_to_the_two_process_way(text: str) -> None:
    with pytest.raises(Unsupported):
        convert(text, ["f"])
    assert isinstance(plan_of(TestSuite.from_code(text, entry_point="f")), LinkedPlan)


def native(program: str, tests: str) -> Program:
    """Program and tests in one process, as the data sets' own evaluations run them; our own programs, so it is fair."""
    names = [node.name for node in parse(tests).body if isinstance(node, ast.FunctionDef)]
    calls = ["check(f)" if name == "check" else f"{name}()" for name in names if name == "check" or name[:4] == "test"]
    return Program("\n".join([program, tests, *([] if "check(f)" in tests else calls)]))


def test_verdicts_are_those_of_plain_python(sandbox: Sandbox) -> None:
    rows = [(program, text) for text in [*CONVERTED, *LEFT[:8]] for program in PROGRAMS]
    limits = Limits(cpu_seconds=2.0)
    suites = [TestSuite.from_code(text, entry_point="f") for _, text in rows]
    programs = [f"# f\n{program}" for program, _ in rows]
    results = CodeVerifier(sandbox, limits=limits, all_or_nothing=True).verify(programs, suites)
    natives = sandbox.run([native(program, text) for program, text in rows], limits)
    different = [
        (row, result.verdict, execution.status)
        for row, result, execution in zip(rows, results, natives, strict=True)
        if (result.verdict is Verdict.CORRECT) != (execution.status is Status.OK)
    ]
    assert different == []


OBJECTS = """
class Node:
    def __init__(self, value): self.value, self.left = value, None
    def __eq__(self, other): return True
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self): return self.items.pop()
def depth(node): return 0 if node is None else 1 + depth(node.left)
def apply(function, x): return function(x)
class Solution:
    def count(self, n): return depth(None) + n + 1
"""


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("root = Node(1)\nroot.left = Node(2)\nassert depth(root) == 2\nassert depth(root.left) == 1", "depth"),
        ("s = Stack()\ns.push(1)\ns.push(2)\nassert s.pop() == 2\nassert s.pop() == 1", "Stack"),
        ("def test_it():\n    s = Stack()\n    s.push(7)\n    top = s.pop()\n    assert top == 7", "Stack"),
        ("assert apply(lambda x: x + 1, 2) == 3", "apply"),
        ("assert depth(Node(1)) == 1", "depth"),
        ("assert Solution().count(2) == 3", "Solution"),
    ],
)
def test_objects_that_only_the_program_can_build_are_built_there(sandbox: Sandbox, text: str, entry: str) -> None:
    suite = TestSuite.from_code(text, entry_point=entry)
    assert isinstance(plan_of(suite), CallPlan)
    wrong = OBJECTS
    for old, new in (
        ("1 + depth", "2 + depth"),
        ("items.pop()", "items.pop() + 1"),
        ("n(x)", "n(x) + 1"),
        ("n + 1", "n"),
    ):
        wrong = wrong.replace(old, new)
    right, spoilt = CodeVerifier(sandbox).verify([OBJECTS, wrong], [suite] * 2)
    assert right.verdict is Verdict.CORRECT, right.reason
    assert spoilt.verdict is Verdict.INCORRECT


def test_a_method_of_a_result_is_not_asked_of_the_program(sandbox: Sandbox) -> None:
    lying = (
        "class L(str):\n    def startswith(self, text): return True\n    upper = lower = strip = lambda self: self\n"
    )
    program = f"{lying}    def __eq__(self, other): return True\ndef f(x): return L('no')"
    for text in (
        "assert f(1).startswith('EXPECTED')",
        "assert f(1).upper() == 'YES'",
        "assert f(1).strip().lower() == 'y'",
    ):
        suite = TestSuite.from_asserts(text, entry_point="f")
        assert not any("EXPECTED" in str(item) for item in plan_of(suite).items)  # type: ignore[union-attr]
        assert CodeVerifier(sandbox).verify([program], [suite])[0].verdict is Verdict.INCORRECT


@pytest.mark.parametrize(
    "text",
    [
        "assert Word(1).startswith('EXPECTED')",
        "w = Word(1)\nassert w.startswith('EXPECTED')",
        "w = Word(1)\nassert w.__eq__('EXPECTED')",
        "w = Word(1)\nassert w == 'EXPECTED'",
        "assert Word(1).count('EXPECTED') == 1",
    ],
)
def test_a_name_like_a_class_does_not_change_that(sandbox: Sandbox, text: str) -> None:
    plan = plan_of(TestSuite.from_code(text, entry_point="Word"))
    assert "EXPECTED" not in str(getattr(plan, "items", ""))
    lying = (
        "class L(str):\n    __eq__ = startswith = lambda *a: True\n    count = lambda *a: 1\ndef Word(x): return L()"
    )
    [result] = CodeVerifier(sandbox).verify([lying], [TestSuite.from_code(text, entry_point="Word")])
    assert result.verdict is Verdict.INCORRECT


def test_a_variable_of_the_tests_is_never_taken_apart_in_the_programs_process() -> None:
    text = "cases = [(Node(1), 'EXPECTED')]\nassert f(cases[0][0]) == 'x'"
    with pytest.raises(Unsupported, match="cases"):
        convert(text, ["f"])


def test_a_mutable_argument_is_not_looked_at_after_the_call() -> None:
    with pytest.raises(Unsupported, match="xs is used after a call that may have changed it"):
        convert("xs = [3, 1]\nassert f(xs) == sorted(xs)", ["f"])
    with pytest.raises(Unsupported, match="ys exists only outside of the program"):
        convert("xs = [3, 1]\nys = xs\nassert f(xs) == 4\nassert f(ys) == 4", ["f"])
    assert convert("xs = [3, 1]\nassert f(xs) == 4\nxs = [3]\nassert f(xs) == 3", ["f"]).steps


def test_a_failed_call_fails_what_follows_it_in_its_function_only(sandbox: Sandbox) -> None:
    text = "def test_a():\n    r = f(0)\n    assert f(1) == 1\ndef test_b():\n    assert f(2) == 2"
    [result] = CodeVerifier(sandbox).verify(
        ["def f(x): return x if 1 / x else 0"], [TestSuite.from_code(text, entry_point="f")]
    )
    assert [test["outcome"] for test in result.details["tests"]] == ["runtime_error", "runtime_error", "passed"]


def test_the_function_under_test_is_found_in_asserts() -> None:
    assert entry_points("assert sorted(f([1])) == [1]\nassert abs(g(2) - 1) < 1") == ("f", "g")
    assert entry_points("import math\nassert math.isclose(h(1), 1)") == ("h",)
    assert entry_points("from math import isclose\nassert isclose(h(1), 1)") == ("h",)
    assert entry_points("def close(a, b): return a == b\nassert close(h(1), 1)") == ("h",)
    assert entry_points("close = lambda a, b: a == b\nassert close(h(1), 1)") == ("h",)
    assert entry_points("from solution import h\nassert h(1) == 1") == ("h",)
    assert entry_points("assert sum(1, 2) == 3") == ("sum",)
    assert entry_points("assert Stack().pop() == Item(1)") == ("Stack",)
    assert entry_points("x = 1") == ()


def test_humaneval_and_mbpp_are_converted_as_far_as_promised(shared: Path) -> None:
    humaneval = [
        plan_of(TestSuite.from_code(row["test"], entry_point=row["entry_point"], prompt=row["prompt"]))
        for row in read_file(shared / "data" / "humaneval" / "HumanEval.jsonl.gz")
    ]
    mbpp = [
        plan_of(TestSuite.from_asserts([*row["test_list"], *row["challenge_test_list"]], setup=row["test_setup_code"]))
        for row in read_file(shared / "data" / "mbpp" / "mbpp.jsonl")
    ]
    assert (len(humaneval), len(mbpp)) == (164, 974)
    assert sum(isinstance(plan, CallPlan) for plan in humaneval) == 160
    assert sum(isinstance(plan, CallPlan) for plan in mbpp) == 973
