"""The value that a sentence states."""

from __future__ import annotations

import re

from .completed import (
    MAX_SENTENCE,
    OTHER_VALUE,
    TRAILING_VERB,
    completed,
    is_second_thought,
    is_text,
    is_value,
    sentence_of,
)
from .markers import CONCLUSION, COPULA, FALSITY, NEGATION
from .phrases import distorts, distorts_before
from .tidy import COMMANDS

_MATH = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)"
    r"|(?<![\\\w])\$(?!\s*\d+(?:[.,]\d+)*\s*[A-Za-z]{3})([^$\n]{1,600}?)(?<!\\)\$(?!\d)",
    re.DOTALL,
)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,200})\*\*|`([^`\n]{1,200})`")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.\\])[-−+]?\s?(?:\\?[$€£¥₹])?\s?(?:\d{1,3}(?:[,\s]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?:\s*/\s*\d+)?(?:\s*(?:\\?%|°|€|¢))?(?![\d^])"
)
_RATIO = re.compile(r"(?<![\d:.])\d+(?:\s?:\s?\d+)+(?![\d:])")
_CHOICE = re.compile(r"(?<![A-Za-z'’])(?:\(([A-J])\)|([A-H]))(?![A-Za-z0-9'’(^_])")
_MARKUP = re.compile(r"\A(?:[\s_:：]|\*(?!\*(?=\S)[^*]+\*\*)|`(?![^`]+`))*")
_LEADING = re.compile(
    r"(?:for\s+sure|clearly|definitely|simply|just|about|approximately|therefore|thus|the|that|indeed|exactly"
    r"|probably|of|to\s+be)\s+",
    re.I,
)
_NAMED = re.compile(r"(?:[A-Za-z]+\s+){1,4}([(\[\\$].*)\Z", re.DOTALL)  # "the point (1, 2)"
_BOUND = re.compile(
    r"\b(?:at\s+(?:least|most)|(?:more|less|fewer|greater)\s+than|or\s+(?:more|less|fewer|greater)|up\s+to)\b", re.I
)
_LETTER_FIRST = re.compile(
    r"\(?(?!I\s+[a-z]|A\s+(?!is\b|was\b|because\b|since\b|as\b|or\b|and\b|but\b|not\b|vs\b|unless\b)[a-z])[A-J]\)?"
    r"(?:\Z|[^A-Za-z0-9_'’^(\[{=<>+*-])"
)  # an option, and what is said about it
_SIGN_IN_WORDS = re.compile(r"\A(?:negative|minus)\s+(?=\$?[\d.]|\$?\\frac)", re.I)
_OPERATOR_BEFORE = re.compile(
    r"(?:[-+*/^<>≤≥≠±|&~#@!?]|\\(?:ne|neq|pm|mp|le|leq|ge|geq|lt|gt|sim|times|cdot|div)|≈\s*[<>])\s*\Z"
)
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
_DOUBTING = re.compile(
    r"\b(?:nobody|no\s+one|(?:some|people|you|one)\s+(?:might|may|could|would|say|think|believe)|doubt|deny|refuse"
    r"|guess"
    r"|(?:do|does|did|would|could|can)\s*n['’]?t\s+\w+|unlikely|impossible|pretend)\b",
    re.IGNORECASE,
)
_CONNECTED = re.compile(r"\s*(?:,|and|or|\\text\{\s*(?:and|or)\s*\}|y|et|und)?\s*")
MAX_ONLY = 2000
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
    bold = _BOLD.match(text) if formula is None else None
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
    found = _MATH.match(text)
    if found is None:
        return None
    parts = [_content(found)]
    position = found.end()
    while len(parts) < 64:
        between = _CONNECTED.match(text, position)
        following = _MATH.match(text, between.end()) if between else None
        if following is None:
            break
        parts.append(_content(following))
        position = following.end()
    return ", ".join(parts), position


def _content(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None).strip()


def _value_of(sentence: str) -> str | None:
    """What a sentence comes to: all of it where it can be read, else what its verb or equals sign leads to."""
    sentence = whole = TRAILING_VERB.sub("", _MARKUP.sub("", sentence, count=1).strip())
    while found := _LEADING.match(sentence):
        sentence = sentence[found.end() :]
    sentence = _SIGN_IN_WORDS.sub("-", sentence, count=1)
    if not sentence or _BOUND.search(sentence):
        return None
    if is_value(sentence) or _LETTER_FIRST.match(sentence):
        return sentence
    named = _NAMED.match(sentence)
    if named is not None and is_value(named[1]) and not COPULA.search(sentence[: named.start(1)]):
        return None if distorts_before(sentence[: named.start(1)]) else named[1]
    if (stated := _after_copula(sentence, whole)) is not None:
        return None if FALSITY.search(sentence) else stated
    return None if NEGATION.search(sentence) else _single(sentence) or _first_amount(sentence)


def _after_copula(sentence: str, whole: str) -> str | None:
    """What the last verb or equals sign is followed by.

    A text only where the sentence is about nothing in particular: "Alice is guilty" does not say that Bob is.
    """
    last = _last(COPULA, _MATH.sub(lambda found: "·" * len(found[0]), sentence))  # "is $5$ when $x=2$"
    if (
        last is None
        or _DENYING.search(sentence[max(0, last.start() - NEAR) : last.start()])
        or _DOUBTING.search(sentence[: last.start()])
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
    number = _NUMBER.match(rest)
    return completed(number[0].strip(), rest[number.end() :]) if number else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(reversed(list(pattern.finditer(text))), None)


def _single(sentence: str) -> str | None:
    """The only formula, bold text or number of a sentence, where nothing around it changes it; a bound is none."""
    if _BOUND.search(sentence):
        return None
    for pattern in (_MATH, _BOLD):
        found = list(pattern.finditer(sentence))
        if len(found) == 1 and is_value(_content(found[0])):
            return _between(sentence, found[0], _content(found[0]))
        if len(found) > 1:
            return None
    numbers = list(_NUMBER.finditer(sentence))
    if len(numbers) == 1:
        return _between(sentence, numbers[0], numbers[0][0].strip())
    letters = list(_CHOICE.finditer(sentence))
    if numbers or len({found[1] or found[2] for found in letters}) != 1:
        return None
    lead = sentence[: letters[0].start()]
    if distorts_before(lead) or _OPERATOR_BEFORE.search(lead) or distorts(sentence[letters[-1].end() :]):
        return None
    return letters[0][1] or letters[0][2]


def _between(sentence: str, found: re.Match[str], value: str) -> str | None:
    """A value where the words before it and after it in its sentence leave it what it is."""
    lead = sentence[: found.start()]
    if distorts_before(lead) or _OPERATOR_BEFORE.search(lead):
        return None
    return completed(value, sentence[found.end() :])


def _first_amount(sentence: str) -> str | None:
    """The first number, where a currency or percent sign says that it is the only amount."""
    amounts = [
        found
        for found in _NUMBER.finditer(sentence)
        if re.match(r"\s*[$€£¥%]", sentence[found.end() :]) or re.search(r"[$€£¥%]", found[0])
    ]
    if len(amounts) != 1 or amounts[0].start() != next(_NUMBER.finditer(sentence)).start():
        return None
    lead, tail = sentence[: amounts[0].start()], sentence[amounts[0].end() :]
    if distorts_before(lead) or OTHER_VALUE.search(tail) or distorts_before(tail):
        return None
    return amounts[0][0].strip()


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


def only_value(text: str) -> str | None:
    """The only value in a whole text; None where it holds several, or none."""
    if len(text) > MAX_ONLY:
        return None
    whole = text.strip()
    if is_value(whole) and not re.search(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}", whole):
        return whole
    if NEGATION.search(whole) or _DOUBTING.search(whole):
        return None
    formulas = _MATH.findall(whole)
    ratios = list(_RATIO.finditer(whole))
    if len(ratios) == 1 and not formulas and not _NUMBER.search(_RATIO.sub("", whole)):
        around = whole[: ratios[0].start()], whole[ratios[0].end() :]
        return None if distorts_before(around[0]) or distorts(around[1]) else ratios[0][0]
    numbers = len(_NUMBER.findall(whole))
    if re.search(r"[^\W\d_]{3}", COMMANDS.sub(" ", whole)) and (len(formulas) == 1 or (numbers == 1 and not formulas)):
        return _single(whole)
    return None


def last_value(text: str) -> str | None:
    """The last bold text, displayed formula or number of a text."""
    tail = text[-3000:]
    best: tuple[int, str] | None = None
    for pattern in (_MATH, _BOLD, _NUMBER):
        for found in pattern.finditer(tail):
            value = _content(found) if pattern is not _NUMBER else found[0].strip()
            if best is None or found.end() > best[0]:
                best = found.end(), value
    return best[1] if best else None


def prose_value(text: str) -> str | None:
    """What an answer that came as a sentence states."""
    last = re.split(r"(?:[.!?](?=\s)|[。！？])", text.strip().rstrip(".!。"))[-1]
    return conclusion(text) or _value_of(last.replace("\\ ", " ")) or _last_line(text)


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if len(lines) > 1 and is_value(lines[-1]) else None
