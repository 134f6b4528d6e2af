"""The value that a sentence states."""

from __future__ import annotations

import re

from .completed import (
    MAX_SENTENCE,
    TRAILING_VERB,
    completed,
    is_second_thought,
    is_text,
    is_value,
    sentence_of,
)
from .markers import CONCLUSION, COPULA, FALSITY, NEGATION
from .only import BOLD, BOUND, DOUBTING, FORMULA, NUMBER, content, first_amount, single
from .phrases import distorts_before
from .relations import is_related

_MARKUP = re.compile(r"\A(?:[\s_:：]|\*(?!\*(?=\S)[^*]+\*\*)|`(?![^`]+`))*")
_LEADING = re.compile(
    r"(?:for\s+sure|clearly|definitely|simply|just|about|approximately|therefore|thus|the|that|indeed|exactly"
    r"|probably|of|to\s+be)\s+",
    re.I,
)
_NAMED = re.compile(r"(?:[A-Za-z]+\s+){1,4}([(\[\\$].*)\Z", re.DOTALL)  # "the point (1, 2)"
_LETTER_FIRST = re.compile(
    r"\(?(?!I\s+[a-z]|A\s+(?!is\b|was\b|because\b|since\b|as\b|or\b|and\b|but\b|not\b|vs\b|unless\b)[a-z])[A-J]\)?"
    r"(?:\Z|[^A-Za-z0-9_'’^(\[{=<>+*-])"
)  # an option, and what is said about it
_SIGN_IN_WORDS = re.compile(r"\A(?:negative|minus)\s+(?=\$?[\d.]|\$?\\frac)", re.I)
_SUBJECT = re.compile(
    r"\W*(?:it|this|that|these|those|they|which|there|(?:the|this|that|our|your|my)\s+(?!(?:\w+\s+)*(?:first|second"
    r"|third|other|last|next|former|latter)\b)[a-z][a-z\s-]*|(?:final\s+)?answer|result|solution)\s*\Z",
    re.IGNORECASE,
)
_NAMED_FIRST = re.compile(r"\s*[A-Z][^\d$\\=<>]{1,60}\Z")  # "Bob is guilty"
_DENYING = re.compile(
    r"(?:\b(?:not|cannot|never|hardly|no|nicht|no|pas|não|non)|außer|alles\s+außer|\w{2,}n['’]t|\b(?:is|are|was|ca|wo"
    r"|do|does|did|would|should|could)nt)\s+(?:\w+\s+)?\Z|\\not\s*\Z|\\(?:ne|neq)\s*\Z|(?:不|不可能|不会|不應|不应|没有|非|ない)\Z",
    re.IGNORECASE,
)
_CONNECTED = re.compile(r"\s*(?:,|and|or|\\text\{\s*(?:and|or)\s*\}|y|et|und)?\s*")
NEAR = 40  # how far before its verb a sentence denies it, in characters


def stated_value(text: str) -> str | None:
    """The value right after an announcement: a formula, bold text, or what the sentence comes to.

    What follows the value in its sentence belongs to it: "$4$ or 5" states no 4.
    """
    text = (
        _MARKUP.sub("", text, count=1)
        if not text.lstrip().startswith(("**", "`")) or text.count("**") % 2
        else text.lstrip()
    )
    formula = _leading_formula(text)
    bold = BOLD.match(text) if formula is None else None
    if bold is not None:
        formula = bold[1] or bold[2], bold.end()
    if formula is not None:
        value, end = formula
        return completed(value, text[end : end + MAX_SENTENCE]) or f"{value} {sentence_of(text[end:])}"
    sentence = sentence_of(text)
    if is_second_thought(text, len(sentence)):
        return f"{sentence[:MAX_SENTENCE]}{text[len(sentence) : len(sentence) + 1]}"
    stated = _value_of(sentence[:MAX_SENTENCE])
    return sentence.strip() if stated is None and _NAMED_FIRST.match(sentence) else stated


def _leading_formula(text: str) -> tuple[str, int] | None:
    """The formula that a text begins with, those that it connects to it, and where they end."""
    found = FORMULA.match(text)
    if found is None:
        return None
    parts = [content(found)]
    position = found.end()
    while len(parts) < 64:
        between = _CONNECTED.match(text, position)
        following = FORMULA.match(text, between.end()) if between else None
        if following is None:
            break
        parts.append(content(following))
        position = following.end()
    return ", ".join(parts), position


def _value_of(sentence: str) -> str | None:
    """What a sentence comes to: all of it where it can be read, else what its verb or equals sign leads to."""
    sentence = whole = TRAILING_VERB.sub("", _MARKUP.sub("", sentence, count=1).strip())
    while found := _LEADING.match(sentence):
        sentence = sentence[found.end() :]
    sentence = _SIGN_IN_WORDS.sub("-", sentence, count=1)
    if not sentence or BOUND.search(sentence):
        return None
    if is_value(sentence) or _LETTER_FIRST.match(sentence):
        return sentence
    named = _NAMED.match(sentence)
    if named is not None and is_value(named[1]) and not COPULA.search(sentence[: named.start(1)]):
        return None if distorts_before(sentence[: named.start(1)]) else named[1]
    if (stated := _after_copula(sentence, whole)) is not None:
        return None if FALSITY.search(sentence) else stated
    return None if NEGATION.search(sentence) else single(sentence) or first_amount(sentence)


def _after_copula(sentence: str, whole: str) -> str | None:
    """What the last verb or equals sign is followed by.

    A text only where the sentence is about nothing in particular: "Alice is guilty" does not say that Bob is.
    """
    last = _last(COPULA, FORMULA.sub(lambda found: "·" * len(found[0]), sentence))  # "is $5$ when $x=2$"
    if (
        last is None
        or _DENYING.search(sentence[max(0, last.start() - NEAR) : last.start()])
        or DOUBTING.search(sentence[: last.start()])
        or is_related(sentence[: last.start()])
    ):
        return None
    rest = _SIGN_IN_WORDS.sub("-", _MARKUP.sub("", sentence[last.end() :]).strip(), count=1)
    if (formula := _leading_formula(rest)) is not None and (
        value := completed(formula[0], rest[formula[1] :])
    ) is not None:
        return value
    if is_value(rest):
        subject = whole[: len(whole) - len(sentence) + last.start()]
        general = _SUBJECT.match(subject) is not None and not distorts_before(subject)
        return rest if general or not is_text(rest) else None
    number = NUMBER.match(rest)
    return completed(number[0].strip(), rest[number.end() :]) if number else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(reversed(list(pattern.finditer(text))), None)


def conclusion(text: str) -> str | None:
    """What the last concluding sentence states: "therefore, there are 12 of them"."""
    tail = text[-1500:].rstrip()
    last = _last(CONCLUSION, tail)
    if last is None:
        return None
    rest = tail[last.end() :].strip(" ,:：，")
    if len(rest) > MAX_SENTENCE or len(re.findall(r"[.!?。](?:\s|\Z)", rest)) > 1:
        return None
    return _value_of(re.sub(r"[\s.!?。！]+\Z", "", rest))


def prose_value(text: str) -> str | None:
    """What an answer that came as a sentence states."""
    last = re.split(r"(?:[.!?](?=\s)|[。！？])", text.strip().rstrip(".!。"))[-1]
    return conclusion(text) or _value_of(last.replace("\\ ", " ")) or _last_line(text)


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if len(lines) > 1 and is_value(lines[-1]) else None
