"""Multiple choice in every form that models write it, and in the forms that must not pay."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers import ChoiceVerifier
from assay.verifiers.conformance import VerifierConformance

CITIES = ["London", "Paris", "Rome", "Berlin"]


class TestChoiceVerifierConforms(VerifierConformance):
    verifier = ChoiceVerifier("ABCD")
    examples = (
        ("The answer is (B).", "B", Verdict.CORRECT),
        ("The answer is (C).", "B", Verdict.INCORRECT),
        ("Who knows?", "B", Verdict.NO_ANSWER),
        ("B", "E", Verdict.BAD_REFERENCE),
    )


def judge(text: str, reference: Any = "B", *, options: list[str] | None = None) -> Result:
    columns = {} if options is None else {"options": [options]}
    return ChoiceVerifier("ABCD").verify([text], [reference], **columns)[0]


@pytest.mark.parametrize(
    "text",
    [
        "B",
        "b",
        "(B)",
        "(b)",
        "[B]",
        "B.",
        "B:",
        "**B**",
        "B) Paris",
        "b) Paris",
        "Option B",
        r"\boxed{B}",
        r"\boxed{(B)}",
        r"\boxed{\text{B}}",
        r"$\boxed{\mathrm{(B)}}$",
        r"\boxed{\textbf{B. Paris}}",
        r"The final answer is $\boxed{B}$. I hope it is correct.",
        r"\boxed{Ｂ}",
        "<answer>B</answer>",
        "<answer>B. Paris</answer>",
        "<think>A? No, wait, C.</think>B",
        "the answer is B",
        "The correct answer is option B.",
        "So the answer is **(B) Paris**.",
        "Answer: B) Paris",
        "Answer: **B**",
        "My answer is B\nC is wrong.",
        "The answer is: B because A is wrong",
        "The answer is B. A is wrong because it rains.",
        "The answer is B. Option A says so; this is incorrect.",
        "The answer is B, not A.",
        "The answer is not A but B.",
        "The answer can't be A, so it's clear: I choose B.",
        "I choose B.",
        "B is correct.",
        "A) London is in England.\nSo it must be B.",
        "Therefore, the correct option is (B).",
        "The answer is A. Wait, the answer is B.",
        "The answer is D? No. B is the correct answer",
        "I first thought A, but the correct choice is B.",
        "We have I = 5 so the answer is B",
    ],
)
def test_usual_forms_of_the_right_letter_are_correct(text: str) -> None:
    for options in (None, CITIES):
        result = judge(text, options=options)
        assert (result.verdict, result.answer) == (Verdict.CORRECT, "B"), result.reason


@pytest.mark.parametrize(
    "text", ["Paris", "paris.", r"\boxed{\text{Paris}}", "The answer is Paris.", "<answer> Paris </answer>"]
)
def test_an_options_text_stands_for_its_letter_where_the_options_are_known(text: str) -> None:
    assert judge(text, options=CITIES).answer == "B"
    assert judge(text).verdict is Verdict.NO_ANSWER


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", Verdict.NO_ANSWER),
        ("E", Verdict.NO_ANSWER),
        ("<think>B", Verdict.NO_ANSWER),
        ("not B", Verdict.NO_ANSWER),
        ("The answer is not B", Verdict.NO_ANSWER),
        ("The answer isn't B.", Verdict.NO_ANSWER),
        ("B is not correct.", Verdict.NO_ANSWER),
        (r"\boxed{\text{not } B}", Verdict.NO_ANSWER),
        (r"\boxed{B \text{ is wrong}}", Verdict.NO_ANSWER),
        ("A dog is here", Verdict.NO_ANSWER),
        ("A is the capital of nothing.", Verdict.NO_ANSWER),
        ("The answer is B. No, wait, that is wrong.", Verdict.NO_ANSWER),
        ("The answer is B. But B is wrong.", Verdict.NO_ANSWER),
        (r"\boxed{B} I take that back.", Verdict.NO_ANSWER),
        ("\\boxed{В}", Verdict.NO_ANSWER),  # a Cyrillic letter
        ("A or B", Verdict.NO_ANSWER),
        (r"\boxed{A, B}", Verdict.INCORRECT),
        ("The answer is A, B, C or D", Verdict.INCORRECT),
        ("The answer is either B or C", Verdict.INCORRECT),
        ("A. London\nB. Paris\nC. Rome\nD. Berlin", Verdict.INCORRECT),
        (r"\boxed{B}\boxed{A}", Verdict.INCORRECT),
        ("The answer is B. Wait, actually the answer is A.", Verdict.INCORRECT),
        ("The answer can't be B, so the answer is C", Verdict.INCORRECT),
        ("<answer>A</answer> but really B", Verdict.INCORRECT),
    ],
)
def test_several_none_denied_and_taken_back_do_not_pay(text: str, verdict: Verdict) -> None:
    for options in (None, CITIES):
        assert judge(text, options=options).verdict is verdict


def test_a_letter_and_another_options_text_are_two_answers() -> None:
    result = judge("<answer>B) Rome</answer>", options=CITIES)
    assert result.reason == "several options at once: B, C"


@pytest.mark.parametrize("reference", ["B", "b", "(B)", " B. ", r"\text{B}"])
def test_a_reference_may_be_a_letter_in_any_form(reference: str) -> None:
    assert judge("B", reference).is_correct


def test_a_reference_may_be_an_options_text() -> None:
    assert judge("B", "Paris", options=CITIES).is_correct
    assert judge("A", "Paris", options=CITIES).reason == "A is not B"


def test_the_letters_are_as_many_as_the_options() -> None:
    assert judge("C", "A", options=["yes", "no"]).verdict is Verdict.NO_ANSWER
    assert (
        judge("B", "C", options=["yes", "no"]).reason
        == "the reference is 'C'; expected one of A, B or an option's text"
    )


@pytest.mark.parametrize(
    "options",
    [
        CITIES,
        dict(zip("ABCD", CITIES, strict=True)),
        [{letter: city} for letter, city in zip("ABCD", CITIES, strict=True)],
    ],
)
def test_options_may_be_texts_or_letters_with_texts(options: Any) -> None:
    assert ChoiceVerifier("ABCD").verify(["Paris"], ["B"], options=[options])[0].is_correct


@pytest.mark.parametrize("options", [[], ["x"] * 5, [1, 2], {"B": "x"}, [{"A": 1}], 7])
def test_options_that_are_no_texts_have_no_score(options: Any) -> None:
    result = ChoiceVerifier("ABCD").verify(["B"], ["B"], options=[options])[0]
    assert result.verdict is Verdict.BAD_REFERENCE
    assert "expected 1 to 4 texts" in result.reason


@pytest.mark.parametrize("reference", [None, 2, "", "Z", "AB"])
def test_a_reference_that_is_no_option_has_no_score(reference: Any) -> None:
    assert judge("B", reference).verdict is Verdict.BAD_REFERENCE


def test_letters_must_be_capital_and_different() -> None:
    for letters in ("", "AA", "ab", "A1"):
        with pytest.raises(InputError, match="expected different capital letters"):
            ChoiceVerifier(letters)


def test_the_columns_name_can_be_chosen() -> None:
    verifier = ChoiceVerifier("ABCD", options="choices")
    assert verifier.verify(["Paris"], ["B"], choices=[CITIES])[0].is_correct
