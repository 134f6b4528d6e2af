"""Graders with one known fault each, and the audit that must find it, and only it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from assay import Result
from assay.errors import InputError
from assay.verifiers import (
    ChoiceVerifier,
    InstructionVerifier,
    JSONFormat,
    MathVerifier,
    TagFormat,
    TextVerifier,
    Verifier,
)
from assay.verifiers.audit import AuditReport, Case, RewardSubject, VerifierSubject, audit
from assay.verifiers.audit.case import same
from assay.verifiers.audit.expressions import expressions
from assay.verifiers.audit.probes import ANSWER_PROBES, FORM_PROBES, Owes
from assay.verifiers.format import BoxedFormat, CodeFence
from assay.verifiers.math import Policy

Judge = Callable[[str, str], Any]
NUMBERS = [
    Case(f"What is {a} + {b}?", str(a + b), answer=str(a + b), columns={"answer": str(a + b)})
    for a, b in ((19, 23), (50, 67), (81, 9))
]
CHOICES = [
    Case(f"Question {index}: which one?", letter, answer=letter, choices=("A", "B", "C", "D"))
    for index, letter in enumerate("ABCD")
]
CAPITALS = [
    Case(f"What is capital number {i}?", city, answer=city) for i, city in enumerate(("Paris", "Rome", "New York"))
]


class Grader(Verifier[str]):
    """A verifier made of a function."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        return Result.correct() if self.judge(completion, reference) else Result.incorrect()


def last_box(text: str) -> str:
    found = re.findall(r"\\boxed\{([^{}]*)\}", text)
    return found[-1] if found else ""


def honest(text: str, reference: str) -> bool:
    return same(last_box(text), reference)


def faults(report: AuditReport) -> set[str]:
    """The families of probes that earned something they should not."""
    return {
        name for name, outcome in report.probes.items() if outcome.owes in (Owes.FAIL, Owes.LAZY) and outcome.mean > 0
    }


def test_an_honest_grader_has_no_fault() -> None:
    report = audit(Grader(honest), NUMBERS)
    assert report.false_pass == report.lazy_reward == report.false_fail == 0.0
    assert report.counts == {"raised": 0, "no_score": 0, "slow": 0, "unstable": 0}
    assert report.payable == report.cases == 3
    assert report.examples == []
    assert set(report.probes) == {"reference", *ANSWER_PROBES}


@pytest.mark.parametrize(
    ("judge", "found"),
    [
        (lambda text, reference: reference in text, {"several", "all in one", "denied", "mentioned", "retracted"}),
        (lambda text, reference: reference in last_box(text), {"all in one", "denied", "truncated"}),
        (lambda text, reference: same(re.findall(r"boxed\{(.*?)\}", text + "boxed{}")[0], reference), {"retracted"}),
        (lambda text, reference: last_box(text).startswith(reference), {"denied", "truncated", "all in one"}),
        (lambda text, reference: last_box(text) != "" and "wrong" not in text, {"wrong", "confident", "guess", "note"}),
        (lambda text, reference: "certain" in text or honest(text, reference), {"confident"}),
        (lambda text, reference: not text.strip() or honest(text, reference), {"empty"}),
        (lambda text, reference: "correct" in text or honest(text, reference), {"note"}),
        (lambda text, reference: "\\boxed{" in text[-7:] or honest(text, reference), {"malformed"}),
        (lambda text, reference: "nan" in last_box(text).lower() or honest(text, reference), {"not a number"}),
        (lambda text, reference: text.startswith("What is") or honest(text, reference), {"echo"}),
        (lambda text, reference: same(last_box(text).split("=")[-1].strip(), reference), {"false equation"}),
        (lambda text, reference: same(last_box(text)[::-1].strip("\u202e\u202c"), reference), {"disguised"}),
        (lambda text, reference: len(text) > 500 or honest(text, reference), {"shotgun"}),
        (lambda text, reference: "boxed{}" in text or honest(text, reference), {"prose"}),
    ],
)
def test_each_fault_is_found_by_its_probe(judge: Judge, found: set[str]) -> None:
    def either(text: str, reference: str) -> bool:
        return bool(judge(text, reference)) or text == rf"\boxed{{{reference}}}"

    assert found <= faults(audit(Grader(either), NUMBERS))


def test_the_ceiling_is_the_best_strategy_and_luck_is_not_counted() -> None:
    report = audit(Grader(lambda text, reference: "certain" in text or honest(text, reference)), NUMBERS)
    assert report.false_pass == 1.0
    assert report.lazy_reward == 0.0
    lucky = [Case("Which number?", "42", answer="42"), Case("Which other number?", "1", answer="1")]
    assert audit(Grader(honest), lucky).lazy_reward == 0.0


def test_the_reward_of_a_lazy_policy_is_its_mean_score() -> None:
    def half(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float]:
        return [1.0 if honest(text, gold) else 0.25 for text, gold in zip(completions, answer, strict=True)]

    report = audit(RewardSubject(half, conversational=False), NUMBERS)
    assert report.lazy_reward == pytest.approx(0.25)
    assert report.probes["empty"].passed == 0


def test_a_grader_that_refuses_harmless_white_space_fails_falsely() -> None:
    report = audit(Grader(lambda text, reference: text == rf"\boxed{{{reference}}}"), NUMBERS)
    missed, total = report.false_fail_counts
    assert (missed, total) == (12, 15)
    assert report.false_fail == pytest.approx(0.8)
    assert {example.fault for example in report.examples} == {"false fail"}


def test_a_grader_that_accepts_nothing_is_reported_as_such() -> None:
    report = audit(Grader(lambda text, reference: False), NUMBERS)
    assert (report.payable, report.false_fail, report.false_pass) == (0, 1.0, 0.0)


def test_exceptions_nan_and_wrong_counts_are_counted_and_shown() -> None:
    def raising(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[Any]:
        if any("NaN" in text for text in completions):
            raise ZeroDivisionError("division by zero")
        if any("certain" in text for text in completions):
            return [float("nan")] * len(completions)
        if any("judge" in text for text in completions):
            return []
        if any("42, " in text for text in completions):
            return ["much"]
        return [1.0 if honest(text, gold) else 0.0 for text, gold in zip(completions, answer, strict=True)]

    report = audit(RewardSubject(raising, conversational=False), NUMBERS)
    notes = {example.note for example in report.examples if example.fault == "raised"}
    assert "ZeroDivisionError: division by zero" in notes
    assert "the reward is nan" in notes
    assert "0 rewards for 1 completion" in notes
    assert "the reward is 'much', a text and not a number" in notes
    assert report.counts["raised"] >= 12


def test_a_function_that_gives_a_batch_another_number_of_rewards_raises_on_everything() -> None:
    def one(completions: Sequence[str], **columns: Any) -> list[float]:
        return [1.0]

    report = audit(RewardSubject(one, conversational=False), NUMBERS)
    assert report.counts["raised"] == sum(outcome.count for outcome in report.probes.values()) > 100
    assert {example.note for example in report.examples} == {"1 reward for 4 completions"}
    subject = RewardSubject(one, conversational=False)
    assert [score.raised for score in subject.score(["a", "b"], NUMBERS[:2])] == [True, True]
    assert subject.score(["a"], NUMBERS[:1])[0].raised


def test_a_reward_that_is_text_is_no_number() -> None:
    def texts(completions: Sequence[str], **columns: Any) -> list[Any]:
        return ["1"] * len(completions)

    report = audit(RewardSubject(texts, conversational=False), NUMBERS)
    assert report.counts["raised"] == sum(outcome.count for outcome in report.probes.values())
    assert report.false_pass == 0.0
    assert {example.note for example in report.examples} == {"the reward is '1', a text and not a number"}


def test_nothing_is_owed_for_a_blank_answer() -> None:
    blank = [Case("1+1?", "", answer=""), Case("2+2?", " ", answer=" ", right=("", "\n"))]
    report = audit(Grader(honest), [*NUMBERS, *blank])
    assert (report.cases, report.payable, report.false_fail) == (5, 3, 0.0)


def test_nothing_is_varied_where_no_right_completion_is_paid() -> None:
    report = audit(Grader(lambda text, reference: text == "5"), [Case("2+2?", "4", answer="4", wrong=("5", "6"))])
    assert {"variants", "denied", "mentioned"}.isdisjoint(report.probes)
    assert (report.false_fail_counts, report.false_pass) == ((1, 1), 0.5)
    assert {e.completion for e in report.examples} == {r"\boxed{4}", "5"}


def test_an_expression_of_the_prompt_is_no_answer() -> None:
    cases = [Case(f"What is {n} * {n}?", str(n * n), answer=str(n * n)) for n in (12, 13)]
    report = audit(MathVerifier(), cases)
    assert report.probes["unevaluated"].passed == 2
    assert report.false_pass == report.lazy_reward == 1.0
    assert {e.completion for e in report.examples if e.probe == "unevaluated"} == {
        r"\boxed{12 * 12}",
        r"\boxed{13 * 13}",
    }
    assert audit(MathVerifier(Policy(simplified=True)), cases).false_pass == 0.0


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("What is 12 * 12?", ["12 * 12"]),
        ("Compute (3 + 4) × 5 - 6 = ", ["(3 + 4) × 5 - 6"]),
        ("Half (that is 1/2) of 3 x 4.", ["1/2", "3 x 4"]),
        (r"Simplify $\frac{6}{8}$ and \(2^{10}\); let $x = 3 + 4$ and $y$.", [r"\frac{6}{8}", "2^{10}"]),
        ("$$\n\\sqrt{16} = ?\n$$", [r"\sqrt{16}"]),
        ("Use [3, 5, 7] and + - * / to make 36.", []),
        ("It costs $5 and then $6.", []),
        ("1+1 " * 3 + " ".join(f"{n}+{n}" for n in range(20)), ["1+1", *(f"{n}+{n}" for n in (0, 2, 3, 4, 5, 6, 7))]),
    ],
)
def test_the_expressions_of_a_prompt_are_those_that_stand_for_a_value(prompt: str, found: list[str]) -> None:
    assert expressions(prompt) == found


def test_a_score_of_none_is_no_score() -> None:
    def abstaining(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float | None]:
        return [
            None if not text.strip() else float(honest(text, a)) for text, a in zip(completions, answer, strict=True)
        ]

    report = audit(RewardSubject(abstaining, conversational=False), NUMBERS)
    assert report.counts["no_score"] >= 9
    assert report.counts["raised"] == 0


def test_a_score_that_changes_is_unstable() -> None:
    ticks = count()

    def moody(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float]:
        return [
            1.0 if honest(text, a) else 0.01 * (next(ticks) % 2) for text, a in zip(completions, answer, strict=True)
        ]

    assert audit(RewardSubject(moody, conversational=False), NUMBERS).counts["unstable"] > 0


def test_a_score_that_depends_on_the_batch_is_unstable() -> None:
    def relative(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float]:
        scores = [float(honest(text, a)) for text, a in zip(completions, answer, strict=True)]
        return [score / sum(scores) if sum(scores) else 0.0 for score in scores]

    assert audit(RewardSubject(relative, conversational=False), NUMBERS).counts["unstable"] > 0


def test_a_hang_is_slow() -> None:
    def hanging(text: str, reference: str) -> bool:
        if text.startswith("<think><think>"):
            time.sleep(1.2)
        return honest(text, reference)

    report = audit(Grader(hanging), NUMBERS[:1])
    assert report.counts["slow"] >= 1
    assert any(e.fault == "slow" and e.completion.startswith("<think><think>") for e in report.examples)


def test_messages_and_plain_text_are_told_apart() -> None:
    def messages(completions: Any, answer: Sequence[str], **columns: Any) -> list[float]:
        return [float(honest(c[0]["content"], a)) for c, a in zip(completions, answer, strict=True)]

    def plain(completions: Any, answer: Sequence[str], **columns: Any) -> list[float]:
        return [float(isinstance(c, str) and honest(c, a)) for c, a in zip(completions, answer, strict=True)]

    for function in (messages, plain):
        report = audit(function, NUMBERS)
        assert (report.payable, report.false_fail) == (3, 0.0)
        assert report.subject == function.__name__


def test_rewards_are_measured_against_the_full_one() -> None:
    def two(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float]:
        return [2.0 * honest(text, a) for text, a in zip(completions, answer, strict=True)]

    assert audit(RewardSubject(two, full_reward=2.0), NUMBERS).probes["reference"].mean == 1.0
    with pytest.raises(InputError, match="full_reward is 0; expected a positive number"):
        RewardSubject(two, full_reward=0)


def test_a_verifier_that_raises_for_the_whole_batch_is_not_spared() -> None:
    class Broken(Verifier[str]):
        def verify(self, completions: Any, references: Any, **columns: Any) -> list[Result]:
            raise RuntimeError("no")

    report = audit(Broken(), NUMBERS)
    assert report.counts["raised"] > 100


@pytest.mark.parametrize(
    ("verifier", "cases"),
    [
        (TextVerifier(), CAPITALS),
        (TextVerifier(), NUMBERS),
        (TextVerifier("f1", threshold=1.0), CAPITALS),
        (ChoiceVerifier("ABCD"), CHOICES),
    ],
    ids=["text", "text on numbers", "f1", "choice"],
)
def test_our_own_verifiers_pay_nothing_they_should_not(verifier: Verifier[Any], cases: list[Case]) -> None:
    report = audit(verifier, cases)
    assert report.broken(["false_pass>0", "false_fail>0", "raised>0", "no_score>0", "unstable>0"]) == []
    assert report.payable == len(cases)


IFEVAL = {"instruction_id_list": ["detectable_format:title"], "kwargs": [{}]}


@pytest.mark.parametrize(
    ("verifier", "case"),
    [
        (
            TagFormat(),
            Case(
                "Say.",
                right=("<think>a</think><answer>b</answer>",),
                wrong=("b", "<think>a</think>", "<answer>b</answer>"),
            ),
        ),
        (BoxedFormat(), Case("Say.", right=(r"\boxed{1}",), wrong=("1", r"\boxed{", r"\boxed{1}\boxed{2}"))),
        (CodeFence("c"), Case("Say.", right=("```c\nx\n```",), wrong=("x", "```c\nx", "```d\nx\n```"))),
        (JSONFormat(), Case("Say.", {"type": "object"}, right=("{}",), wrong=("[]", "{", "{} {}", '{"a": NaN}'))),
        (InstructionVerifier(), Case("Say.", IFEVAL, right=("<<T>> x",), wrong=("T", "<<>>", "<T>"))),
    ],
    ids=lambda value: value.name if isinstance(value, Verifier) else "",
)
def test_our_own_verifiers_of_form_pay_nothing_they_should_not(verifier: Verifier[Any], case: Case) -> None:
    report = audit(verifier, [case], form=True)
    assert report.broken(["false_pass>0", "false_fail>0", "raised>0", "no_score>0", "unstable>0"]) == []
    assert set(report.probes) == {"reference", *FORM_PROBES}
    assert report.probes["wrong"].count == len(case.wrong)


def test_conditions_hold_or_not_and_name_their_number() -> None:
    report = audit(Grader(lambda text, reference: "certain" in text or honest(text, reference)), NUMBERS)
    assert report.broken(["false_pass>0"]) == ["false_pass>0 (false_pass is 1)"]
    assert report.broken(["false_pass > 1", "false_fail>=0.1", "raised==1"]) == []
    assert len(report.broken(["false_fail>=0", "slow==0"])) == 2
    for condition in ("false_pass", "luck>0", "false_pass<1", "false_pass>x"):
        with pytest.raises(InputError, match="is not a condition; expected a measure"):
            report.broken([condition])


def test_a_report_is_json() -> None:
    report = audit(VerifierSubject(Grader(lambda text, reference: True), name="yes"), NUMBERS)
    read = json.loads(json.dumps(report.to_json()))
    assert read["subject"] == "yes"
    assert read["measures"]["false_pass"] == 1.0
    assert read["probes"]["wrong"]["interval"][1] == 1.0
    assert read["false_fail_interval"][0] == 0.0
    assert read["examples"][0]["fault"] == "false pass"


def test_families_can_be_left_out() -> None:
    report = audit(TextVerifier(), NUMBERS, skip=["huge", "echo"])
    assert set(report.probes) == {"reference", *ANSWER_PROBES} - {"huge", "echo"}
    with pytest.raises(InputError, match="no probes are called hugh; there are variants, wrong"):
        audit(TextVerifier(), CAPITALS, skip=["hugh"])


def test_an_audit_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="an audit needs at least one case"):
        audit(TextVerifier(), [])
    with pytest.raises(InputError, match="3 is neither a verifier nor a reward function"):
        audit(3, CAPITALS)
