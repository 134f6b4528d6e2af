"""How much a program's results may cost whoever judges them."""

from __future__ import annotations

import json

import pytest

from assay import Verdict
from assay.sandbox import Sandbox
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code.judge_calls import Answers, CallFailed, _evaluate
from assay.verifiers.code.plan import CallPlan
from assay.verifiers.code.planning import plan_of

LISTS = "def f(x): return [[] for _ in range(20000)]"


def calls_plan(suite: TestSuite) -> CallPlan:
    plan = plan_of(suite)
    assert isinstance(plan, CallPlan)
    return plan


def test_a_result_far_longer_than_the_expected_one_is_wrong_and_is_not_even_parsed(verifier: CodeVerifier) -> None:
    suite = TestSuite.from_calls("f", [((1,), {}, 1), ((2,), {}, 4)])
    [result] = verifier.verify([LISTS], [suite])
    assert (result.verdict, result.score) == (Verdict.INCORRECT, 0.0)
    assert "got a value of 120005 bytes, encoded; the expected one is far smaller" in result.reason
    answers = Answers(calls_plan(suite).most_bytes)
    answers.keep(0, b"[" * 100_000)
    assert answers.forms == {}


def test_a_result_as_long_as_equality_within_the_tolerance_allows_is_read() -> None:
    suite = TestSuite.from_calls("f", [((), {}, [0.0] * 1000)], tolerance=1e-6)
    answers = Answers(calls_plan(suite).most_bytes)
    answers.keep(0, json.dumps(["l", *[-2.2250738585072014e-308] * 1000]).encode())
    [outcome] = _evaluate(calls_plan(suite).steps, answers)
    assert outcome.kind == "passed"


def test_the_results_of_one_program_are_bounded_together(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.verifiers.code.judge_calls.MOST_NODES", 30_000)
    suite = TestSuite.from_asserts("\n".join(f"assert f({n}) == {n}" for n in range(4)))
    [result] = CodeVerifier(sandbox).verify([LISTS], [suite])
    assert [test["outcome"] for test in result.details["tests"]] == ["wrong_answer"] * 2 + ["output_limit"] * 2
    assert result.score == 0.0
    assert "the results of its calls hold more than 30000 values together" in result.details["tests"][3]["text"]


def test_a_value_is_let_go_of_after_the_last_statement_that_needs_it() -> None:
    plan = calls_plan(
        TestSuite.from_asserts("a = f(1)\nassert a == [1]\nassert f(2) == [2]\nassert a + f(3) == [1, 3]")
    )
    answers = Answers()
    for number in range(3):
        answers.keep(number, b'["l",%d]' % (number + 1))
    assert {outcome.kind for outcome in _evaluate(plan.steps, answers)} == {"passed"}
    assert answers.values == {}


def test_a_value_that_is_no_json_fails_its_call_alone() -> None:
    answers = Answers()
    answers.keep(0, b"1,2")
    answers.keep(1, b"2")
    with pytest.raises(CallFailed, match="the result cannot be compared: malformed value"):
        answers.value(0)
    assert answers.value(1) == 2


def test_a_checker_is_given_what_a_program_forged_and_refuses_it(verifier: CodeVerifier) -> None:
    checker = "def check(arguments, keywords, result, expected):\n    return result == arguments[0] ** 2\n"
    suite = TestSuite.from_calls("f", [((2,), {}, None), ((3,), {}, None)], checker=checker)
    forged = """
import os, sys
def f(x):
    if x == 2:
        return 4
    [token] = [c.cell_contents for c in sys._getframe(2).f_locals["report"].__closure__ if type(c.cell_contents) is str]
    os.write(3, (token + '[1,"ok",[[,]]\\n').encode())
    os._exit(0)
"""
    right, wrong = verifier.verify(["def f(x): return x * x", forged], [suite] * 2)
    assert (right.score, right.verdict) == (1.0, Verdict.CORRECT)
    assert [test["outcome"] for test in wrong.details["tests"]] == ["passed", "wrong_answer"]
    assert "the checker raised JSONDecodeError" in wrong.details["tests"][1]["text"]
