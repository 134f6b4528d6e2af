"""Which tests a text defines, what belongs to them, and which of them nothing would run."""

from __future__ import annotations

import ast

import pytest

from assay import Result, Verdict
from assay.sandbox import Limits, Sandbox
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code.plan import BadSuite, LinkedPlan
from assay.verifiers.code.planning import plan_of
from assay.verifiers.code.reached import run_main, unreached

RIGHT, WRONG = "def f(x): return x * x", "def f(x): return 0"
UNITTEST = "import unittest\nclass T(unittest.TestCase):\n"


def judge(sandbox: Sandbox, program: str, tests: str) -> Result:
    suite = TestSuite.from_code(tests, entry_point="f")
    assert isinstance(plan_of(suite), LinkedPlan)
    return CodeVerifier(sandbox, limits=Limits(cpu_seconds=2.0, wall_seconds=20)).verify([program], [suite])[0]


def outcomes(result: Result) -> dict[str, str]:
    return {test["test"]: test["outcome"] for test in result.details["tests"]}


@pytest.mark.parametrize(
    "tests",
    [
        f"{UNITTEST}    @classmethod\n    def setUpClass(cls): cls.two = f(2)\n"
        "    def test_a(self): self.assertEqual(self.two, 4)",
        "import unittest\nthree = []\ndef setUpModule(): three.append(f(3))\ndef tearDownModule(): three.clear()\n"
        "class T(unittest.TestCase):\n    def test_a(self): self.assertEqual(three, [9])",
        f"{UNITTEST}    def setUp(self): self.n = 2\n    def tearDown(self): assert f(self.n) == 4\n"
        "    def test_a(self): f(1)",
        f"{UNITTEST}    def test_a(self): f(1)\n    @classmethod\n    def tearDownClass(cls): assert f(2) == 4",
        f"{UNITTEST}    def test_a(self):\n        for n in (0, 2):\n"
        "            with self.subTest(n=n): self.assertEqual(f(n), n * n)",
        f"{UNITTEST}    @unittest.skip('later')\n    def test_a(self): self.assertEqual(f(1), 7)\n"
        "    def test_b(self): self.assertEqual(f(2), 4)",
        f"{UNITTEST}    def test_a(self):\n        if f(2) == 0: self.skipTest('')\n        self.assertEqual(f(1), 1)",
        f"{UNITTEST}    @unittest.expectedFailure\n    def test_a(self): self.assertEqual(f(2), 0)",
        "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test_a(self): self.assertEqual(f(2), 4)",
        f"{UNITTEST}    def setUp(self): self.addCleanup(lambda: self.assertEqual(f(2), 4))\n"
        "    def test_a(self): f(1)",
        "class TestF:\n    @classmethod\n    def setup_class(cls): cls.two = f(2)\n"
        "    def setup_method(self): self.n = 4\n    def test_a(self): assert self.two == self.n",
        "class TestF:\n    def test_a(self): f(1)\n    def teardown_method(self, method): assert f(2) == 4, method",
        "def setup_module(): global two\n\ndef teardown_module(module=None): assert f(2) == 4\ndef test_a(): f(1)",
        "class Base:\n    def test_a(self): assert f(self.n) == 4\nclass TestF(Base): n = 2",
        "class TestF:\n    class TestG:\n        def test_a(self): assert f(2) == 4",
        "class TestF:\n    __test__ = False\n    def test_a(self): assert f(1) == 7\ndef test_b(): assert f(2) == 4",
        "n = 0\ndef setup_function(function):\n    global n\n    n = 2\ndef test_a(): assert f(n) == 4",
        "def teardown_function(): assert f(2) == 4\ndef test_a(): f(1)",
    ],
)  # fmt: skip
def test_fixtures_skips_and_expected_failures_are_as_in_the_frameworks(sandbox: Sandbox, tests: str) -> None:
    tests = tests.replace("def setup_module(): global two\n", "def setup_module():\n    global two\n    two = 2\n")
    right, wrong = judge(sandbox, RIGHT, tests), judge(sandbox, WRONG, tests)
    assert right.verdict is Verdict.CORRECT, right.reason
    assert wrong.verdict in (Verdict.INCORRECT, Verdict.PARTIAL), wrong.reason


def test_a_set_up_that_fails_fails_its_tests_and_no_others(sandbox: Sandbox) -> None:
    tests = (
        "import unittest\nclass A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): assert f(2) == 4\n"
        "    def test_a(self): pass\n    def test_b(self): pass\n"
        "class B(unittest.TestCase):\n    def test_c(self): self.assertEqual(f(0), 0)\n"
    )
    half = judge(sandbox, WRONG, tests)
    assert outcomes(half) == {"A.test_a": "wrong_answer", "A.test_b": "wrong_answer", "B.test_c": "passed"}
    assert "setting up A failed: AssertionError" in half.reason
    broken = judge(sandbox, RIGHT, tests.replace("assert f(2) == 4", "no_such_name"))
    assert broken.verdict is Verdict.BAD_REFERENCE
    assert "no_such_name" in broken.reason


def test_marks_of_pytest_give_arguments_and_leave_tests_out(sandbox: Sandbox) -> None:
    tests = """
import pytest
@pytest.mark.parametrize("n, wanted", [(2, 4), pytest.param(3, 9, id="three")])
@pytest.mark.parametrize("by", [1])
def test_a(n, wanted, by): assert f(n) == wanted * by
@pytest.mark.skip(reason="later")
def test_b(): assert f(1) == 7
@pytest.mark.xfail(strict=True)
def test_c(): assert f(2) == 5
class TestF:
    @pytest.mark.parametrize("n", [0, 4])
    def test_d(self, n): assert f(n) == n * n
def test_e():
    with pytest.raises(TypeError): f(None)
"""
    right = judge(sandbox, RIGHT, tests)
    if "No module named 'pytest'" in right.reason:
        pytest.skip("programs in the sandbox do not see pytest here")
    assert right.verdict is Verdict.CORRECT, right.reason
    assert list(outcomes(right)) == ["test_a[0]", "test_a[1]", "test_c", "test_e", "TestF.test_d[0]", "TestF.test_d[1]"]
    assert judge(sandbox, WRONG, tests).score == pytest.approx(2 / 6)  # test_c, and the square of 0


PYTEST = "import pytest\nmark = pytest.mark\ndef test_b(): assert f(2) == 4\n"


@pytest.mark.parametrize(
    "tests",
    [
        f"{PYTEST}@mark.xfail\ndef test_a(): assert f(2) == 5",  # may fail and may pass: it says nothing
        f"{PYTEST}@mark.xfail(True, reason='')\ndef test_a(): assert f(2) == 5",
        f"{PYTEST}@mark.skipif('sys.version_info < (3,)')\ndef test_a(): assert f(3) == 9",
        f"{PYTEST}@mark.skipif(condition=True, reason='')\ndef test_a(): assert f(2) == 5",
        f"{PYTEST}@mark.parametrize('n', [2, pytest.param(5, marks=mark.skip)])\ndef test_a(n): assert f(n) == 4",
        f"{PYTEST}@mark.parametrize('n', [])\ndef test_a(n): assert f(n) == 4",
        f"{PYTEST}@mark.skip\nclass TestF:\n    def test_a(self): assert f(2) == 5",
        f"{PYTEST}def test_a(): pytest.skip('later')",
        f"{PYTEST}def test_a(): pytest.xfail('later')",
        f"{PYTEST}@mark.xfail(strict=True, raises=TypeError)\ndef test_a(): f(None)",
    ],
)
def test_options_of_marks_mean_what_they_mean_in_pytest(sandbox: Sandbox, tests: str) -> None:
    right, wrong = judge(sandbox, RIGHT, tests), judge(sandbox, WRONG, tests)
    if "No module named 'pytest'" in right.reason:
        pytest.skip("programs in the sandbox do not see pytest here")
    assert (right.verdict, wrong.score) == (Verdict.CORRECT, 0.0), (right.reason, wrong.reason)


@pytest.mark.parametrize(
    "tests",
    [
        "import pytest\n@pytest.mark.parametrize('n', range(f(1)))\ndef test_a(n): assert f(2) == 4",
        "import pytest\n@pytest.mark.skipif(f(2) != 4, reason='')\ndef test_a(): assert f(3) == 9",
        "import pytest\npytestmark = [pytest.mark.skipif(f(2) != 4, reason='')]\ndef test_a(): assert f(3) == 9",
        "import unittest\n@unittest.skipUnless(f(2) == 4, '')\n" + UNITTEST.partition("\n")[2]
        + "    def test_a(self): self.assertEqual(f(3), 9)",
        f"{UNITTEST}    @unittest.skipIf(f(2) != 4, '')\n    def test_a(self): self.assertEqual(f(3), 9)",
        f"{UNITTEST}    @classmethod\n    def setUpClass(cls): cls.works = f(2) == 4\n"
        "    def test_a(self):\n        if not self.works: self.skipTest('')\n        self.assertEqual(f(3), 9)",
        "import unittest\nworks = []\ndef setUpModule(): works.append(f(2) == 4)\n" + UNITTEST
        + "    def setUp(self):\n        if not works[0]: raise unittest.SkipTest\n"
        "    def test_a(self): self.assertEqual(f(3), 9)",
    ],
)  # fmt: skip
def test_no_answer_of_the_program_leaves_tests_out(sandbox: Sandbox, tests: str) -> None:
    right, wrong = judge(sandbox, RIGHT, tests), judge(sandbox, WRONG, tests)
    if "No module named 'pytest'" in right.reason:
        pytest.skip("programs in the sandbox do not see pytest here")
    assert (right.verdict, wrong.verdict) == (Verdict.CORRECT, Verdict.INCORRECT), (right.reason, wrong.reason)
    assert "left out after a call" in wrong.reason


def test_calls_of_other_tests_leave_skips_as_they_are(sandbox: Sandbox) -> None:
    tests = (
        f"{UNITTEST}    @classmethod\n    def setUpClass(cls): assert f(2) == 4\n"
        "class U(unittest.TestCase):\n    def test_a(self): self.skipTest('later')\n"
        "    @unittest.skipIf(True, '')\n    def test_b(self): self.fail()\n"
        "    def test_c(self): self.assertEqual(f(2), 4)\n"
    ).replace("\nclass U", "\n    def test_d(self): self.assertEqual(f(3), 9)\nclass U")
    right = judge(sandbox, RIGHT, tests)
    assert right.verdict is Verdict.CORRECT, right.reason
    assert list(outcomes(right)) == ["T.test_d", "U.test_c"]


@pytest.mark.parametrize(
    "main",
    ["unittest.main()", "import sys\n    sys.exit(unittest.main(exit=False).result.wasSuccessful() is False)", "pass"],
)
def test_runners_of_a_script_are_left_to_us(sandbox: Sandbox, main: str) -> None:
    tests = f"{UNITTEST}    def test_a(self): self.assertEqual(f(2), 4)\nif __name__ == '__main__':\n    {main}"
    assert judge(sandbox, RIGHT, tests).verdict is Verdict.CORRECT
    assert outcomes(judge(sandbox, WRONG, tests)) == {"T.test_a": "wrong_answer"}


@pytest.mark.parametrize(
    "tests",
    [
        "if __name__ == '__main__':\n    assert f(2) == 4",
        "def run():\n    assert f(2) == 4\nif __name__ == '__main__':\n    run()",
        "import sys\ndef main():\n    assert f(2) == 4\n    sys.exit(0)\nif '__main__' == __name__:\n    main()",
        "def check(candidate):\n    while candidate(2) != 4: assert False\nif __name__ == '__main__':\n    check(f)",
        "import unittest\nassert f(2) == 4\nunittest.main()\nsys = 1",
    ],
)
def test_what_tests_do_as_a_script_is_done(sandbox: Sandbox, tests: str) -> None:
    assert judge(sandbox, RIGHT, tests).verdict is Verdict.CORRECT
    assert judge(sandbox, WRONG, tests).verdict is Verdict.INCORRECT


@pytest.mark.parametrize(
    "end", ["unittest.TextTestRunner().run(loaded)", "loaded.run(unittest.TestResult())", "f(1)", "assert f(0) == 0"]
)
def test_that_a_text_could_be_executed_is_no_test_beside_others(sandbox: Sandbox, end: str) -> None:
    load = "loaded = unittest.TestLoader().loadTestsFromTestCase(T)"
    tests = f"{UNITTEST}    def test_a(self): self.assertEqual(f(2), 4)\n{load}\n{end}"
    assert judge(sandbox, RIGHT, tests).verdict is Verdict.CORRECT
    wrong = judge(sandbox, WRONG, tests)
    assert (wrong.score, outcomes(wrong)) == (0.0, {"T.test_a": "wrong_answer"})


def test_a_script_that_ends_its_tests_early_is_not_passed(sandbox: Sandbox) -> None:
    result = judge(sandbox, RIGHT, "import sys\nif f(2): sys.exit(3)\nassert f(3) == 9")
    assert result.verdict is Verdict.INCORRECT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("assert f(1)", []),
        ("def check(candidate): assert candidate(1)", []),
        ("def check(candidate, more): assert candidate(1)", ["check"]),
        ("def verify(): assert f(1)", ["verify"]),
        ("def verify(): assert f(1)\nverify()", []),
        ("def a(): assert f(1)\ndef test_b(): a()", []),
        ("def a(): assert f(1)\ndef b(): a()", ["a"]),
        ("def helper(x): assert x\ndef test_b(): assert f(1)", []),  # it does not call the program
        ("def helper(x): assert x", ["helper"]),  # but nothing else is there
        ("for name in list(globals()):\n    pass\ndef verify(): assert f(1)", []),  # it may be called by its name
        ("@register\ndef verify(): assert f(1)", []),
        ("class V:\n    def __eq__(self, other):\n        assert f(1)\nassert f(2) == V()", []),
        ("class V:\n    def run(self): assert f(1)\nV().run()", []),
        ("async def test_a(): assert f(1)", []),
        ("def test_a(x=1, *, y): assert f(1)", ["test_a"]),
        ("import pytest\n@pytest.fixture\ndef data(): assert f(1)\ndef test_a(): assert f(2)", ["data"]),
        ("from unittest import mock\n@mock.patch('time.time', lambda: 1)\ndef test_a(t): assert f(1)", []),
    ],
)  # fmt: skip
def test_functions_that_nothing_runs_are_found(text: str, found: list[str]) -> None:
    assert unreached(ast.parse(text), ["f"]) == found


def test_a_main_block_that_only_runs_tests_is_left_out() -> None:
    for body in ("unittest.main()", "pytest.main([__file__])", "test_a()", "print(test_a(), 'ok')", "check(f)"):
        assert ast.unparse(run_main(ast.parse(f"x = 1\nif __name__ == '__main__':\n    {body}"))) == "x = 1"
    for body in ("run()", "assert f(1)", "for t in [test_a]: t()", "test_a(run())"):
        tree = run_main(ast.parse(f"x = 1\nif __name__ == '__main__':\n    {body}"))
        assert ast.unparse(tree).startswith("x = 1\n"), body
        assert "__main__" not in ast.unparse(tree)
    both = "if __name__ == '__main__':\n    run()\nelse:\n    assert f(1)"
    assert ast.unparse(run_main(ast.parse(both))) == both


def test_a_suite_with_tests_that_nothing_runs_says_which_and_what_to_do() -> None:
    with pytest.raises(
        BadSuite, match=r"nothing runs the assertions in verify: call it in the tests, or name it check"
    ):
        plan_of(TestSuite.from_code("def verify():\n    assert f(1) == 2", entry_point="f"))


@pytest.mark.parametrize(
    ("tests", "named"),
    [
        ("def test_a():\n    with redirect_stdout(out): f(2)\n    assert out.getvalue() == '4'", "redirect_stdout"),
        ("def test_a():\n    sys.stdout = out\n    f(2)\n    assert out.getvalue() == '4'", "stdout"),
        ("def test_a():\n    sys.stdin = io.StringIO('2')\n    assert f() == 4", "stdin"),
        ("@patch('builtins.input', lambda: '2')\ndef test_a(): assert f() == 4", "builtins.input"),
    ],
)
def test_tests_of_what_a_program_prints_or_reads_are_refused_with_a_reason(tests: str, named: str) -> None:
    with pytest.raises(BadSuite, match=rf"the tests look at what the program prints, .* \({named}\).*from_stdio"):
        plan_of(TestSuite.from_code(tests, entry_point="f"))


def test_tests_may_keep_a_program_silent(sandbox: Sandbox) -> None:
    tests = (
        "import contextlib, io, sys\nwith contextlib.redirect_stdout(io.StringIO()):\n    result = f(2)\n"
        "assert result == 4\nprint(result, file=sys.stdout)"
    )
    assert judge(sandbox, RIGHT, tests).verdict is Verdict.CORRECT
