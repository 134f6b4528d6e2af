"""Every instruction type on right, wrong and hostile texts, and what the verifier makes of references and readings."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verdict
from assay.verifiers import InstructionVerifier
from assay.verifiers.conformance import VerifierConformance
from assay.verifiers.format.instructions.tables import names
from assay.verifiers.format.instructions.verifier import loose_readings

DATA = Path(__file__).resolve().parents[2] / "data" / "format"
ROWS = [json.loads(line) for line in (DATA / "instructions.jsonl").read_text(encoding="utf-8").splitlines()]


def reference(*instructions: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"instruction_id_list": [name for name, _ in instructions], "kwargs": [given for _, given in instructions]}


NO_COMMA: tuple[str, dict[str, Any]] = ("punctuation:no_comma", {})
TITLE: tuple[str, dict[str, Any]] = ("detectable_format:title", {})


def judge(text: str, *instructions: tuple[str, dict[str, Any]], **options: bool) -> Result:
    return InstructionVerifier(**options).verify([text], [reference(*instructions)])[0]


class TestInstructionVerifierConforms(VerifierConformance):
    verifier = InstructionVerifier()
    examples = (
        ("<<Tea>> is warm", reference(NO_COMMA, TITLE), Verdict.CORRECT),
        ("<<Tea>>, warm", reference(NO_COMMA, TITLE), Verdict.PARTIAL),
        ("Tea, warm", reference(NO_COMMA, TITLE), Verdict.INCORRECT),
        (" ", reference(NO_COMMA), Verdict.NO_ANSWER),
        ("Tea", reference(("no:such", {})), Verdict.BAD_REFERENCE),
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['name']}-{row['label']}")
def test_each_example_is_judged_as_labelled(row: dict[str, Any]) -> None:
    result = judge(row["text"], (row["name"], row["arguments"]))
    assert not result.verdict.is_ours
    assert result.is_correct == (row["label"] == "right"), result.reason


def test_each_type_has_right_wrong_and_hostile_examples() -> None:
    labels = defaultdict(set)
    for row in ROWS:
        labels[row["name"]].add(row["label"])
    assert len(names()) == 25 + 58
    assert dict(labels) == {name: {"right", "wrong", "hostile"} for name in names()}


def test_a_failure_says_what_was_expected() -> None:
    reason = judge("one two", ("length_constraints:number_words", {"relation": "at least", "num_words": 3})).reason
    assert reason == "length_constraints:number_words: 2 words, expected at least 3"


def corpus(shared: Path) -> Iterator[dict[str, Any]]:
    for file in ("ifeval/input_data_540.jsonl", "ifbench/IFBench_test.jsonl"):
        for line in (shared / "data" / file).read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def test_every_row_of_both_benchmarks_can_be_judged_and_no_lazy_answer_keeps_it(shared: Path) -> None:
    rows = list(corpus(shared))
    assert len(rows) == 840
    used = {name for row in rows for name in row["instruction_id_list"]}
    assert used == set(names())
    for lazy in ("", "...", "\u200b", "Sure!"):
        results = InstructionVerifier().verify([lazy] * len(rows), rows)
        assert not any(result.verdict.is_ours for result in results)
        if lazy != "Sure!":  # one word breaks no upper bound
            assert not any(
                result.is_correct for row, result in zip(rows, results, strict=True) if not _only_bounds_above(row)
            )


def _only_bounds_above(row: dict[str, Any]) -> bool:
    """Whether an answer without words keeps everything asked: no comma, no such word, fewer than so many."""
    above = {"punctuation:no_comma", "keywords:forbidden_words"}
    return all(
        name in above or "less than" in given.values()
        for name, given in zip(row["instruction_id_list"], row["kwargs"], strict=True)
    )


def test_a_reference_may_be_json_text() -> None:
    text = json.dumps(reference(NO_COMMA, TITLE))
    assert InstructionVerifier().verify(["<<Tea>>"], [text])[0].is_correct


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("{", "the reference is not the JSON text of a mapping"),
        (7, "the reference is int; expected a mapping with instruction_id_list and kwargs"),
        ({"instruction_id_list": ["a"]}, "must be two lists of the same length"),
        ({"instruction_id_list": [], "kwargs": []}, "instruction_id_list is empty"),
        (reference(("punctuation:no_commas", {})), "did you mean 'punctuation:no_comma'"),
        (reference(("zzz", {})), "there are 83 types"),
        (reference(("punctuation:no_comma", {"n": 1})), "takes no arguments, not n"),
        (reference(("count:numbers", {})), "count:numbers needs N"),
        (reference(("count:numbers", {"N": 2.5})), "N of count:numbers is 2.5; expected a whole number"),
        (reference(("keywords:existence", {"keywords": "cat"})), "expected a list of texts"),
        (reference(("keywords:existence", {"keywords": "[1"})), "keywords of keywords:existence is '[1'"),
        (
            reference(("startend:end_checker", {"end_phrase": " "})),
            "end_phrase of startend:end_checker is ' '; expected a text",
        ),
        (
            reference(("length_constraints:number_words", {"relation": "about", "num_words": 3})),
            "the relation is 'about'; expected one of at least",
        ),
        (
            reference(("keywords:letter_frequency", {"letter": "ab", "let_relation": "at least", "let_frequency": 1})),
            "letter is 'ab'; expected one character",
        ),
        (reference(("language:response_language", {"language": "xx"})), "language is 'xx'; expected an ISO 639-1 code"),
        (
            reference(
                (
                    "length_constraints:nth_paragraph_first_word",
                    {"num_paragraphs": 2, "nth_paragraph": 3, "first_word": "a"},
                )
            ),
            "nth_paragraph is 3 of 2; expected 1 to 2",
        ),
        (reference(("format:options", {"options": "yes"})), "options is 'yes'; expected several"),
        (
            reference(("repeat:repeat_span", {"prompt_to_repeat": "a b", "n_start": 1, "n_end": 2})),
            "n_start is 1 and n_end 2; expected indices of 2 words",
        ),
        ({"instruction_id_list": ["a"], "kwargs": [3]}, "the kwargs of a are 3; expected a mapping"),
    ],
)
def test_a_broken_reference_has_no_score_and_says_why(broken: Any, why: str) -> None:
    result = InstructionVerifier().verify(["Some text."], [broken])[0]
    assert result.verdict is Verdict.BAD_REFERENCE
    assert why in result.reason


def test_the_score_is_the_share_of_constraints_kept() -> None:
    result = judge("Tea, warm", NO_COMMA, TITLE, ("keywords:existence", {"keywords": ["tea"]}))
    assert result.verdict is Verdict.PARTIAL
    assert result.score == pytest.approx(1 / 3)
    assert result.parts == {NO_COMMA[0]: 0.0, TITLE[0]: 0.0, "keywords:existence": 1.0}
    assert result.details["broken"][NO_COMMA[0]] == "1 commas"
    assert judge("Tea, warm <<T>>", NO_COMMA, TITLE, partial=False).score == 0.0


def test_the_same_type_twice_is_two_parts() -> None:
    result = judge("cat", *(("keywords:existence", {"keywords": [word]}) for word in ("cat", "dog", "cat")))
    assert result.parts == {"keywords:existence": 1.0, "keywords:existence#2": 0.0, "keywords:existence#3": 1.0}


def test_loose_forgives_a_first_line_a_last_line_and_asterisks() -> None:
    upper: tuple[str, dict[str, Any]] = ("change_case:english_capital", {})
    text = "Sure, here it is:\nTHE SUN IS BRIGHT TODAY.\nHope this helps!"
    assert not judge(text, upper).is_correct
    assert judge(text, upper, loose=True).is_correct
    wrapped = '**"A whole answer."**'
    assert not judge(wrapped, ("startend:quotation", {})).is_correct
    assert judge(wrapped, ("startend:quotation", {}), loose=True).is_correct
    assert not judge("Sure.\n\n", upper, loose=True).is_correct


def test_there_are_at_most_eight_loose_readings_and_none_is_empty() -> None:
    assert len(loose_readings("a*\n*b*\nc*")) == 8
    assert loose_readings("one") == ["one"]


def test_reasoning_is_not_judged() -> None:
    assert judge("<think>well, hmm</think>Tea", NO_COMMA).is_correct
    assert judge("<think>well, hmm", NO_COMMA).verdict is Verdict.NO_ANSWER
