r"""Whether a box holds only a part of the formula around it: ``\boxed{8}\pi``, ``1 + \boxed{8}``, ``(\boxed{8}, 9)``.

What a solution leaves outside of its box by custom is no such part: the name before an equals sign, a unit, a percent
sign, a modulus.
"""

from __future__ import annotations

import re

_BLANK = r"(?:\s|~|\\[,;:!\s])*"
_FUNCTION = r"\\(?:ln|log|lg|exp|(?:arc)?(?:sin|cos|tan)h?)(?![A-Za-z])"
_FACTOR = rf"(?:\\(?:pi|sqrt|[dt]?frac|theta|alpha|beta|lambda|left\s*\()(?![A-Za-z])|{_FUNCTION})"
_AFTER = re.compile(rf"{_BLANK}{_FACTOR}|_\s*\{{?\w|[.,]\d|[ixyzkn](?![A-Za-z])|e\s*\^")
_AFTER_IN_FORMULA = re.compile(rf"\(|{_BLANK}(?:[ixyzkn](?![A-Za-z])|e\s*\^)")
_BEFORE = re.compile(
    rf"{_FUNCTION}(?:_\s*\{{?\w+\}}?)?\s*\Z|(?<![A-Za-z\\])[A-Za-z]\(\s*\Z"
    r"|[\w)}][ \t]*(?:\\(?:cdot|times|div)(?![A-Za-z])|[+/]|(?<!\*)\*)[ \t]*\Z"
)
_OPENED = re.compile(r"(?:[(\[]|\\\{)\s*\Z")
_NEXT = re.compile(r"\s*[,;]\s*(?:[-−]?\d|\\[a-z])")
_EARLIER = re.compile(r"(?:[(\[]|\\\{)\s*[-−]?[\d.]+\s*[,;]\s*\Z")
_CLOSED = re.compile(r"\s*(?:[)\]]|\\\})")
_DOLLAR = re.compile(r"(?<!\\)\$")
REACH = 60  # characters around a box


def is_part(text: str, start: int, end: int, content: str) -> bool:
    r"""Whether what stands right before or after a box makes one value together with what it holds.

    Args:
        text: The completion.
        start: Where the box starts.
        end: Where it ends.
        content: What it holds.

    >>> is_part(r"$\boxed{8}\pi$", 1, 10, "8"), is_part(r"$x = \boxed{8}\text{ cm}$", 5, 14, "8")
    (True, False)
    """
    before = text[max(0, start - REACH) : start]
    if _AFTER.match(text, end) or _BEFORE.search(before):
        return True
    if before[-1:].isdigit() and content.strip()[:1].isdigit():
        return True
    if (_OPENED.search(before) and _NEXT.match(text, end)) or (_EARLIER.search(before) and _CLOSED.match(text, end)):
        return True
    return _AFTER_IN_FORMULA.match(text, end) is not None and in_formula(text, start)


def in_formula(text: str, start: int) -> bool:
    """Whether math delimiters are open there, within the paragraph."""
    paragraph = text[text.rfind("\n\n", 0, start) + 1 : start]
    opened = max(paragraph.rfind("\\("), paragraph.rfind("\\["))
    closed = max(paragraph.rfind("\\)"), paragraph.rfind("\\]"))
    return opened > closed or len(_DOLLAR.findall(paragraph)) % 2 == 1
