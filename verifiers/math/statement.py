"""The value that a sentence states."""

from __future__ import annotations

import re

from .markers import CONCLUSION, COPULA, FALSITY, NEGATION, STOP
from .parsing import Unreadable
from .tidy import COMMANDS

_MATH = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(?<![\\\w])\$(?!\s*\d+(?:[.,]\d+)*\s*[A-Za-z]{3})([^$\n]{1,600}?)(?<!\\)\$(?!\d)",
    re.DOTALL,
)
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,200})\*\*|`([^`\n]{1,200})`")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.\\])[-−+]?\s?(?:\\?[$€£¥₹])?\s?(?:\d{1,3}(?:[,\s]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?:\s*/\s*\d+)?(?:\s*(?:\\?%|°|€|¢))?(?![\d^])"
)
_CHOICE = re.compile(r"(?<![A-Za-z'’])(?:\(([A-J])\)|([A-H]))(?![A-Za-z'’(])")
_MARKUP = re.compile(r"\A(?:[\s_:：]|\*(?!\*(?=\S)[^*]+\*\*)|`(?![^`]+`))*")
_LEADING = re.compile(
    r"(?:for\s+sure|clearly|definitely|simply|just|about|approximately|therefore|thus|the|that|indeed|exactly|probably|of|to\s+be)\s+",
    re.I,
)
_NAMED = re.compile(r"(?:[A-Za-z]+\s+){1,4}([(\[\\$].*)\Z", re.DOTALL)  # "the point (1, 2)"
_TRAILING_VERB = re.compile(r"(?:です|でした|である|だ|になります|となります|입니다|이다|이에요|है|हैं|होगा)\s*\Z")
_HEDGE = re.compile(r"\A\(?[A-J]\)?(?:\s*(?:,|or|and|/)\s*\(?[A-J]\)?)+", re.I)
_BOUND = re.compile(
    r"\b(?:at\s+(?:least|most)|(?:more|less|fewer|greater)\s+than|or\s+(?:more|less|fewer|greater)|up\s+to)\b", re.I
)
_SECOND_THOUGHT = re.compile(
    r",?\s*(?:but|though|although|or)\s+(?:(?:it|that|this|I)\s+)?(?:may|might|could|maybe|perhaps|possibly|am\s+not|also)\b",
    re.I,
)
_CONNECTED = re.compile(r"\s*(?:,|and|or|\\text\{\s*(?:and|or)\s*\}|y|et|und)?\s*")
MAX_SENTENCE = 400
MAX_ONLY = 2000


def stated_value(text: str) -> str | None:
    """The value right after an announcement: a formula, bold text, or what the sentence comes to."""
    text = (
        _MARKUP.sub("", text, count=1)
        if not text.lstrip().startswith(("**", "`")) or text.count("**") % 2
        else text.lstrip()
    )
    formula = _leading_formula(text)
    if formula is not None:
        return formula
    if (bold := _BOLD.match(text)) is not None:
        return bold[1] or bold[2]
    paragraph = text.split("\n\n", 1)[0]
    stop = STOP.search(paragraph)
    if stop and _SECOND_THOUGHT.match(paragraph, stop.start()):
        return paragraph[:MAX_SENTENCE]  # "7, but it could be 8" states no value
    sentence = paragraph[: stop.start()] if stop else paragraph
    return _value_of(sentence[:MAX_SENTENCE])


def _leading_formula(text: str) -> str | None:
    """The formula that a text begins with, and those that it connects to it."""
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
    return ", ".join(parts)


def _content(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None).strip()


def _value_of(sentence: str) -> str | None:
    """What a sentence comes to: all of it where it can be read, else what its verb or equals sign leads to."""
    sentence = _MARKUP.sub("", sentence, count=1).strip()
    sentence = _TRAILING_VERB.sub("", sentence)
    while found := _LEADING.match(sentence):
        sentence = sentence[found.end() :]
    if not sentence or _BOUND.search(sentence):
        return None
    if _HEDGE.match(sentence):
        return sentence
    if _is_value(sentence):
        return sentence
    if (
        letter := re.match(r"\(?([A-J])\)?(?=[,.):;：]|\s*\Z|\s+(?:non|not|because)\b|[^\x00-\x7f])", sentence)
    ) is not None:
        return letter[1]
    if (named := _NAMED.match(sentence)) is not None and _is_value(named[1]):
        return named[1]
    if (stated := _after_copula(sentence)) is not None:
        return None if FALSITY.search(sentence) else stated
    return None if NEGATION.search(sentence) else _single(sentence) or _first_amount(sentence)


def _after_copula(sentence: str) -> str | None:
    """What the last verb or equals sign is followed by."""
    last = _last(COPULA, sentence)
    if last is None:
        return None
    rest = _MARKUP.sub("", sentence[last.end() :]).strip()
    if _is_value(rest):
        return rest
    formula = _leading_formula(rest)
    if formula is not None:
        return formula
    number = _NUMBER.match(rest)
    return number[0].strip() if number else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(reversed(list(pattern.finditer(text))), None)


def _single(sentence: str) -> str | None:
    """The only formula, bold text or number of a sentence; a bound is none."""
    if _BOUND.search(sentence):
        return None
    for pattern in (_MATH, _BOLD):
        found = list(pattern.finditer(sentence))
        if len(found) == 1 and _is_value(_content(found[0])):
            return _content(found[0])
        if len(found) > 1:
            return None
    numbers = _NUMBER.findall(sentence)
    if len(numbers) == 1:
        return str(numbers[0]).strip()
    letters = [first or second for first, second in _CHOICE.findall(sentence)]
    return letters[-1] if not numbers and len(set(letters)) == 1 else None


def _first_amount(sentence: str) -> str | None:
    """The first number, where a currency or percent sign says that it is an amount."""
    found = _NUMBER.search(sentence)
    if found and (re.match(r"\s*[$€£¥%]", sentence[found.end() :]) or re.search(r"[$€£¥%]", found[0])):
        return found[0].strip()
    return None


def _is_value(text: str) -> bool:
    """Whether a text can be read as an answer that is no sentence."""
    from .answers.text import Text
    from .reading import read

    if not text or len(text) > MAX_SENTENCE:
        return False
    try:
        answer = read(text)
    except Unreadable:
        return False
    return not isinstance(answer, Text) or not answer.is_sentence


def is_text(value: str) -> bool:
    """Whether a value is words rather than mathematics."""
    from .answers.text import Text
    from .reading import read

    try:
        return isinstance(read(value), Text)
    except Unreadable:
        return True


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
    if _is_value(whole) and not re.search(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}", whole):
        return whole
    if NEGATION.search(whole):
        return None
    numbers = len(_NUMBER.findall(whole))
    formulas = _MATH.findall(whole)
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
    last = re.split(r"(?:[.!?](?=\s)|[。！？])", text.strip().rstrip(".!?。"))[-1]
    return conclusion(text) or _value_of(last.replace("\\ ", " ")) or _last_line(text)


def _last_line(text: str) -> str | None:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if len(lines) > 1 and _is_value(lines[-1]) else None
