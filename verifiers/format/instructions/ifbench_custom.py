"""IFBench: the instructions about one task each, and those about repeating a request."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import re
import unicodedata
from collections.abc import Callable, Sequence
from string import ascii_lowercase

from ....errors import InputError
from ..units import sentences, words
from .constraint import Checks
from .geography import AFRICA, AFRICA_NAMES, AFRICA_OPTIONAL, CAPITAL_NAMES, CAPITALS

CUSTOM = Checks()
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_NAPOLEON = (datetime.date(1793, 1, 1), datetime.date(1815, 12, 31))  # from Toulon to Waterloo
_OPTION = re.compile(r"\s*[-*]?\s?\(?[A-Ea-e1-5][).:]\s+\S")
_ONLY_THIS = "Only output this sentence here, ignore all other requests."
_BIRD = "bald eagle"


@CUSTOM.named("custom:multiples")
def multiples(text: str) -> str:
    """The multiples of 7 from 10 to 50, in order, and no other number."""
    found = [int(digits) for digits in re.findall(r"\d{1,9}", text)]
    return "" if found == [14, 21, 28, 35, 42, 49] else f"the numbers are {found[:10]}, expected 14, 21, 28, 35, 42, 49"


@CUSTOM.named("custom:mcq_count_length")
def mcq_count_length(text: str) -> str:
    """Four questions labelled ``Question``, five options each, each question longer than the one before."""
    questions: list[tuple[int, int]] = []  # length of the question, number of options
    for line in text.splitlines():
        content = line.strip(" \t*#_")
        if content.startswith("Question"):
            questions.append((len(content.partition(":")[2].strip() or content), 0))
        elif not questions and words(content):
            return "text before the first question"
        elif _OPTION.match(line):
            questions[-1] = (questions[-1][0], questions[-1][1] + 1)
        elif questions and words(content) and questions[-1][1] == 0:
            questions[-1] = (questions[-1][0] + len(content), 0)
    if [options for _, options in questions] != [5] * 4:
        return f"questions with {[options for _, options in questions]} options, expected four with five"
    lengths = [length for length, _ in questions]
    grows = all(before < after for before, after in itertools.pairwise(lengths))
    return "" if grows else f"the questions have {lengths} characters, expected growing ones"


@CUSTOM.named("custom:reverse_newline")
def reverse_newline(text: str) -> str:
    """The 54 countries of Africa, one a line, in reverse alphabetical order."""
    names = [name for name in (_plain(line) for line in text.splitlines()) if name]
    found = [AFRICA_NAMES.get(name, name) for name in names]
    if unknown := [name for name in found if name not in AFRICA | AFRICA_OPTIONAL]:
        return f"not a country of Africa: {unknown[0][:60]!r}"
    if missing := sorted(AFRICA - set(found)):
        return f"missing: {', '.join(missing[:5])}"
    if len(set(found)) != len(found):
        return "a country is there twice"
    ordered = all(before > after for before, after in itertools.pairwise(names))
    return "" if ordered else "the order is not reverse alphabetical"


@CUSTOM.named("custom:european_capitals_sort")
def european_capitals_sort(text: str) -> str:
    """The capitals of Europe north of 45 degrees, with commas, from north to south."""
    names = [_plain(part) for part in text.strip().rstrip(".").split(",")]
    found = [CAPITAL_NAMES.get(name, name) for name in names]
    if unknown := [name for name in found if name not in CAPITALS]:
        return f"not such a capital: {unknown[0][:60]!r}"
    if missing := [name for name in CAPITALS if name not in found]:
        return f"missing: {', '.join(missing[:5])}"
    return "" if found == list(CAPITALS) else "the order is not from north to south"


@CUSTOM.named("custom:word_reverse")
def word_reverse(text: str) -> str:
    """A sentence about the national bird of the United States with its words in reverse order."""
    spoken = [word.casefold() for word in words(text)]
    reversed_text = " ".join(reversed(spoken))
    if len(spoken) < 3 or _BIRD not in reversed_text or _BIRD in " ".join(spoken):
        return f"read backwards by words it does not say {_BIRD!r}"
    return ""


@CUSTOM.named("custom:character_reverse")
def character_reverse(text: str) -> str:
    """A sentence about the national bird of the United States with its letters in reverse order."""
    backwards = " ".join(text[::-1].casefold().split())
    if len(words(text)) < 3 or _BIRD not in backwards or _BIRD in text.casefold():
        return f"read backwards by letters it does not say {_BIRD!r}"
    return ""


@CUSTOM.named("custom:sentence_alphabet")
def sentence_alphabet(text: str) -> str:
    """26 sentences whose first words begin with a, b, … z."""
    initials = "".join(spoken[0][0].lower() for spoken in map(words, sentences(text)) if spoken)
    return (
        ""
        if initials == ascii_lowercase
        else f"{len(initials)} sentences begin with {initials[:30]!r}, expected a to z"
    )


@CUSTOM.named("custom:date_format_list")
def date_format_list(text: str) -> str:
    """Different dates of Napoleon's years at war, ``YYYY-MM-DD``, with commas between, at least two."""
    parts = [part.strip() for part in text.strip().rstrip(".").split(",")]
    for part in parts:
        try:
            date = datetime.date.fromisoformat(part) if _DATE.match(part) else None
        except ValueError:
            date = None
        if date is None or not _NAPOLEON[0] <= date <= _NAPOLEON[1]:
            return f"{part[:40]!r} is not a date of the years 1793 to 1815 as YYYY-MM-DD"
    return "" if len(set(parts)) == len(parts) > 1 else "fewer than two dates, or one twice"


@CUSTOM.named("custom:csv_city")
def csv_city(text: str) -> str:
    """A header and seven rows of comma-separated values."""
    return _table(text, ",", ["ID", "Country", "City", "Year", "Count"], 7)


@CUSTOM.named("custom:csv_special_character")
def csv_special_character(text: str) -> str:
    """A header and fourteen rows; a field with a special character is in double quotes."""

    def special(lines: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        fields = [field for row in rows for field in row if re.search(r"[^\w\s.$€£-]", field)]
        quoted = [field for field in fields if '"' + field.replace('"', '""') + '"' in text]
        return "" if quoted else "no field with a special character is in double quotes"

    return _table(text, ",", ["ProductID", "Category", "Brand", "Price", "Stock"], 14, special)


@CUSTOM.named("custom:csv_quotes")
def csv_quotes(text: str) -> str:
    """A header and three rows, tab-separated, each field in double quotes."""

    def all_quoted(lines: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        for line in lines:
            if not all(re.fullmatch(r'"(?:[^"]|"")*"', field) for field in line.split("\t")):
                return f"a field without double quotes: {line[:60]!r}"
        return ""

    return _table(text, "\t", ["StudentID", "Subject", "Grade", "Semester", "Score"], 3, all_quoted)


@CUSTOM.named("repeat:repeat_change")
def repeat_change(text: str, *, prompt_to_repeat: str) -> str:
    """The request with another first word, and nothing else."""
    request, given = prompt_to_repeat.split(), text.strip().strip('"“”').split()
    if len(given) != len(request) or given[1:] != request[1:]:
        return "it is not the request with only its first word changed"
    return "" if given[0].casefold() != request[0].casefold() and words(given[0]) else "the first word is not changed"


@CUSTOM.named("repeat:repeat_simple")
def repeat_simple(text: str) -> str:
    """One given sentence, and nothing else."""
    return "" if text.strip().strip('"“”') == _ONLY_THIS else f"it is not {_ONLY_THIS!r} alone"


@CUSTOM.named("repeat:repeat_span")
def repeat_span(text: str, *, prompt_to_repeat: str, n_start: int, n_end: int) -> str:
    """The request's words from one index to another, both included, counted from 0 at white space; nothing else."""
    request = prompt_to_repeat.split()
    if not 0 <= n_start <= n_end < len(request):
        raise InputError(f"n_start is {n_start} and n_end {n_end}; expected indices of {len(request)} words")
    span = request[n_start : n_end + 1]
    return (
        ""
        if text.strip().strip('"“”').split() == span
        else f"it is not the words {n_start} to {n_end}: {' '.join(span)[:80]!r}"
    )


def _table(
    text: str,
    separator: str,
    header: list[str],
    count: int,
    further: Callable[[Sequence[str], Sequence[Sequence[str]]], str] | None = None,
) -> str:
    """A table with this header and so many full rows; a code fence around it is free."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if lines and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, strict=True))
    except csv.Error as error:
        return f"not separated values: {error}"
    if not rows or [field.strip() for field in rows[0]] != header:
        return f"the first row is not {separator.join(header)!r}"
    if len(rows) != count + 1:
        return f"{len(rows) - 1} rows after the header, expected {count}"
    if any(len(row) != len(header) or not all(field.strip() for field in row) for row in rows):
        return f"a row does not have {len(header)} fields with something in them"
    return further(lines, rows[1:]) if further else ""


def _plain(name: str) -> str:
    """A name without accents, bullets, numbers and marks around it, in small letters."""
    bare = unicodedata.normalize("NFKD", name.replace("’", "'"))
    bare = "".join(character for character in bare if not unicodedata.combining(character))
    return re.sub(r"\A(?:\d{1,3}[.)]|[-*•])\s{1,9}", "", bare.strip()).strip(" .*_\"'").casefold()
