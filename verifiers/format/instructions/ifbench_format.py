"""IFBench: the instructions about form."""

from __future__ import annotations

import itertools
import re

from ....errors import InputError
from ..units import sentences, terminator, words
from .constraint import Checks, at_least
from .emoji import ends_in_emoji
from .lexicon import SMALL_IN_TITLES

FORMAT = Checks()
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣◦]|\d{1,3}[.)])[ \t]+\S")
_ITALIC = re.compile(r"<(i|em)\b[^<>]{0,200}>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+\S.*|<h[1-6]\b[^<>]{0,200}>.*</h[1-6]>[ \t]*)\Z", re.IGNORECASE)
_LABEL = re.compile(r"\[?\b(My Answer|My Conclusion|Future Outlook)\s?:", re.IGNORECASE)
_LABELS = ["my answer", "my conclusion", "future outlook"]
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_QUOTES = str.maketrans("“”„‟‘’‚‛", "\"\"\"\"''''")


@FORMAT.named("format:emoji")
def emoji(text: str) -> str:
    """Each sentence ends with an emoji, before or after its closing mark."""
    found = sentences(text)
    if not found:
        return "there is no sentence"
    for sentence in found:
        if not ends_in_emoji(sentence) and not ends_in_emoji(sentence.rstrip(".!?…\"'”’) ")):
            return f"no emoji at the end of {sentence[-60:]!r}"
    return ""


@FORMAT.named("format:line_indent")
def line_indent(text: str) -> str:
    """Each line is indented more than the one before."""
    indents = [len(line) - len(line.lstrip()) for line in text.expandtabs(4).splitlines() if line.strip()]
    if len(indents) < 2:
        return f"{len(indents)} lines, expected at least two"
    steps = itertools.pairwise(indents)
    wrong = next((index for index, (before, after) in enumerate(steps, start=2) if after <= before), None)
    return "" if wrong is None else f"line {wrong} is not indented more than the one before"


@FORMAT.named("format:list")
def listed(text: str, *, sep: str) -> str:
    """At least two lines that begin with the mark, and none with another bullet or number."""
    mark = sep.strip()
    count = 0
    for line in text.splitlines():
        content = line.strip()
        if content.startswith(mark) and words(content[len(mark) :]):
            count += 1
        elif _BULLET.match(line):
            return f"a line with another bullet: {content[:40]!r}"
    return at_least(count, 2, f"items that begin with {mark!r}")


@FORMAT.named("format:newline")
def newline(text: str) -> str:
    """One word on each line, at least two lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return f"{len(lines)} lines, expected at least two"
    wrong = next((line for line in lines if len(line.split()) != 1 or not words(line)), None)
    return "" if wrong is None else f"not one word: {wrong.strip()[:60]!r}"


@FORMAT.named("format:no_bullets_bullets")
def no_bullets_bullets(text: str) -> str:
    """At least two sentences that end in a period, then at least two bullet points with ``*``."""
    lines = text.splitlines()
    stars = [index for index, line in enumerate(lines) if re.match(r"[ \t]*\*(?!\*)[ \t]*\S", line) and words(line)]
    if len(stars) < 2:
        return f"{len(stars)} bullet points with *, expected at least two"
    before = [sentence for sentence in sentences("\n".join(lines[: stars[0]])) if terminator(sentence) == "."]
    return at_least(len(before), 2, "sentences that end in a period before the bullet points")


@FORMAT.named("format:sub-bullets")
def sub_bullets(text: str) -> str:
    """Bullet points with ``*``, each followed by at least one sub-bullet with ``-``."""
    subs: list[int] = []
    for line in text.splitlines():
        content = line.strip()
        if content.startswith("*") and not content.startswith("**") and words(content):
            subs.append(0)
        elif content.startswith("-") and subs and words(content):
            subs[-1] += 1
    if not subs:
        return "no bullet point with *"
    return "" if all(subs) else f"bullet point {subs.index(0) + 1} has no sub-bullet with -"


@FORMAT.named("format:no_whitespace")
def no_whitespace(text: str) -> str:
    """No white space between the first character and the last."""
    return "" if words(text) and len(text.split()) == 1 else "there is white space"


@FORMAT.named("format:options")
def options(text: str, *, options: str) -> str:
    """Exactly one of the options and nothing else; punctuation around it is free."""
    choices = _options(options)
    spoken = " ".join(words(text.replace("’", "'").casefold()))
    matches = [choice for choice in choices if spoken == " ".join(words(choice.casefold()))]
    return "" if matches else f"{text.strip()[:60]!r} is none of {', '.join(choices)}"


@FORMAT.named("format:output_template")
def output_template(text: str) -> str:
    """``My Answer: … My Conclusion: … Future Outlook: …`` in this order, each once and with words of its own."""
    marks = list(_LABEL.finditer(text))
    if [mark[1].lower() for mark in marks] != _LABELS:
        return "the labels My Answer, My Conclusion and Future Outlook do not come once each, in this order"
    if words(text[: marks[0].start()]):
        return "text before My Answer"
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        content = words(text[mark.end() : end])
        if not content or content in (["answer"], ["conclusion"], ["outlook"]):
            return f"nothing after {mark[1]}"
    return ""


@FORMAT.named("format:parentheses")
def parentheses(text: str) -> str:
    """Brackets of any kind nested at least five deep, with words inside, and closed properly."""
    stack: list[str] = []
    opened = deepest = 0
    for index, character in enumerate(text):
        if character in _CLOSING:
            stack.append(_CLOSING[character])
            opened = index
        elif character in _CLOSING.values():
            if not stack or stack.pop() != character:
                stack.clear()
                continue
            # Deep only counts when the innermost pair holds a word.
            if len(stack) + 1 > deepest and words(text[opened + 1 : index][:1000]):
                deepest = len(stack) + 1
    return at_least(deepest, 5, "levels of closed brackets")


@FORMAT.named("format:quotes")
def quotes(text: str) -> str:
    """Quotations within quotations, at least three deep, double and single marks in turn, all closed."""
    plain = text.translate(_QUOTES)
    stack: list[str] = []
    deepest = 0
    for index, mark in enumerate(plain):
        if mark not in "\"'":
            continue
        before = plain[index - 1] if index else " "
        after = plain[index + 1] if index + 1 < len(plain) else " "
        if mark == "'" and before.isalnum() and after.isalnum():
            continue  # an apostrophe
        opens = not before.isalnum() and (after.isalnum() or after in "\"'") and before not in ".,!?…"
        if stack and stack[-1] == mark and not (opens and (before.isspace() or before in "([")):
            stack.pop()
        elif opens and (not stack or stack[-1] != mark):
            stack.append(mark)
            deepest = max(deepest, len(stack))
    if stack:
        return "a quotation is not closed"
    return at_least(deepest, 3, "levels of alternating quotation marks")


@FORMAT.named("format:quote_unquote")
def quote_unquote(text: str) -> str:
    """At least one phrase in double quotation marks, and words without them after each one."""
    parts = text.translate(_QUOTES).split('"')
    if len(parts) < 3 or len(parts) % 2 == 0:
        return "no phrase between double quotation marks" if len(parts) < 3 else "a quotation is not closed"
    for quoted, following in zip(parts[1::2], parts[2::2], strict=True):
        if words(quoted) and not words(following):
            return f"nothing explains {quoted[:60]!r}"
    return "" if any(map(words, parts[1::2])) else "the quotations are empty"


@FORMAT.named("format:thesis")
def thesis(text: str) -> str:
    """Each section (what a heading begins; the whole text without one) begins with words in ``<i>`` or ``<em>``."""
    sections: list[list[str]] = [[]]
    for line in text.splitlines():
        if _HEADING.match(line):
            sections.append([])
        else:
            sections[-1].append(line)
    bodies = [body for body in ("\n".join(lines).strip() for lines in sections) if words(body)]
    if not bodies:
        return "there is no section"
    for body in bodies:
        found = _ITALIC.match(re.sub(r"\A(?:<(?:p|div|section|li|ul)>\s{0,9}){1,5}", "", body, flags=re.IGNORECASE))
        if not found or not words(found[2]):
            return f"a section does not begin in italics: {body[:60]!r}"
    return ""


@FORMAT.named("format:title_case")
def title_case(text: str) -> str:
    """Each word begins with a capital, articles, conjunctions and short prepositions apart."""
    found = [word for word in words(text) if word[0].isalpha()]
    if not found:
        return "there is no word"
    wrong = next(
        (word for index, word in enumerate(found) if word[0].islower() and (index == 0 or word not in SMALL_IN_TITLES)),
        None,
    )
    return "" if wrong is None else f"{wrong!r} is not in title case"


def _options(options: str) -> list[str]:
    """What the instruction lists: ``yes/no/maybe``, ``a), b)`` or ``this or that``."""
    separator = next((mark for mark in ("/", ",", " or ") if mark in options), None)
    choices = [choice.strip() for choice in options.split(separator)] if separator else []
    if len(choices) < 2:
        raise InputError(f"options is {options!r}; expected several, separated by '/', ',' or ' or '")
    return choices
