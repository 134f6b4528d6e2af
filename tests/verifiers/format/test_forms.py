"""Length, fences, boxes, Markdown structure and language."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers.base import Verifier
from assay.verifiers.conformance import VerifierConformance
from assay.verifiers.format import BoxedFormat, CodeFence, LanguageFormat, LengthFormat, MarkdownFormat
from assay.verifiers.format.language import language_of
from assay.verifiers.format.markdown import fences


class TestLengthFormatConforms(VerifierConformance):
    verifier = LengthFormat("words", least=2, most=3)
    examples = (
        ("two words", None, Verdict.CORRECT),
        ("one", None, Verdict.INCORRECT),
        ("one", 1, Verdict.CORRECT),
        ("one", (3, 2), Verdict.BAD_REFERENCE),
    )


class TestCodeFenceConforms(VerifierConformance):
    verifier = CodeFence("python")
    examples = (
        ("```python\nx\n```", None, Verdict.CORRECT),
        ("```c\nx\n```", None, Verdict.INCORRECT),
        ("```c\nx\n```", "c", Verdict.CORRECT),
        ("x", None, Verdict.NO_ANSWER),
    )


class TestBoxedFormatConforms(VerifierConformance):
    verifier = BoxedFormat()
    examples = ((r"\boxed{1}", None, Verdict.CORRECT), (r"\boxed{1}\boxed{2}", None, Verdict.INCORRECT))


class TestMarkdownFormatConforms(VerifierConformance):
    verifier = MarkdownFormat(headings=1, bullets=1)
    examples = (
        ("# A\n- b", None, Verdict.CORRECT),
        ("# A", None, Verdict.PARTIAL),
        ("A", None, Verdict.INCORRECT),
        ("", None, Verdict.NO_ANSWER),
    )


class TestLanguageFormatConforms(VerifierConformance):
    verifier = LanguageFormat("en")
    examples = (
        ("This is a plain English sentence.", None, Verdict.CORRECT),
        ("Dies ist ein deutscher Satz.", None, Verdict.INCORRECT),
        ("Dies ist ein deutscher Satz.", "de", Verdict.CORRECT),
        ("42", None, Verdict.NO_ANSWER),
    )


def judge(verifier: Verifier[Any], text: str, reference: Any = None, **columns: Any) -> Result:
    return verifier.verify([text], [reference], **{name: [value] for name, value in columns.items()})[0]


@pytest.mark.parametrize(
    ("unit", "text", "count"),
    [("characters", " añb ", 3), ("words", "a b-c", 2), ("sentences", "Go. Up!", 2), ("paragraphs", "a\n\nb", 2)],
)
def test_each_unit_is_counted(unit: str, text: str, count: int) -> None:
    assert judge(LengthFormat(unit, most=9), text).details == {"count": count, "unit": unit}
    assert judge(LengthFormat(unit, least=count, most=count), text).is_correct
    assert judge(LengthFormat(unit, least=count + 1), text).reason == f"{count} {unit}, expected at least {count + 1}"


class _Letters:
    """A tokenizer whose tokens are characters."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return list(map(ord, text))


def test_tokens_are_the_tokenizers() -> None:
    assert judge(LengthFormat("tokens", most=3, tokenizer=_Letters()), "abcd").reason == "4 tokens, expected at most 3"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"unit": "lines"}, "unit is 'lines'; expected one of characters"),
        ({"unit": "tokens", "most": 1}, "a tokenizer goes with unit='tokens'"),
        ({"unit": "words", "most": 1, "tokenizer": _Letters()}, "a tokenizer goes with unit='tokens'"),
        ({}, "neither a smallest nor a largest count is given"),
        ({"least": 3, "most": 2}, "no text has a count between 3 and 2"),
        ({"most": -1}, "no text has a count between None and -1"),
    ],
)
def test_lengths_that_make_no_sense_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        LengthFormat(**options)


@pytest.mark.parametrize("reference", ["3", True, (1,), (1, "2"), (None, None)])
def test_a_length_reference_that_is_none_has_no_score(reference: Any) -> None:
    assert judge(LengthFormat(most=3), "a", reference).verdict is Verdict.BAD_REFERENCE


def test_a_length_reference_may_be_a_pair_with_an_open_end() -> None:
    verifier = LengthFormat(most=1)
    assert judge(verifier, "a b c", (2, None)).is_correct
    assert judge(verifier, "a b c", (None, 2)).reason == "3 words, expected at most 2"
    assert judge(verifier, "a b c", 2).reason == "3 words, expected exactly 2"
    assert judge(verifier, "a b c", (1, 2)).reason == "3 words, expected 1 to 2"


def test_fences_are_read_as_commonmark_reads_them() -> None:
    assert fences("````md\n```\n````") == [("md", "```", True)]
    assert fences("~~~ sh x\na\n~~~") == [("sh", "a", True)]
    assert fences("```py\na\n``") == [("py", "a\n``", False)]
    assert fences("```a```\nb") == []
    assert [fence.code for fence in fences("```\n1\n```\n```\n2\n```")] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```python\nx", "the last code fence is not closed"),
        ("```python\nx\n```\n```python\ny\n```", "2 code fences, expected 1"),
        ("```\nx\n```", "a fence says '', expected 'python'"),
        ("Sure:\n```python\nx\n```", "text outside the code fences"),
    ],
)
def test_each_way_to_break_a_fence_is_named(text: str, why: str) -> None:
    assert judge(CodeFence("python", alone=True), text).reason == why


def test_any_number_of_fences_and_any_language() -> None:
    assert judge(CodeFence(count=None), "```\nx\n```\n```c\ny\n```").answer == "y"
    assert judge(CodeFence(), "a", 5).verdict is Verdict.BAD_REFERENCE
    with pytest.raises(InputError, match="count is 0; expected a positive number"):
        CodeFence(count=0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"\boxed{", r"there is no closed \boxed{…}"),
        (r"\boxed{ }", "the last box is empty"),
        (r"\boxed{1}\boxed{2}", "2 boxes, expected one"),
        ("<think>", "the reasoning never ends"),
    ],
)
def test_each_way_to_break_a_box_is_named(text: str, why: str) -> None:
    assert judge(BoxedFormat(), text).reason == why


def test_several_boxes_may_be_allowed() -> None:
    assert judge(BoxedFormat(several=True), r"\boxed{1}\boxed{2}").answer == "2"


DOCUMENT = """# Title
## Plan
- one
* two
1. first
| a | b |
|---|---|
| 1 | 2 |
```
# not a heading
- not a bullet
```
## Result
Text."""


def test_markdown_is_counted_outside_fences() -> None:
    exact: dict[str, Any] = {"headings": 3, "bullets": 2, "numbered": 1, "tables": 1}
    assert judge(MarkdownFormat(**exact, sections=("plan", "Result"), levels_in_order=True), DOCUMENT).is_correct
    for name, count in exact.items():
        result = judge(MarkdownFormat(**{**exact, name: count + 1}), DOCUMENT)
        assert result.reason == f"not met: {name}"
        assert result.score == pytest.approx(3 / 4)


def test_sections_come_in_order_and_levels_without_leaps() -> None:
    assert judge(MarkdownFormat(sections=("Result", "Plan")), DOCUMENT).reason == "not met: sections"
    assert judge(MarkdownFormat(levels_in_order=True), "# A\n### B").reason == "not met: levels_in_order"
    assert judge(MarkdownFormat(levels_in_order=True), "text").reason == "not met: levels_in_order"


def test_markdown_without_a_requirement_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is required"):
        MarkdownFormat()
    with pytest.raises(InputError, match="is negative; expected 0 or more"):
        MarkdownFormat(headings=-1)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Dies ist ein Satz über den Hund.", "de"),
        ("Questa è una frase in italiano.", "it"),
        ("यह एक परीक्षा है और मैं हिंदी में लिखता हूँ।", "hi"),
        ("मी मराठीत लिहितो आणि वाचतो.", "mr"),
        ("این یک جمله به زبان فارسی است.", "fa"),
        ("Това е изречение на български език.", "bg"),
        ("Tämä on suomenkielinen lause.", "fi"),
        ("한국어 문장입니다.", "ko"),
        ("ಕನ್ನಡ", "kn"),
        ("これは日本語の文です。", "ja"),
        ("这是一个中文句子。", "zh"),
        ("THIS IS A SENTENCE IN CAPITALS.", "en"),
        ("x = 1 + 2", None),
        ("", None),
    ],
)
def test_languages_are_told_apart(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_the_language_is_the_prompts_unless_one_is_given() -> None:
    german, english = "Was ist die Hauptstadt von Frankreich?", "The capital of France is Paris, of course."
    assert judge(LanguageFormat(), english, prompt=german).reason == "the language is en, expected de"
    messages = [{"role": "user", "content": german}]
    assert judge(LanguageFormat(), "Die Hauptstadt von Frankreich ist Paris.", prompts=messages).is_correct
    assert judge(LanguageFormat(), english).verdict is Verdict.BAD_REFERENCE
    assert judge(LanguageFormat(), english, "xx").verdict is Verdict.BAD_REFERENCE


def test_reasoning_in_another_script_scores_its_share() -> None:
    result = judge(
        LanguageFormat("en"), "<think>我们来想一想这个问题</think>The capital of France is Paris, a city on the Seine."
    )
    assert result.verdict is Verdict.PARTIAL
    assert result.score == result.parts["script"]
    assert 0.7 < (result.score or 0) < 0.95


def test_code_and_formulas_are_of_no_language() -> None:
    text = "```\nфункция = 1\n```\nThis sentence is English, with $\\alpha = 1$."
    assert judge(LanguageFormat("en"), text).is_correct


def test_languages_that_do_not_exist_are_refused() -> None:
    with pytest.raises(InputError, match="language is 'english'; expected an ISO 639-1 code"):
        LanguageFormat("english")
    with pytest.raises(InputError, match="share is 0; expected a share"):
        LanguageFormat("en", share=0)
