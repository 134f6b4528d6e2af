"""Sentences that say more than their value: what it is not, and where it is attained."""

from __future__ import annotations

import pytest

from assay.verifiers import MathVerifier
from assay.verifiers.math.contrasts import affirmed

VERIFIER = MathVerifier()

SENTENCES = [
    ("The answer is not 20 but 18.", "18", "20"),
    ("The answer is 18 (not 20).", "18", "20"),
    ("18 (not 20).", "18", "20"),
    ("Therefore option C is correct.", "C", "B"),
    ("故选：C．", "C", "B"),
    ("综上，答案选D", "D", "A"),
    ("The ratio is 3:2.", "3:2", "2:3"),
    ("Therefore $a+b=2+3=5$.", "5", "6"),
    ("The minimum value is 15, attained at x=2.", "15", "2"),
    (r"The minimum value is $\frac12$, attained when $x=3$.", r"\frac12", "3"),
    ("The maximum is 9, with equality when a=b=3.", "9", "3"),
    ("The minimum value is 16, which is attained at x=15.", "16", "15"),
]


@pytest.mark.parametrize(("sentence", "stated", "other"), SENTENCES)
def test_a_sentence_states_its_value_and_not_the_one_beside_it(sentence: str, stated: str, other: str) -> None:
    results = [*VERIFIER.verify([sentence, sentence], [stated, other])]
    results += VERIFIER.verify_answers([sentence, sentence], [stated, other])
    assert [result.score == 1.0 for result in results] == [True, False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "not 20 but 18 or 19",  # still two values
        "18, not 20, or 19",
        "It is not clear but 18 may do",
        "Do not add 3 but multiply by 4, which gives 12",
        "She reached 15 miles",
    ],
)
def test_what_is_no_plain_contrast_stays_as_it_is(text: str) -> None:
    assert affirmed(text) == text
