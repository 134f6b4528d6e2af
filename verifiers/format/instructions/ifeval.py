"""The 25 instruction types of IFEval (Zhou et al. 2023, https://arxiv.org/abs/2311.07911, table 1).

Written from the instructions' words. Where they leave room, the check is the one that no empty or padded text passes;
docs/decisions/0060-instructions-mean-their-words.md lists where that differs from the published program.
"""

from __future__ import annotations

import re

from ....errors import InputError
from ..json_format import read_json
from ..language import language_of, languages, script_counts
from ..markdown import fences
from ..units import paragraphs, sentences, words
from .constraint import Checks, at_least, compare
from .keywords import hidden_occurrences, occurrences

IFEVAL = Checks()
_COMMAS = ",،，、﹐﹑︐︑⸲⸴、"
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]*[^\[\]\s][^\[\]\n]*\]")
_BULLET = re.compile(r"[ \t]*(?:\*(?!\*)|-(?!-))[ \t]*\S", re.MULTILINE)
_HIGHLIGHT = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)|\*\*([^*\n]+)\*\*")
_TITLE = re.compile(r"<<([^<>\n]*)>>")
_DIVIDER = re.compile(r"[ \t]*\*{3}[ \t]*\Z")
_MARKUP = " \t*_#>\"'“”‘"
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


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


@IFEVAL.named("detectable_content:number_placeholders")
def number_placeholders(text: str, *, num_placeholders: int) -> str:
    """At least so many placeholders like ``[address]``, none of them empty."""
    return at_least(len(_PLACEHOLDER.findall(text)), num_placeholders, "placeholders")


@IFEVAL.named("detectable_content:postscript")
def postscript(text: str, *, postscript_marker: str) -> str:
    """A line that begins with the marker (``P.S.``, ``P.P.S``) and says something after it."""
    letters = re.sub(r"[^A-Za-z]", "", postscript_marker)
    dotted = r"\.?\s?".join(letters) + r"(?![A-Za-z])\.?" if letters.isupper() and "." in postscript_marker else None
    pattern = re.compile(dotted or re.escape(postscript_marker.strip()), re.IGNORECASE)
    for line in reversed(text.splitlines()):
        content = line.lstrip(_MARKUP)
        found = pattern.match(content)
        if found:
            return "" if words(content[found.end() :]) or words(text.rpartition(line)[2]) else "the postscript is empty"
    return f"no line begins with {postscript_marker}"


@IFEVAL.named("detectable_format:number_bullet_lists")
def number_bullet_lists(text: str, *, num_bullets: int) -> str:
    """Exactly so many Markdown bullet points (``*`` or ``-``), none of them empty."""
    count = sum(bool(_BULLET.match(line) and words(line)) for line in text.splitlines())
    return compare(count, "exactly", num_bullets, "bullet points")


@IFEVAL.named("detectable_format:constrained_response")
def constrained_response(text: str) -> str:
    """Exactly one of the three answers allowed."""
    found = [answer for answer in _ANSWERS if answer.lower() in text.lower()]
    return "" if len(found) == 1 else f"{len(found)} of the answers allowed, expected one"


@IFEVAL.named("detectable_format:number_highlighted_sections")
def number_highlighted_sections(text: str, *, num_highlights: int) -> str:
    """At least so many passages between ``*`` or ``**``, none of them empty."""
    count = sum(bool(words(found[1] or found[2])) for found in _HIGHLIGHT.finditer(text))
    return at_least(count, num_highlights, "highlighted sections")


@IFEVAL.named("detectable_format:multiple_sections")
def multiple_sections(text: str, *, section_spliter: str, num_sections: int) -> str:
    """At least so many sections that begin with the mark and a number of their own, none of them empty."""
    mark = re.compile(rf"{re.escape(section_spliter.strip())}\s?(\d{{1,6}})(?!\w)")
    found: dict[str, bool] = {}
    current = ""
    for line in text.splitlines():
        content = line.lstrip(_MARKUP)
        begins = mark.match(content)
        if begins:
            current = begins[1]
            content = content[begins.end() :]
            found.setdefault(current, False)
        if current and words(content):
            found[current] = True
    return at_least(sum(found.values()), num_sections, f"sections marked {section_spliter!r} and a number")


@IFEVAL.named("detectable_format:json_format")
def json_format(text: str) -> str:
    """The entire output is one JSON object or array, in a code fence or not."""
    blocks = fences(text)
    body = text.strip()
    if body.startswith("```") and len(blocks) == 1 and blocks[0].closed and body.endswith("```"):
        body = blocks[0].code.strip()
    flaws: list[str] = []
    try:
        value, end = read_json(body, flaws)
    except InputError as error:
        return str(error)
    if flaws or body[end:].strip():
        return flaws[0] if flaws else "text after the JSON value"
    return "" if isinstance(value, dict | list) and value else "not a JSON object or array with something in it"


@IFEVAL.named("detectable_format:title")
def title(text: str) -> str:
    """A title in double angular brackets: ``<<title>>``."""
    return "" if any(words(found) for found in _TITLE.findall(text)) else "no title between << and >>"


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
