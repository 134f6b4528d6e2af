"""Tests that run as they are, in a sandbox of their own."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Result, Verdict
from assay.sandbox import Limits, Sandbox, open_sandbox
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code.plan import LinkedPlan
from assay.verifiers.code.planning import plan_of


def judge(sandbox: Sandbox, program: str, tests: str, prompt: str = "", entry: Any = "f") -> Result:
    suite = TestSuite.from_code(f"import random\n{tests}", entry_point=entry, prompt=prompt)
    assert isinstance(plan_of(suite), LinkedPlan)
    return CodeVerifier(sandbox, limits=Limits(cpu_seconds=2.0)).verify([program], [suite])[0]


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("def f(x): return x + 1", "for _ in range(50):\n    n = random.randint(0, 9)\n    assert f(n) == n + 1"),
        ("def f(x): raise ValueError(x)", "try:\n    f(1)\nexcept ValueError as e:\n    pass\nelse:\n    assert False"),
        ("class Odd(Exception): pass\ndef f(x): raise Odd", "try: f(1)\nexcept Exception: pass\nelse: assert 0"),
        ("def f(xs): xs.sort()", "xs = [3, 1, 2]\nf(xs)\nassert xs == [1, 2, 3]"),
        ("def f(d): d['a'] = 1", "d = {}\nassert f(d) is None\nassert d == {'a': 1}"),
        ("def f(x, *, by=1): return x + by", "assert f(1, by=2) == 3"),
        ("from numpy import arange as f", "import numpy as np\nassert (f(3) == np.array([0, 1, 2])).all()"),
        ("def f(t): return t", "assert f(int) is int\nassert f((1, {2: {3}})) == (1, {2: {3}})"),
        ("def f(n): return (i * i for i in range(n))", "assert list(f(3)) == [0, 1, 4]"),
    ],
)  # fmt: skip
def test_tests_that_cannot_be_converted_judge_right_programs_right(sandbox: Sandbox, program: str, tests: str) -> None:
    result = judge(sandbox, program, tests)
    assert result.verdict is Verdict.CORRECT, result.reason


def test_helpers_of_the_prompt_serve_the_tests(sandbox: Sandbox) -> None:
    prompt = "def encode(s):\n    return s[::-1]\n\ndef f(s):\n    '''Undo encode.'''\n"
    tests = "assert f(encode('abc')) == 'abc'"
    assert judge(sandbox, "    return encode(s)\n", tests, prompt).verdict is Verdict.CORRECT
    spoilt = "def encode(s): return 'abc'\ndef f(s): return s"  # a program's own helper serves the program only
    assert judge(sandbox, spoilt, tests, prompt).verdict is Verdict.INCORRECT


def test_each_unittest_method_is_a_test(sandbox: Sandbox) -> None:
    tests = """
import unittest
class T(unittest.TestCase):
    def setUp(self): self.two = 2
    def test_equal(self): self.assertEqual(f(self.two), 4)
    def test_type(self): self.assertIsInstance(f(1), int)
    def test_raises(self):
        with self.assertRaises(TypeError): f(None)
"""
    assert judge(sandbox, "def f(x): return x * x", tests).verdict is Verdict.CORRECT
    half = judge(sandbox, "def f(x): return x and x + 1", tests)
    found = {test["test"]: test["outcome"] for test in half.details["tests"]}
    assert found == {"T.test_equal": "wrong_answer", "T.test_raises": "wrong_answer", "T.test_type": "passed"}


@pytest.mark.parametrize(
    ("program", "failure", "text"),
    [
        ("def f(x): return x", "wrong_answer", "AssertionError"),
        ("def f(x): return object()", "wrong_answer", "cannot be compared"),
        ("def f(x): raise KeyError('k')", "runtime_error", "KeyError"),
        ("def f(x): import os; os._exit(0)", "runtime_error", "the program's process ended"),
        ("import os; os._exit(0)\ndef f(x): pass", "runtime_error", "the program's process ended"),
        ("def f(x): while", "syntax_error", "SyntaxError"),
        ("x = f", "runtime_error", "NameError"),
        ("def g(x): return f", "runtime_error", "NameError"),
    ],
)
def test_failures_are_told_apart_and_are_the_programs(sandbox: Sandbox, program: str, failure: str, text: str) -> None:
    result = judge(sandbox, program, "assert f(1) == 2")
    assert (result.verdict, result.details.get("failure")) == (Verdict.INCORRECT, failure), result.reason
    assert text in result.reason


def test_a_result_too_large_to_send_back_is_the_programs_fault(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x): return [0] * 399_990 if x == 1 else 0", "assert f(f(1) + f(1)) == 0")
    assert result.verdict is Verdict.INCORRECT, result.reason


def test_random_tests_and_programs_are_judged_alike_each_time(sandbox: Sandbox) -> None:
    thrown = "n = random.random()\nassert f() == (n < 0.5)"  # a coin, thrown by the tests
    drawn = "assert f() < 0.5"  # a coin, thrown by the program
    for tests, program in ((thrown, "def f(): return True"), (drawn, "import random\ndef f(): return random.random()")):
        assert len({judge(sandbox, program, tests).verdict for _ in range(6)}) == 1


def test_one_slot_is_enough_for_both_processes() -> None:
    suite = TestSuite.from_code("import random\nassert f(1) == 2", entry_point="f")
    with open_sandbox("local", slots=1) as narrow:
        results = CodeVerifier(narrow).verify(["def f(x): return x + 1", "def f(x): return x"], [suite] * 2)
    assert [result.verdict for result in results] == [Verdict.CORRECT, Verdict.INCORRECT]


def test_several_entry_points_are_reachable(sandbox: Sandbox) -> None:
    program = "def f(x): return x + 1\ndef g(x): return x - 1"
    assert (
        judge(sandbox, program, "assert g(f(3)) == 3\nassert f(g(3)) == 3", entry=["f", "g"]).verdict is Verdict.CORRECT
    )


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        (
            "def f(x): raise IndexError",
            "class Squares:\n    def __getitem__(self, i):\n        if i > 3: raise IndexError\n"
            "        return f(i)\nfor n, got in enumerate(Squares()): assert got == n * n",
        ),
        (
            "def f(x): raise AttributeError",
            "class Lazy:\n    def __getattr__(self, name): return f(2)\nassert getattr(Lazy(), 'two', 4) == 4",
        ),
        ("def f(x): raise StopIteration", "for got, want in zip(map(f, [2, 3]), [4, 9]): assert got == want"),
        ("def f(x): return 0", "async def test_a(): assert f(2) == 4\ndef test_b(): f(1)"),
        ("def f(x): return 0", "def test_a():\n    yield\n    assert f(2) == 4\ndef test_b(): f(1)"),
        ("def f(x): return 0", "class TestF:\n    def test_a(self): assert f(2) == 4\nf(1)"),
        ("def f(x): return 0", "def test_a(x=2): assert f(x) == 4\nf(1)"),
    ],
)
def test_tests_that_a_program_could_end_early_or_that_only_look_run_count(
    sandbox: Sandbox, program: str, tests: str
) -> None:
    assert judge(sandbox, program, tests).verdict is not Verdict.CORRECT
    assert judge(sandbox, "def f(x): return x * x", tests).verdict is Verdict.CORRECT


def test_a_function_of_the_programs_that_is_called_like_a_test_is_none(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def test_two(x): return x * x", "assert test_two(2) == 4", entry="test_two")
    assert result.verdict is Verdict.CORRECT, result.reason


def test_an_exception_of_the_programs_own_is_caught_as_what_it_derives_from(sandbox: Sandbox) -> None:
    program = "class Negative(ValueError): pass\ndef f(x): raise Negative(x)"
    result = judge(sandbox, program, "try: f(-1)\nexcept ValueError: pass\nelse: assert False")
    assert result.verdict is Verdict.CORRECT, result.reason
