"""The instruction types of IFEval (Zhou et al. 2023, https://arxiv.org/abs/2311.07911, table 1) but those about form.

Written from the instructions' words. Where they leave room, the check is the one that no empty or padded text passes;
docs/decisions/0060-instructions-mean-their-words.md lists where that differs from the published program.
"""

from __future__ import annotations

import re

from ....errors import InputError
from ..language import language_of, languages, script_counts
from ..units import paragraphs, sentences, words
from .constraint import Checks, compare
from .keywords import hidden_occurrences, occurrences

IFEVAL = Checks()
_COMMAS = ",،，、﹐﹑︐︑⸲⸴、"
_DIVIDER = re.compile(r"[ \t]*\*{3}[ \t]*\Z")


@IFEVAL.named("keywords:existence")
def existence(text: str, *, keywords: list[str]) -> str:
    """Include all keywords: whole words, case ignored."""
    missing = [keyword for keyword in keywords if not occurrences(text, keyword)]
    return f"missing: {', '.join(missing)}" if missing else ""


@IFEVAL.named("keywords:frequency")
def frequency(text: str, *, keyword: str, relation: str, frequency: int) -> str:
    """A keyword a number of times: whole words, case ignored."""
    return compare(occurrences(text, keyword), relation, frequency, f"times {keyword!r}")


@IFEVAL.named("keywords:forbidden_words")
def forbidden_words(text: str, *, forbidden_words: list[str]) -> str:
    """None of the words, not even spelled with look-alike letters."""
    found = [word for word in forbidden_words if hidden_occurrences(text, word)]
    return f"forbidden: {', '.join(found)}" if found else ""


@IFEVAL.named("keywords:letter_frequency")
def letter_frequency(text: str, *, letter: str, let_relation: str, let_frequency: int) -> str:
    """A letter (or sign) a number of times, case ignored."""
    if len(letter.strip()) != 1:
        raise InputError(f"letter is {letter!r}; expected one character")
    count = text.lower().count(letter.strip().lower())
    return compare(count, let_relation, let_frequency, f"times {letter!r}")


@IFEVAL.named("language:response_language")
def response_language(text: str, *, language: str) -> str:
    """In one language, an ISO 639-1 code; fewer than twelve letters of a script that languages share are too few."""
    if language not in languages():
        raise InputError(f"language is {language!r}; expected an ISO 639-1 code")
    found = language_of(text)
    return "" if found == language else f"the language is {found or 'not clear'}, expected {language}"


@IFEVAL.named("length_constraints:number_sentences")
def number_sentences(text: str, *, relation: str, num_sentences: int) -> str:
    """A number of sentences."""
    return compare(len(sentences(text)), relation, num_sentences, "sentences")


@IFEVAL.named("length_constraints:number_words")
def number_words(text: str, *, relation: str, num_words: int) -> str:
    """A number of words."""
    return compare(len(words(text)), relation, num_words, "words")


@IFEVAL.named("length_constraints:number_paragraphs")
def number_paragraphs(text: str, *, num_paragraphs: int) -> str:
    """Exactly so many non-empty paragraphs with the divider ``***`` between them."""
    parts = _split_at(text, _DIVIDER)
    if not all(words(part) for part in parts):
        return "an empty paragraph"
    return compare(len(parts), "exactly", num_paragraphs, "paragraphs")


@IFEVAL.named("length_constraints:nth_paragraph_first_word")
def nth_paragraph_first_word(text: str, *, num_paragraphs: int, nth_paragraph: int, first_word: str) -> str:
    """Exactly so many paragraphs with blank lines between them; the n-th begins with a word."""
    if not 1 <= nth_paragraph <= num_paragraphs:
        raise InputError(f"nth_paragraph is {nth_paragraph} of {num_paragraphs}; expected 1 to {num_paragraphs}")
    found = paragraphs(text)
    if len(found) != num_paragraphs:
        return f"{len(found)} paragraphs, expected {num_paragraphs}"
    first = next(iter(words(found[nth_paragraph - 1])), "")
    same = first.casefold() == first_word.strip().casefold()
    return "" if same else f"paragraph {nth_paragraph} begins with {first!r}, expected {first_word!r}"


@IFEVAL.named("combination:two_responses")
def two_responses(text: str) -> str:
    """Two different responses with ``******`` between them."""
    parts = [part.strip() for part in re.split(r"(?<!\*)\*{6}(?!\*)", text)]
    parts = parts[1:] if parts and not parts[0] else parts
    parts = parts[:-1] if parts and not parts[-1] else parts
    if len(parts) != 2:
        return f"{len(parts)} responses, expected two with ****** between them"
    first, second = (words(part.casefold()) for part in parts)
    return "" if first and second and first != second else "the two responses are the same or empty"


@IFEVAL.named("combination:repeat_prompt")
def repeat_prompt(text: str, *, prompt_to_repeat: str) -> str:
    """The request first, word for word (white space free, case ignored), then an answer."""
    request = prompt_to_repeat.casefold().split()
    tokens = text.casefold().split()
    if tokens[: len(request)] != request:
        return "it does not begin with the request"
    return "" if words(" ".join(tokens[len(request) :])) else "nothing follows the request"


@IFEVAL.named("startend:end_checker")
def end_checker(text: str, *, end_phrase: str) -> str:
    """The very end is the phrase, case ignored; a closing quotation mark after it is free."""
    end = text.strip().rstrip('"”*_ ').casefold()
    wanted = end_phrase.strip().rstrip('"”*_ ').casefold()
    return "" if end.endswith(wanted) else f"it does not end with {end_phrase.strip()!r}"


@IFEVAL.named("startend:quotation")
def quotation(text: str) -> str:
    """The whole response between double quotation marks."""
    body = text.strip()
    wrapped = len(body) > 2 and body[0] in '"“' and body[-1] in '"”' and bool(words(body))
    return "" if wrapped else "it is not wrapped in double quotation marks"


@IFEVAL.named("change_case:capital_word_frequency")
def capital_word_frequency(text: str, *, capital_relation: str, capital_frequency: int) -> str:
    """A number of words in capitals only."""
    return compare(sum(map(str.isupper, words(text))), capital_relation, capital_frequency, "words in capitals")


@IFEVAL.named("change_case:english_capital")
def english_capital(text: str) -> str:
    """English, in capital letters only."""
    return _english(text) or ("" if text == text.upper() else "there are lower-case letters")


@IFEVAL.named("change_case:english_lowercase")
def english_lowercase(text: str) -> str:
    """English, without capital letters."""
    return _english(text) or ("" if text == text.lower() else "there are capital letters")


@IFEVAL.named("punctuation:no_comma")
def no_comma(text: str) -> str:
    """No comma, nor a comma of another script."""
    count = sum(map(text.count, _COMMAS)) if not text.isascii() else text.count(",")
    return f"{count} commas" if count else ""


def _english(text: str) -> str:
    counts = script_counts(text)
    latin = counts.get("latin", 0)
    if not latin or latin * 10 < 9 * sum(counts.values()):
        return "it is not written in English letters"
    found = language_of(text)
    return "" if found in (None, "en") else f"the language is {found}, expected en"


def _split_at(text: str, divider: re.Pattern[str]) -> list[str]:
    """The parts between lines that are a divider; a divider at either end makes no empty part."""
    parts: list[list[str]] = [[]]
    for line in text.strip().splitlines():
        if divider.match(line):
            parts.append([])
        else:
            parts[-1].append(line)
    joined = ["\n".join(part).strip() for part in parts]
    return joined[bool(len(joined) > 1 and not joined[0]) : len(joined) - bool(len(joined) > 1 and not joined[-1])]
