"""What a policy may say around a right value to be paid for more than it knows, and what honest solutions say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.verifiers import ChoiceVerifier, MathVerifier
from assay.verifiers.math.phrases import counts, distorts, distorts_before

DATA = Path(__file__).resolve().parents[2] / "data" / "math"
VERIFIER = MathVerifier()
CHOICES = ChoiceVerifier()


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _by_kind(name: str) -> list[Any]:
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(name):
        kinds.setdefault(row["kind"], []).append(row)
    return [pytest.param(rows, id=kind) for kind, rows in kinds.items()]


def _differing(rows: list[dict[str, Any]], scores: list[float | None]) -> list[tuple[str, str]]:
    return [
        (row["gold"], row.get("prediction") or row["completion"])
        for row, score in zip(rows, scores, strict=True)
        if (score == 1.0) != row["expected"]
    ]


@pytest.mark.parametrize("rows", _by_kind("soundness.jsonl"))
def test_answers_pay_for_what_they_say_and_no_more(rows: list[dict[str, Any]]) -> None:
    results = VERIFIER.verify_answers([row["prediction"] for row in rows], [row["gold"] for row in rows])
    assert _differing(rows, [result.score for result in results]) == []


@pytest.mark.parametrize("rows", _by_kind("soundness.jsonl"))
def test_a_box_around_an_answer_changes_nothing(rows: list[dict[str, Any]]) -> None:
    results = VERIFIER.verify([f"\\boxed{{{row['prediction']}}}" for row in rows], [row["gold"] for row in rows])
    assert _differing(rows, [result.score for result in results]) == []


@pytest.mark.parametrize("rows", _by_kind("soundness_completions.jsonl"))
def test_completions_pay_for_what_they_say_and_no_more(rows: list[dict[str, Any]]) -> None:
    results = VERIFIER.verify([row["completion"] for row in rows], [row["gold"] for row in rows])
    assert _differing(rows, [result.score for result in results]) == []


def test_different_answers_share_no_canonical_key() -> None:
    for row in _rows("soundness.jsonl"):
        if not row["expected"] and row["kind"] in ("pieces", "decimals", "case of letters"):
            key = VERIFIER.canonical_key(row["gold"])
            assert key is None or key != VERIFIER.canonical_key(row["prediction"]), row


@pytest.mark.parametrize(
    "content",
    [
        "A (wrong)",
        "A?",
        "A or maybe not",
        "A 不对",
        "¬A",
        "\\neg A",
        "\\overline{A}",
        "no A",
        "не A",
        "A: false",
        "A is eliminated",
    ],
)
def test_a_denied_letter_is_no_choice_of_the_choice_verifier(content: str) -> None:
    assert CHOICES.verify([f"\\boxed{{\\text{{{content}}}}}"], ["A"])[0].score != 1.0


@pytest.mark.parametrize(
    "statement",
    ["(A) (B)", "A. B. C. D.", "A. 12 B. 13", "A but maybe B", "A → B", "A–D", "A | B", "A + B", "A ... D", "A [B]"],
)
def test_several_letters_with_only_signs_between_are_no_choice_of_the_choice_verifier(statement: str) -> None:
    assert CHOICES.verify([f"The answer is {statement}"], ["A"])[0].score != 1.0


@pytest.mark.parametrize(
    "statement", ["A", "(A)", "A because B is wrong", "A. B fails because of 3", "A, since B and C are out", "A) Paris"]
)
def test_a_letter_with_its_reason_is_a_choice_of_the_choice_verifier(statement: str) -> None:
    assert CHOICES.verify([f"The answer is {statement}"], ["A"])[0].score == 1.0


@pytest.mark.parametrize(
    "phrase",
    ["apples", "red apples", "cups of flour", "people", "ways to choose", "left", "times a day", "яблок", "个苹果"],
)
def test_many_things_are_counted(phrase: str) -> None:
    assert counts(phrase) == "many"


@pytest.mark.parametrize(
    "phrase", ["never", "squared", "to five", "doubled", "tens", "impossible", "не яблок", "的一半", "plus", ""]
)
def test_words_that_change_or_deny_a_number_count_nothing(phrase: str) -> None:
    assert counts(phrase) == ""


def test_a_singular_counts_one_at_most() -> None:
    assert counts("apple") == "one"
    assert VERIFIER.verify_answers(["1 apple", "1/2 apple", "2 apple"], ["1", "1/2", "2"])[2].score == 0.0


def test_a_sentence_may_come_a_long_way_to_its_value_but_not_say_much_after_it() -> None:
    assert not distorts_before("When she sells the last one of them, she gets")
    assert distorts("when she sells them")
    assert [distorts_before(lead) for lead in ("half of", "not ", "or ")] == [True] * 3


def test_a_constant_that_no_fraction_can_stand_for_ends_no_process() -> None:
    answers = [r"\max(x, -e^{e^{50}})", r"|x - e^{-e^{50}}|", r"\sqrt{(x - 10^{10^{10}})^2}", r"|x - \infty|"]
    assert {result.score for result in VERIFIER.verify_answers(answers, ["x"] * 4)} == {0.0}


def test_many_sums_share_one_budget_and_many_signs_need_no_comparison() -> None:
    sums = "+".join([r"\sum_{k=1}^{1000} k^3"] * 80)
    assert VERIFIER.verify_answers([sums], ["7"])[0].score == 0.0
    signs = [rf"\pm\sqrt{{{radicand}}}" for radicand in range(1, 40)]
    assert VERIFIER.verify_answers([", ".join(reversed(signs))], [", ".join(signs)])[0].score == 1.0
