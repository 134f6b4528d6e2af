"""The only value of a sentence or of a whole text, and the last one."""

from __future__ import annotations

import re

from .completed import OTHER_VALUE, completed, is_value
from .markers import NEGATION
from .phrases import distorts, distorts_before
from .tidy import COMMANDS

FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)"
    r"|(?<![\\\w])\$(?!\s*\d+(?:[.,]\d+)*\s*[A-Za-z]{3})([^$\n]{1,600}?)(?<!\\)\$(?!\d)",
    re.DOTALL,
)
BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,200})\*\*|`([^`\n]{1,200})`")
NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.\\])[-−+]?\s?(?:\\?[$€£¥₹])?\s?(?:\d{1,3}(?:(?:[,\s]|\{,\}|\\,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?:\s*/\s*\d+)?(?:\s*(?:\\?%|°|€|¢))?(?![\d^])"
)
_RATIO = re.compile(
    r"(?<![\d:.])\d+(?:\s?:\s?\d+)+(?![\d:])"
    r"(?:\s*[ap]\.?\s?m\b\.?|\s+in\s+the\s+(?:morning|afternoon|evening)|\s+at\s+night)?",
    re.IGNORECASE,
)  # a ratio, or a time of day
_CHOICE = re.compile(r"(?<![A-Za-z'’])(?:\(([A-J])\)|([A-H]))(?![A-Za-z0-9'’(^_])")
BOUND = re.compile(
    r"\b(?:at\s+(?:least|most)|(?:more|less|fewer|greater)\s+than|or\s+(?:more|less|fewer|greater)|up\s+to)\b", re.I
)
_OPERATOR_BEFORE = re.compile(
    r"(?:[-+*/^<>≤≥≠±|&~#@!?]|\\(?:ne|neq|neg|lnot|pm|mp|le|leq|ge|geq|lt|gt|sim|times|cdot|div)|≈\s*[<>])\s*\Z"
)
_WRAPPING = re.compile(r"(?:\\(?:text|mathrm|textbf|mathbf|boxed)\s*\{|[{($\s])+\Z")
_OPERATOR_AFTER = re.compile(
    r"[\s})$]*(?:[+*/^<>≤≥≠∪∩]|\\(?:cup|cap|setminus|times|cdot|land|lor|vee|wedge|oplus|mid|approx|sim|subset|in"
    r"|n?eq?|[lg]eq?|[lg]t|pm|to)(?![A-Za-z]))"
)
DOUBTING = re.compile(
    r"\b(?:nobody|no\s+one|(?:some|people|you|one)\s+(?:might|may|could|would|say|think|believe)|doubt|deny|refuse"
    r"|guess"
    r"|(?:do|does|did|would|could|can)\s*n['’]?t\s+\w+|unlikely|impossible|pretend)\b",
    re.IGNORECASE,
)
_OPTION = re.compile(r"\b(?:option|choice)\s+\Z", re.IGNORECASE)  # "the answer is option 5" names no value
MAX_ONLY = 2000


def content(found: re.Match[str]) -> str:
    """What stands between the delimiters of a formula or of bold text."""
    return next(group for group in found.groups() if group is not None).strip()


def single(sentence: str) -> str | None:
    """The only formula, bold text or number of a sentence, where nothing around it changes it; a bound is none."""
    if BOUND.search(sentence):
        return None
    for pattern in (FORMULA, BOLD):
        found = list(pattern.finditer(sentence))
        if len(found) == 1 and is_value(content(found[0])):
            return _between(sentence, found[0], content(found[0]))
        if len(found) > 1:
            return None
    numbers = list(NUMBER.finditer(sentence))
    if len(numbers) == 1:
        if _OPTION.search(sentence[: numbers[0].start()]):
            return None
        return _between(sentence, numbers[0], numbers[0][0].strip())
    letters = list(_CHOICE.finditer(sentence))
    if numbers or len({found[1] or found[2] for found in letters}) != 1:
        return None
    lead, tail = sentence[: letters[0].start()], sentence[letters[-1].end() :]
    if distorts_before(lead) or distorts(tail) or is_operand(lead, tail):
        return None
    return letters[0][1] or letters[0][2]


def is_operand(lead: str, tail: str) -> bool:
    """Whether what stands right before or right after a letter computes with it, or relates it to something."""
    return _OPERATOR_BEFORE.search(_WRAPPING.sub("", lead)) is not None or _OPERATOR_AFTER.match(tail) is not None


def _between(sentence: str, found: re.Match[str], value: str) -> str | None:
    """A value where the words before it and after it in its sentence leave it what it is."""
    lead = sentence[: found.start()]
    if distorts_before(lead) or _OPERATOR_BEFORE.search(lead):
        return None
    return completed(value, sentence[found.end() :])


def first_amount(sentence: str) -> str | None:
    """The first number, where a currency or percent sign says that it is the only amount."""
    amounts = [
        found
        for found in NUMBER.finditer(sentence)
        if re.match(r"\s*[$€£¥%]", sentence[found.end() :]) or re.search(r"[$€£¥%]", found[0])
    ]
    if len(amounts) != 1 or amounts[0].start() != next(NUMBER.finditer(sentence)).start():
        return None
    lead, tail = sentence[: amounts[0].start()], sentence[amounts[0].end() :]
    if distorts_before(lead) or OTHER_VALUE.search(tail) or distorts_before(tail):
        return None
    return amounts[0][0].strip()


def only_value(text: str) -> str | None:
    """The only value in a whole text; None where it holds several, or none."""
    if len(text) > MAX_ONLY:
        return None
    whole = text.strip()
    if is_value(whole) and not re.search(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}", whole):
        return whole
    if NEGATION.search(whole) or DOUBTING.search(whole):
        return None
    formulas = FORMULA.findall(whole)
    ratios = list(_RATIO.finditer(whole))
    if len(ratios) == 1 and not formulas and not NUMBER.search(_RATIO.sub("", whole)):
        around = whole[: ratios[0].start()], whole[ratios[0].end() :]
        return None if distorts_before(around[0]) or distorts(around[1]) else ratios[0][0]
    numbers = len(NUMBER.findall(whole))
    if re.search(r"[^\W\d_]{3}", COMMANDS.sub(" ", whole)) and (len(formulas) == 1 or (numbers == 1 and not formulas)):
        return single(whole)
    return None


def last_value(text: str) -> str | None:
    """The last bold text, displayed formula or number of a text."""
    tail = text[-3000:]
    best: tuple[int, str] | None = None
    for pattern in (FORMULA, BOLD, NUMBER):
        for found in pattern.finditer(tail):
            value = content(found) if pattern is not NUMBER else found[0].strip()
            if best is None or found.end() > best[0]:
                best = found.end(), value
    return best[1] if best else None
