"""What kinds of outcome there are, and how options change them."""

from __future__ import annotations

import pickle

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.sandbox import Execution, Limits, Sandbox, Status
from assay.verifiers import CodeVerifier, TestSuite

DOUBLE = TestSuite.from_asserts("assert f(1) == 2\nassert f(2) == 4\nassert f(3) == 6\nassert f(4) == 8")
DOUBLE_IO = TestSuite.from_stdio([(f"{n}\n", f"{2 * n}\n") for n in (1, 2, 3, 4)])
DOUBLE_LINKED = TestSuite.from_code(
    "def test_a():\n    four = f(2)\n    if four != 4: raise AssertionError(four)\ndef test_b():\n    assert f(3) == 6",
    entry_point="f",
)
PROGRAMS = {
    "syntax_error": ("def f(x: return 2 * x", "print(2 * int(input())"),
    "runtime_error": ("def f(x): return 1 / 0", "print(1 / 0)"),
    "wrong_answer": ("def f(x): return 7", "print(7)"),
    "time_limit": ("def f(x):\n    while True: pass", "while True: pass"),
    "memory_limit": ("def f(x): return len(bytearray(10**11))", "x = [bytearray(1 << 26) for _ in range(1000)]"),
}


def judge(sandbox: Sandbox, program: str, suite: TestSuite, **options: bool) -> Result:
    limits = Limits(cpu_seconds=0.5, wall_seconds=20.0, memory_bytes=256 << 20)
    return CodeVerifier(sandbox, limits=limits, **options).verify([program], [suite])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("suite", [DOUBLE, DOUBLE_IO, DOUBLE_LINKED], ids=["asserts", "stdio", "linked"])
def test_each_kind_of_failure_is_told_apart(sandbox: Sandbox, kind: str, suite: TestSuite) -> None:
    result = judge(sandbox, PROGRAMS[kind][suite is DOUBLE_IO], suite, all_or_nothing=True)
    assert result.details["failure"] == kind, result.reason
    assert result.verdict is (Verdict.LIMIT_EXCEEDED if kind.endswith("limit") else Verdict.INCORRECT)
    assert result.score == 0.0
    assert kind.replace("_", " ") in result.reason


def test_too_much_output_is_told_apart(sandbox: Sandbox) -> None:
    result = judge(sandbox, "print('x' * (5 << 20))", DOUBLE_IO)
    assert (result.verdict, result.details["failure"]) == (Verdict.LIMIT_EXCEEDED, "output_limit")


def test_the_fraction_of_tests_counts_by_default(sandbox: Sandbox) -> None:
    for program, suite in (("def f(x): return min(2 * x, 6)", DOUBLE), ("print(min(2 * int(input()), 6))", DOUBLE_IO)):
        result = judge(sandbox, program, suite)
        assert (result.verdict, result.score) == (Verdict.PARTIAL, 0.75)
        assert result.parts == {"test 1": 1.0, "test 2": 1.0, "test 3": 1.0, "test 4": 0.0}
        assert (result.details["passed"], result.details["total"], result.details["failure"]) == (3, 4, "wrong_answer")
        assert result.is_correct is False


def test_all_or_nothing_gives_no_fraction(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x): return min(2 * x, 6)", DOUBLE, all_or_nothing=True)
    assert (result.verdict, result.score) == (Verdict.INCORRECT, 0.0)
    assert result.reason.startswith("3 of 4 tests passed; wrong answer in test 4: got 6")


def test_after_the_first_failure_tests_are_left_out_when_asked(sandbox: Sandbox) -> None:
    for program, suite in (("def f(x): return 4", DOUBLE), ("print(2 * int(input()) % 8 % 3)", DOUBLE_IO)):
        result = judge(sandbox, program, suite, stop_at_first_failure=True)
        outcomes = [test["outcome"] for test in result.details["tests"]]
        first = next(n for n, outcome in enumerate(outcomes) if outcome != "passed")
        assert outcomes[first + 1 :] == ["not_run"] * (3 - first)
        assert list(result.parts.values())[first + 1 :] == [None] * (3 - first)


def test_a_call_that_never_ends_costs_its_own_test_only(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x):\n    while x == 2: pass\n    return 2 * x", DOUBLE)
    assert [test["outcome"] for test in result.details["tests"]] == ["passed", "time_limit", "passed", "passed"]
    assert (result.verdict, result.score) == (Verdict.PARTIAL, 0.75)


def test_a_program_that_always_hangs_is_not_run_for_every_test(sandbox: Sandbox) -> None:
    suite = TestSuite.from_calls("f", [((n,), {}, n) for n in range(50)])
    result = judge(sandbox, "def f(x):\n    while True: pass", suite)
    assert [test["outcome"] for test in result.details["tests"]] == ["time_limit"] * 50


def test_what_functions_print_does_not_matter(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x):\n    print('x' * (1 << 22), flush=True)\n    return 2 * x", DOUBLE)
    assert result.verdict is Verdict.CORRECT


def test_a_main_block_does_not_run_when_functions_are_called(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x): return 2 * x\nif __name__ == '__main__':\n    print(f(int(input())))", DOUBLE)
    assert result.verdict is Verdict.CORRECT


def test_the_answer_is_the_extracted_program(sandbox: Sandbox) -> None:
    result = judge(sandbox, "Sure!\n```python\ndef f(x):\n    return 2 * x\n```\nDone.", DOUBLE)
    assert result.answer == "def f(x):\n    return 2 * x\n"
    assert result.reason == "passed all 4 tests"


def test_no_program_is_no_answer(sandbox: Sandbox) -> None:
    for completion in ("", "  \n", "<think>def f(x): return 2 * x", "I do not know."):
        result = judge(sandbox, completion, DOUBLE)
        assert (result.verdict, result.score) == (Verdict.NO_ANSWER, 0.0), completion
        assert result.reason == "no python program was found in the completion"


def code(text: str) -> TestSuite:
    return TestSuite.from_code(text, entry_point="f")


def checked(checker: str) -> TestSuite:
    return TestSuite.from_stdio([("1", "2")], checker=checker)


@pytest.mark.parametrize(
    ("suite", "reason"),
    [
        (TestSuite.from_stdio([]), "the suite has no test; expected at least one (stdin, stdout)"),
        (TestSuite.from_calls("f", []), "the suite has no test; expected at least one (arguments, keywords, expected)"),
        (TestSuite.from_asserts(""), "the tests check nothing"),
        (TestSuite.from_asserts("f(1)", entry_point="f"), "the tests check nothing"),
        (TestSuite.from_asserts("assert True", entry_point="f"), "the tests check nothing"),
        (TestSuite.from_asserts("assert 1 == 1"), "no assert calls a function; name it with entry_point"),
        (code("def check(candidate):\n    pass"), "the tests check nothing"),
        (code("import random\nassert 1 < 2"), "the tests passed without calling the program"),
        (code("import random\ndef unused():\n    assert f(1) == 2"), "nothing runs the assertions in unused: call it"),
        (code("import random\nassert f(1) == 2\ndef more():\n    assert f(2) == 4"), "the assertions in more"),
        (code("def test_a(value):\n    assert f(value) == 2\ndef test_b(): assert f(1)"), "the assertions in test_a"),
        (code("class Cases:\n    def test_a(self):\n        assert f(1) == 2"), "the assertions in test_a"),
        (code("class TestF:\n    def test_a(self, data):\n        assert f(data) == 2"), "the assertions in test_a"),
        (code("def test_a():\n    def inner():\n        assert f(1) == 2"), "the assertions in inner"),
        (
            code(
                "import unittest\nclass T(unittest.TestCase):\n    @unittest.skip('later')\n"
                "    def test_a(self): self.assertEqual(f(1), 2)"
            ),
            "every test is left out by its own text",
        ),
        (code("assert f(1) == 2 +"), "the tests are not Python"),
        (code("import random\nassert f(1) == twice(1)"), "name 'twice' is not defined"),
        (code("import no_such_module\nassert f(1) == 2"), "No module named 'no_such_module'"),
        (code("import random\nassert f(print) == 2"), "an argument of f cannot be sent"),
        (TestSuite.from_stdio([("1", "")]), "every expected output is empty"),
        (checked("def chek(): pass"), "the checker does not define a function check"),
        (checked("def check(:"), "the checker is not Python"),
        ("{", "is no test suite; expected what TestSuite.to_json() wrote"),
        ({"tests": ["assert f(1) == 2"]}, "the reference is {'tests': ['assert f(1) == 2']}, of type dict; expected a"),
        (("f", [1]), "of type tuple; expected a TestSuite, as TestSuite.from_asserts(...), from_stdio, from_calls and"),
        (None, "the reference is None, of type NoneType; expected a TestSuite"),
    ],
)
def test_tests_that_cannot_judge_are_refused_and_never_score(sandbox: Sandbox, suite: TestSuite, reason: str) -> None:
    result = judge(sandbox, "def f(x): return 2 * x", suite)
    assert (result.verdict, result.score) == (Verdict.BAD_REFERENCE, None)
    assert reason in result.reason


def test_a_suite_may_come_as_its_json_text(sandbox: Sandbox) -> None:
    result = CodeVerifier(sandbox).verify(["def f(x): return 2 * x"], [DOUBLE.to_json()])[0]
    assert result.verdict is Verdict.CORRECT


class Broken:
    """A sandbox that always fails, as a full disk or a killed daemon makes one fail."""

    def run(self, programs, limits=None, *, deadline_seconds=None):  # type: ignore[no-untyped-def]
        return [Execution(Status.SANDBOX_ERROR, reason="the disk is full") for _ in programs]

    def run_linked(self, pairs, limits=None):  # type: ignore[no-untyped-def]
        return [(Execution(Status.SANDBOX_ERROR, reason="the disk is full"), Execution(Status.OK)) for _ in pairs]


@pytest.mark.parametrize("suite", [DOUBLE, DOUBLE_IO, DOUBLE_LINKED], ids=["asserts", "stdio", "linked"])
def test_a_failure_of_the_sandbox_is_never_scored(suite: TestSuite) -> None:
    [result] = CodeVerifier(Broken()).verify(["def f(x): return 2 * x"], [suite])  # type: ignore[arg-type]
    assert (result.verdict, result.score) == (Verdict.ERROR, None)
    assert result.reason == "sandbox error: the disk is full"


def test_it_opens_its_own_sandbox_when_needed_closes_it_and_pickles_without_it() -> None:
    with CodeVerifier(limits=Limits(cpu_seconds=2)) as verifier:
        program, suite = ["def f(x): return 2 * x"], [DOUBLE]
        assert verifier.verify(program, suite)[0].verdict is Verdict.CORRECT
        with pickle.loads(pickle.dumps(verifier)) as copy:
            assert copy.limits == Limits(cpu_seconds=2)
            assert copy.verify(program, suite)[0].verdict is Verdict.CORRECT
        verifier.close()
        assert verifier.verify(program, suite)[0].verdict is Verdict.CORRECT  # it opens another


def test_a_sandbox_that_was_given_stays_open(sandbox: Sandbox) -> None:
    with CodeVerifier(sandbox) as verifier:
        assert verifier.verify(["def f(x): return 2 * x"], [DOUBLE])[0].verdict is Verdict.CORRECT
    assert CodeVerifier(sandbox).verify(["def f(x): return 2 * x"], [DOUBLE])[0].verdict is Verdict.CORRECT


def test_an_unknown_backend_is_our_error_with_its_reason() -> None:
    [result] = CodeVerifier("lokal").verify(["def f(x): return 2 * x"], [DOUBLE])
    assert result.verdict is Verdict.ERROR
    assert "did you mean 'local'?" in result.reason


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"no language is called 'cobol'; there are python, c, c\+\+, javascript, java"
    ):
        CodeVerifier(language="cobol")


def test_functions_are_judged_in_python_only(sandbox: Sandbox) -> None:
    [result] = CodeVerifier(sandbox, language="c").verify(["int f(int x) { return 2 * x; }"], [DOUBLE])
    assert result.verdict is Verdict.BAD_REFERENCE
    assert result.reason == "a suite of asserts judges Python, not c"


def test_text_that_is_not_unicode_is_a_syntax_error(sandbox: Sandbox) -> None:
    result = judge(sandbox, "def f(x): return '\ud800'", DOUBLE)
    assert (result.verdict, result.reason) == (Verdict.INCORRECT, "syntax error: the text is not Unicode")
