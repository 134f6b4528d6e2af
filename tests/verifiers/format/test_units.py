"""How words, sentences and paragraphs are counted, and where a final answer stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.verifiers.format.final import boxed, claims, final_text, retracted, tagged
from assay.verifiers.format.instructions.emoji import ends_in_emoji
from assay.verifiers.format.instructions.keywords import hidden_occurrences, occurrences
from assay.verifiers.format.instructions.lexicon import is_verb
from assay.verifiers.format.instructions.syllables import syllables
from assay.verifiers.format.units import paragraphs, sentences, terminator, visible, words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("well-known don't 3.14", ["well-known", "don't", "3.14"]),
        ("one—two/three…four", ["one", "two", "three", "four"]),
        ('(a) [b] *c* "d"', ["a", "b", "c", "d"]),
        ("- * # 😀 ...", []),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा"]),
        ("日本語 です。", ["日本語", "です"]),
        ("", []),
    ],
)
def test_words(text: str, wanted: list[str]) -> None:
    assert words(text) == wanted


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three? Four…", 4),
        ("Mr. J. R. Smith, e.g. at 3.5 p.m. in the U.S. office.", 1),
        ("He left at 5 p.m. She stayed.", 2),
        ("It was me and I. Then you.", 2),
        ('"Stop!" he said. "Go."', 3),
        ("No end mark", 1),
        ("A title\n\nA text.", 2),
        ("# Title\nText one. Text two.", 3),
        ("* item one\n* item two\n1. item three", 3),
        ("Hello 😀. Bye! 🎉 Again", 3),
        ("今日は。明日も！", 2),
        ("... !!! ???", 0),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_paragraphs_are_separated_by_blank_lines() -> None:
    assert paragraphs("\n\na\nb\n \nc\n\n\n") == ["a\nb", "c"]


@pytest.mark.parametrize(
    ("sentence", "marks"), [("Go.", "."), ("What?! 😀", "?!"), ('"Go."', "."), ("Go", ""), ("", "")]
)
def test_the_mark_at_the_end(sentence: str, marks: str) -> None:
    assert terminator(sentence) == marks


def test_only_what_prints_nothing_is_removed() -> None:
    assert visible("a\u200bb\u202ec\ufeff") == "abc"
    assert visible("می\u200cخواهم 👨\u200d👩") == "می\u200cخواهم 👨\u200d👩"


@given(st.text(max_size=300))
def test_sentences_hold_exactly_the_words_of_the_text(text: str) -> None:
    from_sentences = [word for sentence in sentences(text) for word in words(sentence)]
    # A list's number ("1.") is a word of the text and none of a sentence.
    assert len(from_sentences) <= len(words(text))


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (r"\boxed{1}", ["1"]),
        (r"\boxed{\frac{1}{2}} and \boxed{3}", [r"\frac{1}{2}", "3"]),
        (r"\boxed{a \boxed{b}}", [r"a \boxed{b}"]),
        (r"\boxed{ \boxed{b}", ["b"]),
        (r"\boxed{\{1\}}", [r"\{1\}"]),
        (r"\fbox {x}", ["x"]),
        (r"\boxed{", []),
        ("}}}{{{", []),
    ],
)
def test_boxes(text: str, contents: list[str]) -> None:
    assert [content for _, _, content in boxed(text)] == contents


def test_slots_and_claims_come_with_their_places() -> None:
    text = "The answer is 3\n<answer>4</answer><answer>5"
    assert [text[start:end] for start, end, _ in claims(text)] == ["answer is 3"]
    assert [text[start:end] for start, end, _ in tagged(text)] == ["<answer>4</answer>"]


def test_reasoning_ends_at_its_last_closing_tag() -> None:
    assert final_text("a</think>b</think>c") == "c"
    assert final_text("a") == "a"
    assert final_text(" <think>a") is None


@pytest.mark.parametrize(
    "text", ["that is wrong", "I take it back", "No, wait", "scratch that", "On second thought", "I was wrong"]
)
def test_what_takes_an_answer_back(text: str) -> None:
    assert retracted(f"Hmm. {text}.")


@pytest.mark.parametrize("text", ["I hope it is correct.", "This follows from (2).", "The wrong way would be longer."])
def test_what_does_not(text: str) -> None:
    assert not retracted(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a 😀", True), ("1️⃣", True), ("🇩🇪", True), ("👍🏽 ", True), ("1", False), ("★", True), ("x", False), ("", False)],
)
def test_emoji(text: str, wanted: bool) -> None:
    assert ends_in_emoji(text) is wanted


def test_keywords_are_whole_words_honestly_spelled_or_not() -> None:
    assert occurrences("New\n  york, new york!", "New York") == 2
    assert occurrences("C++ and c++x", "C++") == 2
    assert occurrences("b\u0430d", "bad") == 0
    assert hidden_occurrences("b\u0430d ｂａｄ", "bad") == 2


@pytest.mark.parametrize(
    "word", ["run", "running", "ran", "runs", "studied", "making", "planned", "let's", "is", "DANCES", "stopped"]
)
def test_verbs_in_their_forms(word: str) -> None:
    assert is_verb(word)


@pytest.mark.parametrize("word", ["the", "beautiful", "xyzzy", "of", "42", "king"])
def test_words_that_are_no_verbs(word: str) -> None:
    assert not is_verb(word)


@pytest.mark.parametrize(
    ("count", "group"),
    [
        (1, ["cat", "strengths", "walked", "makes", "the"]),
        (2, ["table", "poem", "open", "garden", "wanted", "boxes"]),
        (3, ["banana", "remember", "beautiful"]),
        (4, ["information", "dictionary", "education"]),
    ],
)
def test_syllables(count: int, group: list[str]) -> None:
    assert [syllables(word) for word in group] == [count] * len(group)
