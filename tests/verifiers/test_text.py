"""Text against text: exact, by words, one of many, and by token F1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers import TextVerifier
from assay.verifiers.conformance import VerifierConformance
from assay.verifiers.format.numerals import with_digits


class TestTextVerifierConforms(VerifierConformance):
    verifier = TextVerifier()
    examples = (
        ("The answer is Paris.", "paris", Verdict.CORRECT),
        ("Rome", ["Paris", "Lutetia"], Verdict.INCORRECT),
        ("<answer></answer>", "Paris", Verdict.NO_ANSWER),
        ("Rome", [], Verdict.BAD_REFERENCE),
    )


class TestF1Conforms(VerifierConformance):
    verifier = TextVerifier("f1")
    examples = (
        ("blue whale", "the blue whale", Verdict.CORRECT),
        ("blue fish", "blue whale", Verdict.PARTIAL),
        ("fish", "blue whale", Verdict.INCORRECT),
    )


def judge(text: str, reference: str | Sequence[str], *arguments: Any, **options: Any) -> Result:
    return TextVerifier(*arguments, **options).verify([text], [reference])[0]


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Paris", "paris"),
        (" **Paris!** ", "Paris"),
        ("The Beatles", "beatles"),
        ("Ｐａｒｉｓ", "Paris"),
        ("twenty-one", "21"),
        ("21", "twenty one"),
        ("two hundred and five men", "205 men"),
        ("one thousand", "1,000"),
        ("-5", "−5"),
        ("the", "The"),
        ("The answer is Paris. It is the capital of France.", "Paris"),
        ("The answer is Dr. Who.", "dr who"),
        (r"So \boxed{\text{Paris}}", "Paris"),
        ("Rome? <answer>Paris</answer>", "Paris"),
        ("<think>Rome</think> Paris", "Paris"),
        ("Pa\u200bris", "Paris"),
    ],
)
def test_what_reads_the_same_is_correct(text: str, reference: str) -> None:
    assert judge(text, reference).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("not Paris", "Paris"),
        ("Paris or Rome", "Paris"),
        ("Paris Rome London", "Paris"),
        ("The answer is Paris. That is wrong.", "Paris"),
        (r"\boxed{Paris} \boxed{Rome}", "Paris"),
        (r"\boxed{Paris \text{ is wrong}}", "Paris"),
        ("<answer>Paris</answer> I take that back.", "Paris"),
        ("-5", "5"),
        ("3.0", "3"),
        ("five", "fifty"),
        ("one two", "12"),
        ("p a r i s", "Paris"),
        ("", "Paris"),
        ("<think>Paris", "Paris"),
        ("Раris", "Paris"),  # two Cyrillic letters
    ],
)
def test_what_reads_otherwise_is_not(text: str, reference: str) -> None:
    assert judge(text, reference).score == 0.0


def test_one_of_many_is_enough() -> None:
    assert judge("NYC", ["New York City", "NYC"]).is_correct
    assert judge("LA", ["New York City", "NYC"]).reason == "'LA' is not 'New York City'"


def test_exact_compares_characters() -> None:
    assert judge(" Paris\n", "Paris", "exact").is_correct
    for text in ("paris", "Paris.", "The answer: Paris!"):
        assert not judge(text, "Paris", "exact").is_correct
    assert judge("?!", "?!", "exact").is_correct


def test_without_slots_the_whole_text_is_the_answer() -> None:
    assert judge("answer: Paris", "answer: Paris", "exact", slots=False).is_correct
    assert not judge("answer: Paris", "Paris", slots=False).is_correct


def test_f1_is_the_harmonic_mean_over_the_bag_of_words() -> None:
    result = judge("blue whale song", ["whale", "a big blue whale"], "f1")
    assert result.verdict is Verdict.PARTIAL
    assert result.score == pytest.approx(2 * 2 / (3 + 3))
    assert result.parts["f1"] == result.score
    assert judge("whale whale whale", "whale", "f1").score == pytest.approx(0.5)


def test_a_threshold_makes_f1_right_or_wrong() -> None:
    assert judge("blue whale song", "blue whale", "f1", threshold=0.8).is_correct
    result = judge("blue whale song", "blue whale", "f1", threshold=0.9)
    assert (result.verdict, result.score) == (Verdict.INCORRECT, 0.0)
    assert result.parts["f1"] == pytest.approx(0.8)


@pytest.mark.parametrize("reference", [None, 5, "", "  ", [], ["a", ""], [1], b"x"])
def test_a_reference_without_text_has_no_score(reference: Any) -> None:
    result = judge("x", reference)
    assert result.verdict is Verdict.BAD_REFERENCE
    assert "expected a text with a word in it" in result.reason


def test_arguments_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="mode is 'fuzzy'; expected one of exact, normalised, f1"):
        TextVerifier("fuzzy")
    for mode, threshold in (("exact", 0.5), ("f1", 0.0), ("f1", 1.5)):
        with pytest.raises(InputError, match="expected a number in \\(0, 1\\] with mode 'f1'"):
            TextVerifier(mode, threshold=threshold)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("nineteen eighty four", "19 84"),
        ("one hundred and twenty three thousand four hundred and fifty six", "123456"),
        ("two million three", "2000003"),
        ("hundred", "hundred"),
        ("twenty and five", "20 and 5"),
        ("one one", "1 1"),
        ("zero", "0"),
        ("thirty zero", "30 0"),
        ("one thousand two million", "1002 million"),
    ],
)
def test_numbers_in_words_become_digits(words: str, digits: str) -> None:
    assert with_digits(words.split()) == digits.split()


@given(st.text(min_size=1).filter(str.strip))
def test_a_text_without_slots_equals_itself(text: str) -> None:
    if text.lstrip().startswith("<think>") or "</think>" in text:
        return
    assert judge(text, text, slots=False).verdict in (Verdict.CORRECT, Verdict.BAD_REFERENCE)
