"""Where a completion's last word stands: after the reasoning, in its last slot, and not taken back."""

from __future__ import annotations

import re

_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_RETRACTED = re.compile(
    r"\b(?:(?:that|this|it|which|the (?:answer|above|previous answer)) (?:is|was|seems|looks) "
    r"(?:actually |completely |clearly |just |probably )?"
    r"(?:wrong|incorrect|false|mistaken|not (?:right|correct|true|the answer))"
    r"|that's (?:wrong|incorrect|false|not (?:right|correct|it))"
    r"|i (?:retract|withdraw|take (?:that|it) back|(?:was|am) (?:wrong|mistaken)|made (?:a|an) (?:mistake|error))"
    r"|(?:scratch|ignore|disregard|forget) (?:that|this|it|the above|my answer)"
    r"|on second thought|(?:no|wait|hmm),? (?:wait|no|that|actually))",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:answer|choice)\b(?: is| was| would be| should be| must be|['’]s|\s?[:=])(?! wrong\b)\**\s{0,3}",
    re.IGNORECASE,
)


def final_text(completion: str) -> str | None:
    """What stands after the last ``</think>``; the whole completion without one; None when the reasoning never ends.

    >>> final_text("<think>is it 3?</think> 4")
    ' 4'
    >>> final_text("<think>is it 3?") is None
    True
    """
    _, mark, after = completion.rpartition("</think>")
    if mark:
        return after
    return None if completion.lstrip().startswith("<think>") else completion


def boxed(text: str) -> list[tuple[int, int, str]]:
    r"""Every closed ``\boxed{…}`` that is not inside another one: start, end and content, in order.

    >>> [content for _, _, content in boxed(r"\boxed{1} or \boxed{ \boxed{\frac{1}{2}}")]
    ['1', '\\frac{1}{2}']
    """
    opening = {match.end() - 1: match.start() for match in _BOXED.finditer(text)}
    if not opening:
        return []
    found: list[tuple[int, int, str]] = []
    stack: list[int] = []
    for match in _BRACE.finditer(text, min(opening)):
        if match[0] == "{":
            stack.append(match.start())
        elif match[0] == "}" and stack and (brace := stack.pop()) in opening:
            while found and found[-1][0] > opening[brace]:
                found.pop()
            found.append((opening[brace], match.end(), text[brace + 1 : match.start()]))
    return found


def tagged(text: str, tag: str = "answer") -> list[tuple[int, int, str]]:
    """Every ``<tag>…</tag>``: start, end and content, in order; the innermost opening tag counts."""
    found, opened = [], -1
    for match in re.finditer(rf"<(/?){re.escape(tag)}>", text):
        if not match[1]:
            opened = match.start()
        elif opened >= 0:
            found.append((opened, match.end(), text[opened + len(tag) + 2 : match.start()]))
            opened = -1
    return found


def claims(text: str) -> list[tuple[int, int, str]]:
    """Every "the answer is …": start, end and the rest of the line, at most 300 characters, in order."""
    found = []
    for match in _CLAIM.finditer(text):
        line = text[match.end() : match.end() + 300].partition("\n")[0]
        found.append((match.start(), match.end() + len(line), line))
    return found


def retracted(text: str) -> bool:
    """Whether a text takes back what came before it ("that is wrong", "I take that back", "no, wait").

    >>> retracted("Hmm, actually that is wrong.")
    True
    """
    return _RETRACTED.search(text) is not None
