"""An answer that is denied, doubted or taken back does not pay; one beside a denial of another value does."""

from __future__ import annotations

import pytest

from assay.verifiers import MathVerifier

VERIFIER = MathVerifier()


@pytest.mark.parametrize(
    "completion",
    [
        "The answer is not 4.",
        "The answer can't be 4",
        "anything except 4",
        "I don't think the answer is 4.",
        "It is false that the answer is 4.",
        "The wrong answer is 4.",
        "Therefore it is not 4.",
        "4 is wrong",
        "It is not 4.",
        "La respuesta no es 4.",
        "Die Antwort ist nicht 4.",
        "La réponse n'est pas 4.",
        "Ответ не 4.",
        "答案不是4。",
        "答えは4ではありません。",
        "정답은 4가 아닙니다.",
        "The answer is 4 but that is wrong",
        "The answer is 4. That's wrong.",
        "The answer is 4. No, wait.",
        "\\boxed{4} is wrong.",
        "not \\boxed{4}",
        "The answer is not $\\boxed{4}$.",
        "Anything but \\boxed{4}",
        "\\boxed{4}. I take that back.",
        "\\boxed{4}. Wait, that's wrong.",
        "The answer is: 4, which is wrong.",
    ],
)
def test_a_denied_answer_does_not_pay(completion: str) -> None:
    assert VERIFIER.verify([completion], ["4"])[0].score == 0.0


@pytest.mark.parametrize(
    "completion",
    [
        "The answer is 4, not 5.",
        "The answer is 4.",
        "So the total is 4.",
        "It is not 5. The answer is \\boxed{4}.",
        "Option B is wrong because 3<4. \\boxed{4}",
        "That is wrong. So the answer is 4.",
        "I made a mistake above. The answer is \\boxed{4}.",
        "Therefore, there are 4 of them.",
        "\\boxed{4} is the answer, and 5 is not.",
        "La respuesta es 4.",
    ],
)
def test_an_answer_beside_a_denial_of_another_value_pays(completion: str) -> None:
    assert VERIFIER.verify([completion], ["4"])[0].score == 1.0


@pytest.mark.parametrize("filler", [" ", "\t", "\n"])
def test_long_runs_of_white_space_change_no_verdict(filler: str) -> None:
    assert VERIFIER.verify([r"\boxed{4}" + filler * 5000], ["4"])[0].is_correct
    assert not VERIFIER.verify([filler * 5000 + "x"], ["4"])[0].is_correct
