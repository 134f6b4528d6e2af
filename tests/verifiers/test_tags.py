"""Tag grammars, the ways to break them, and the ways to cheat on them."""

from __future__ import annotations

import pytest

from assay import Verdict
from assay.errors import InputError
from assay.verifiers import TagFormat
from assay.verifiers.conformance import VerifierConformance


class TestTagFormatConforms(VerifierConformance):
    verifier = TagFormat()
    examples = [
        ("<think>a</think><answer>b</answer>", None, Verdict.CORRECT),
        ("<answer>b</answer>", None, Verdict.INCORRECT),
    ]


def reason(text: str, verifier: TagFormat | None = None) -> str:
    result = (verifier or TagFormat()).verify([text], [None])[0]
    return "" if result.is_correct else result.reason


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think><answer>b</answer>",
        "  <think>\na\n</think>\n\n<answer> b </answer>\n",
        "<think></think><answer></answer>",
        "<think>1 < 2 and <b>bold</b></think><answer>2 > 1</answer>",
    ],
)
def test_the_whole_grammar_passes(text: str) -> None:
    assert reason(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "<think> is missing"),
        ("<think>a", "</think> is missing"),
        ("<think>a</think>", "<answer> is missing"),
        ("<think>a</think><answer>b", "</answer> is missing"),
        ("<answer>b</answer><think>a</think>", "expected <think>, found <answer>"),
        ("<think>a<answer>b</answer></think>", "expected </think>, found <answer>"),
        ("<think><think>a</think></think><answer>b</answer>", "expected </think>, found <think>"),
        ("<think>a</think><answer>b</answer><answer>c</answer>", "<answer> comes after the last tag closed"),
        ("<think>a</think>so<answer>b</answer>", "text outside the tags: 'so'"),
        ("Sure! <think>a</think><answer>b</answer> bye", "text outside the tags: 'Sure! bye'"),
        ("<THINK>a</THINK><answer>b</answer>", "expected <think>, found <answer>"),
        ("a</think><answer>b</answer>", "expected <think>, found </think>"),
        ("<think>the <answer> tag comes next</think><answer>b</answer>", "expected </think>, found <answer>"),
    ],
)
def test_each_way_to_break_it_is_named(text: str, why: str) -> None:
    assert reason(text) == why


def test_a_prefilled_opening_tag_may_be_absent_or_repeated() -> None:
    prefilled = TagFormat(prefilled=True)
    assert reason("a</think><answer>b</answer>", prefilled) == ""
    assert reason("<think>a</think><answer>b</answer>", prefilled) == ""
    assert reason("a<think>b</think><answer>c</answer>", prefilled) == "expected </think>, found <think>"


def test_the_answer_is_the_content_of_the_tag_named() -> None:
    text = "<plan>p</plan><code>c</code><notes>n</notes>"
    assert TagFormat("plan", "code", "notes", answer="code").verify([text], [None])[0].answer == "c"
    assert TagFormat("plan", "code", "notes").verify([text], [None])[0].answer == "n"


def test_a_grammar_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="'a b' is not a tag name"):
        TagFormat("a b")
    with pytest.raises(InputError, match="a tag is named twice"):
        TagFormat("a", "a")
    with pytest.raises(InputError, match="answer='c' is not one of the tags"):
        TagFormat("a", "b", answer="c")
