"""IFEval: the instructions about form, "detectable content" and "detectable format" (see ``ifeval.py``)."""

from __future__ import annotations

import re

from ....errors import InputError
from ..json_format import read_json
from ..markdown import fences
from ..units import words
from .constraint import Checks, at_least, compare

IFEVAL_FORM = Checks()
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]*[^\[\]\s][^\[\]\n]*\]")
_BULLET = re.compile(r"[ \t]*(?:\*(?!\*)|-(?!-))[ \t]*\S", re.MULTILINE)
_HIGHLIGHT = re.compile(r"(?<!\*)\*([^*\n]+)\*(?!\*)|\*\*([^*\n]+)\*\*")
_TITLE = re.compile(r"<<([^<>\n]*)>>")
_MARKUP = " \t*_#>\"'“”‘"
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


@IFEVAL_FORM.named("detectable_content:number_placeholders")
def number_placeholders(text: str, *, num_placeholders: int) -> str:
    """At least so many placeholders like ``[address]``, none of them empty."""
    return at_least(len(_PLACEHOLDER.findall(text)), num_placeholders, "placeholders")


@IFEVAL_FORM.named("detectable_content:postscript")
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


@IFEVAL_FORM.named("detectable_format:number_bullet_lists")
def number_bullet_lists(text: str, *, num_bullets: int) -> str:
    """Exactly so many Markdown bullet points (``*`` or ``-``), none of them empty."""
    count = sum(bool(_BULLET.match(line) and words(line)) for line in text.splitlines())
    return compare(count, "exactly", num_bullets, "bullet points")


@IFEVAL_FORM.named("detectable_format:constrained_response")
def constrained_response(text: str) -> str:
    """Exactly one of the three answers allowed."""
    found = [answer for answer in _ANSWERS if answer.lower() in text.lower()]
    return "" if len(found) == 1 else f"{len(found)} of the answers allowed, expected one"


@IFEVAL_FORM.named("detectable_format:number_highlighted_sections")
def number_highlighted_sections(text: str, *, num_highlights: int) -> str:
    """At least so many passages between ``*`` or ``**``, none of them empty."""
    count = sum(bool(words(found[1] or found[2])) for found in _HIGHLIGHT.finditer(text))
    return at_least(count, num_highlights, "highlighted sections")


@IFEVAL_FORM.named("detectable_format:multiple_sections")
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


@IFEVAL_FORM.named("detectable_format:json_format")
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


@IFEVAL_FORM.named("detectable_format:title")
def title(text: str) -> str:
    """A title in double angular brackets: ``<<title>>``."""
    return "" if any(words(found) for found in _TITLE.findall(text)) else "no title between << and >>"
