"""The answer that a completion marks as its last word, for environments whose answers are not mathematics."""

from __future__ import annotations

import re

_TAGS = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL)
_BOX = "\\boxed{"
_SPACED = re.compile(r"\\boxed\s+([^\s$.{]+)")


def marked_answer(completion: str) -> str | None:
    r"""What stands in the last ``<answer>…</answer>`` or ``\boxed{…}``, whichever comes later; None where neither is.

    >>> marked_answer("<answer>1</answer> no, <answer> 2 </answer>")
    '2'
    """
    tags = list(_TAGS.finditer(completion))
    start = completion.rfind(_BOX)
    if start >= 0 and (not tags or start > tags[-1].end()):
        return _boxed(completion, start + len(_BOX))
    return tags[-1][1].strip() if tags else None


def last_boxed(text: str) -> str | None:
    r"""What stands in the last ``\boxed{…}`` or ``\boxed x``; None where there is none, or it is not closed.

    >>> last_boxed(r"so \boxed{1}, no, \boxed{\frac{1}{2}}")
    '\\frac{1}{2}'
    """
    start = text.rfind(_BOX)
    spaced = _SPACED.search(text, max(start, 0))  # some solutions of MATH write \boxed 2
    if spaced:
        return spaced[1]
    return None if start < 0 else _boxed(text, start + len(_BOX))


def _boxed(text: str, start: int) -> str | None:
    depth = 1
    for index in range(start, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return text[start:index].strip()
    return None
