"""What a completion says: without its thinking, the tokens of its chat template and what it strikes out."""

from __future__ import annotations

import re

from .contrasts import affirmed
from .markers import SPECIAL, STRICKEN, THINKING, THINKING_MARK

SHORT = 200  # characters in which no run of white space is long
_ANNOTATION = re.compile(r"<<[^<>\n]{0,300}>>")  # what GSM8K's solutions write for a calculator
_BLANKS = re.compile(r"[^\S\n]{3,}")
_LINES = re.compile(r"\n{3,}")
# Where a model that writes in channels says its answer, and where it thinks.
_FINAL = "<|channel|>final<|message|>"
_ANALYSIS = "<|channel|>analysis"


def said(completion: str) -> str | None:
    """What a completion says once its thinking is over, without what it strikes out; None where that never ended."""
    channel = _channel(completion)
    text = after_thinking(affirmed(squeezed(channel))) if channel is not None else None
    if text is None:
        return None
    if "<<" in text:
        text = _ANNOTATION.sub("", text)
    text = without_template(text)
    if "~~" in text or "</" in text or "-->" in text:
        text = STRICKEN.sub("", text)
    return text


def _channel(text: str) -> str | None:
    """The last final channel of a completion that is written in channels, None for none; any other text as it is."""
    if "<|channel|>" not in text:
        return text
    return text.rpartition(_FINAL)[2] if _FINAL in text else None if _ANALYSIS in text else text


def squeezed(text: str) -> str:
    """The text with long runs of white space cut short, which patterns would search again and again."""
    if len(text) < SHORT:
        return text
    return _LINES.sub("\n\n", _BLANKS.sub("  ", text))


def after_thinking(text: str) -> str | None:
    """What follows the thinking; None where it never ended."""
    marks = list(THINKING_MARK.finditer(text))
    for name in THINKING if marks else ():
        own = [mark for mark in marks if mark["name"].lower() == name]
        ends = [mark.end() for mark in own if mark["end"]]
        start = ends[-1] if ends else 0
        begun = [mark.start() for mark in own if mark.start() >= start]
        if begun:
            text = text[start : begun[0]]
            return text if text.strip() else None
        if ends:
            return text[start:]
    return text


def without_template(text: str) -> str:
    """The text up to the first special token of a chat template."""
    if "<" not in text:
        return text
    ends = [found for token in SPECIAL if (found := text.find(token)) >= 0]
    return text[: min(ends)] if ends else text
