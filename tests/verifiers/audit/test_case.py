"""Cases: what a right completion is cut into, which answers are wrong, and how rows of a file are read."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.verifiers.audit.case import TEMPLATES, Case, case_of, same, slot_of, wrong_answers
from assay.verifiers.audit.intervals import wilson


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_completion_is_cut_at_its_answer_and_can_be_filled_again(template: str) -> None:
    slot = slot_of(template.format("42"))
    assert slot.answer in ("42", "The answer is 42.")
    if slot.answer == "42":
        assert slot.fill("7") == template.format("7")


def test_the_last_slot_is_the_answer() -> None:
    assert slot_of(r"\boxed{1} then \boxed{\frac{1}{2}}.") == (r"\boxed{1} then \boxed{", r"\frac{1}{2}", "}.")
    assert slot_of("<answer></answer>") == ("<answer>", "", "</answer>")
    assert slot_of("plain").is_bare


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("4", ["5", "-4", "41"]),
        ("0", ["1", "7", "01"]),
        ("1/2", ["1.5", "-0.5", "0"]),
        ("2.5", ["3.5", "-2.5", "2.51"]),
        ("1,000", ["1001", "-1000", "1,0001"]),
    ],
)
def test_wrong_numbers_are_near_ones(answer: str, wanted: list[str]) -> None:
    assert wrong_answers(answer, []) == wanted


def test_wrong_choices_and_wrong_texts_are_the_other_ones() -> None:
    assert wrong_answers("B", [], ("A", "B", "C")) == ["A", "C"]
    assert wrong_answers("Paris", ["paris ", "Rome", "12"]) == ["Rome"]


def test_a_wrong_program_is_the_right_one_that_returns_nothing() -> None:
    assert wrong_answers("def f(x):\n    return x", ["def g(): 1"]) == ["def f(x):\n    return None  # x"]
    assert wrong_answers("print(1)\nprint(2)", ["print(3)"]) == []


@pytest.mark.parametrize(("first", "second", "equal"), [("0.5", "1/2", True), ("a B", "AB", True), ("1", "one", False)])
def test_plainly_the_same(first: str, second: str, equal: bool) -> None:
    assert same(first, second) is equal


def test_a_row_becomes_a_case() -> None:
    row = {"prompt": [{"role": "user", "content": "2+2?"}], "answer": "so 4\n#### 4", "right": ["four"], "level": 1}
    case = case_of(row, reference="answer")
    assert (case.prompt, case.answer, case.right) == ("2+2?", "4", ("four",))
    assert case.columns == {"answer": "so 4\n#### 4", "level": 1}
    assert case.candidates[:2] == ("four", r"\boxed{4}")
    assert case_of({"prompt": "x", "answer": 7}, reference="answer").answer == "7"
    assert Case("x").candidates == ()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({}, "a row's prompt is None"),
        ({"prompt": [{"role": "user"}]}, "expected a text or messages with content"),
        ({"prompt": "x", "answer": "", "right": "y"}, "right of a row is 'y'; expected a list of texts"),
        ({"prompt": "x"}, "a row has no column 'answer'; it has prompt"),
    ],
)
def test_a_row_that_is_no_case_is_refused(row: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why.replace("(", r"\(")):
        case_of(row, reference="answer")


def test_wilson_is_never_surer_than_the_count_allows() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(0, 10)
    assert low == 0.0
    assert high == pytest.approx(0.2775, abs=1e-4)
    assert wilson(10, 10)[0] == pytest.approx(1 - 0.2775, abs=1e-4)
