r"""Boxes: ``\boxed{}``, ``\fbox{}``, ``<|begin_of_box|>``."""

from __future__ import annotations

import re
from typing import NamedTuple

from .tidy import closing_brace

_OPENING = re.compile(r"\\(?:boxed|fbox|framebox)\s*(?:\{|(?=[^\s{A-Za-z]))")
_GLM = ("<|begin_of_box|>", "<|end_of_box|>")
# Between two boxes that together are one answer: commas, "and", "or", math delimiters, the name of the next value.
_BETWEEN = re.compile(
    r"(?:\s|[,;$/|→–—•*-]|\(?[a-z0-9]\)?[.)]\s|\\[()\[\],;:!]|\\q?quad|\\text\s*\{\s*,?\s*(?:and|or)\s*\}|\.\.\.|…"
    r"|(?:and|or|y|et|und|oder|ou|или"
    r"|either|else|maybe|perhaps|possibly|could|be|but|even|again|it|is|also)(?![A-Za-z])|[和或]"
    r"|\.?\s*(?i:alternatively|(?:or\s+)?if\s+(?:that|this|it)(?:\s+is|['’]s)\s+(?:wrong|incorrect|not\s+\w+),?\s+(?:then)?)"
    r"|[A-Za-z](?:_\{?\w\}?)?\s*=)*\Z"
)
_APPROXIMATE = re.compile(r"\s*\\(?:approx|simeq|doteq)(?![A-Za-z])")
MAX_BETWEEN = 60
MAX_BOXES = 64


class Box(NamedTuple):
    """A box, or several that the text joins: what they hold, and where the last one starts and ends."""

    content: str | None
    start: int
    end: int


def last_box(text: str) -> Box | None:
    """The last box; its content is None when it was never closed; None where there is no box.

    Boxes that follow each other with nothing but a comma, "and", "or" or the name of a value between them are one
    answer given in parts, and so a list: naming many values does not pay. A last box that only approximates repeats
    the box before it.
    """
    found = _box_before(text, len(text))
    if found is None or found.content is None:
        return found
    if _APPROXIMATE.match(found.content) and (earlier := _box_before(text, found.start)) and earlier.content:
        return earlier._replace(end=found.end)
    parts = [found.content]
    start = found.start
    while len(parts) < MAX_BOXES:
        earlier = _box_before(text, start)
        if earlier is None or earlier.content is None or start - earlier.end > MAX_BETWEEN:
            break
        if earlier.end > start or not _BETWEEN.match(text[earlier.end : start]):
            break
        parts.append(earlier.content)
        start = earlier.start
    distinct = list(dict.fromkeys(reversed(parts)))
    return Box(", ".join(distinct), start, found.end)


def _box_before(text: str, end: int) -> Box | None:
    """The last outermost box that starts before ``end``."""
    start = max(text.rfind("\\boxed", 0, end), text.rfind("\\fbox", 0, end))
    glm = text.rfind(_GLM[0], 0, end)
    if glm > start:
        close = text.find(_GLM[1], glm)
        content = text[glm + len(_GLM[0]) : close if close >= 0 else end]
        return Box(content.strip() or None, glm, close + len(_GLM[1]) if close >= 0 else end)
    if start < 0:
        return None
    opening = _OPENING.match(text, start)
    if opening is None:
        return _bare_box(text, start)
    if not opening[0].endswith("{"):
        return _bare_box(text, start)
    close = closing_brace(text, opening.end() - 1)
    if close < 0:
        return Box(None, start, len(text))
    outer = _enclosing(text, start, close)
    return outer or Box(text[opening.end() : close], start, close + 1)


def _bare_box(text: str, start: int) -> Box:
    r"""``\boxed 5``: the next token is the content."""
    found = re.compile(r"\\(?:boxed|fbox)\s*([^\s{}\\$.,;]+)").match(text, start)
    return Box(found[1], start, found.end()) if found else Box(None, start, len(text))


def _enclosing(text: str, start: int, close: int) -> Box | None:
    r"""The outermost of boxes in boxes, ``\boxed{\boxed{5}}``; only boxes with nothing else around are followed."""
    found: Box | None = None
    for _ in range(MAX_BOXES):
        before = re.search(r"\\(?:boxed|fbox)\s*\{\s*\Z", text[max(0, start - 12) : start])
        if before is None:
            break
        opening = start - (min(start, 12) - before.start())
        closing = re.compile(r"\s*\}").match(text, close + 1)
        if closing is None:
            break
        start, close = opening, closing.end() - 1
        inner = text[text.index("{", start) + 1 : close]
        found = Box(inner, start, close + 1)
    return found
