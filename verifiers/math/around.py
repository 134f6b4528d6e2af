r"""What stands right around a box: the wrapping that goes, the sign that stays, the factor that makes it a part.

``-\left(\boxed{7}\right)`` is -7, ``2\,\boxed{7}`` and ``(\boxed{7})^2`` are not 7, and a dash that begins a line of a
list or divides a sentence says nothing about the value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

REACH = 80  # characters around a box
_BLANK = r"(?:\s|~|\\[,;:!\s]|\\(?:displaystyle|bf|rm|large|Large|LARGE|huge)(?![A-Za-z]))"
_BLANKS_BEFORE = re.compile(rf"{_BLANK}+\Z")
_BLANKS_AFTER = re.compile(rf"{_BLANK}+")
_BRACKETS = (("\\left(", "\\right)"), ("\\left[", "\\right]"), ("(", ")"), ("[", "]"), ("{", "}"), ("**", "**"))
_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_FONT = re.compile(r"\\(?:math[a-z]+|text[a-z]*|bm|boldsymbol|underline|(?:text)?color\s*\{\w+\})\s*\Z")
_LETTERS = "pi|theta|alpha|beta|gamma|lambda|mu|sigma|omega|phi|infty"
_FUNCTIONS = "ln|log|lg|exp|(?:arc)?(?:sin|cos|tan)h?|cot|sec|csc|max|min|gcd|det"
_FACTOR = re.compile(
    rf"\\(?:{_LETTERS}|{_FUNCTIONS}|cdot|times|div|binom)(?:_\s*(?:\w|\{{\w+\}}))?\Z"
    r"|\\(?:sqrt|[dt]?frac|binom)\s*(?:\[[^\]]*\])?(?:\{[^{}]*\}|\d){1,2}\Z|(?<!\S)0\.\Z|[\^]\Z|\d\s*/\Z"
)
_FACTOR_IN_FORMULA = re.compile(
    r"[\d)!²³+*/_]\Z|[\^_]\{[^{}]*\}\Z|(?<![A-Za-z\\])[A-Za-z]\Z|\d\s*:\Z|(?:\d|\A)\.\Z|\A[-−]?[\d.]+\s*,\Z"
)
_SIGN = r"([-−–]|\\(?:pm|mp)|[±∓]|\+/-)"
_MINUS = re.compile(rf"[^\S\n]*(?:\$\s*{_SIGN}\s*\$|{_SIGN})\Z")
_OPENING = re.compile(
    r"(?:[=:：，({\[,;&<>≤≥≈→]|\\\\|\\(?:le|ge|leq|geq|approx|to|implies|Rightarrow|therefore)|\A)\s*\Z"
)
_VERB = re.compile(
    r"(?:=|(?<!\w)(?:is|are|equals?|be|was|es|son|est|sont|ist|sind|é|são|è|sono|равно|равен)|[是为為は])\s*\Z"
)
_IN_WORDS = re.compile(r"(\d[\s$]*)?\b(?:(plus\s+or\s+)?minus|negative)\Z", re.IGNORECASE)
_SUBTRACTED = re.compile(r"(?:[\w)!]|\\(?:pi|theta))\s*\Z")
_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[,:]?\s+[A-Za-z]{2,}|[.?!]\s+[A-Z]")
_LABEL = re.compile(r"\\(?:text|mbox|mathrm|textbf)\s*\{[^{}]*\}\s*\Z")
_RELATION = re.compile(r"\s*(?:=|<|>|\\(?:le|ge|leq|geq|in|ne|neq|approx|equiv)(?![A-Za-z]))")
_POWER = re.compile(
    r"(?:\s*\$){0,2}\s*\^\s*(?!\{?\s*(?:\\circ|\\text|\\mathrm|\\mbox|\\prime|\\degree|\*|th|st|nd|rd))"
)
_HALF = r"(?:a|one|1)\s+(?:half|third|quarter|fourth|fifth)"
_MORE = re.compile(
    r"[²³⁴-⁹¹⁻]|\s*π|\s*[x×]\s*10\s*(?:\^|\*\*)|e(?:[-+]?\d|(?![A-Za-z]))"
    rf"|\s*\$?\s+(?:and\s+{_HALF}|to\s+\$?\d+\b(?!\s*(?:sig|dec|d\.?p|s\.?f|place|digit)))|\s*\\to\b|\s*\$?\s*[-+±]\s*\$\s*\d[\d.]*\$"
    r"|\$?\s*\((?:or|and\s+also|also|and)\s+\$?[-−]?\d"
    r"|\s*(?:\$\s*)?(?:[,;]|and\b)\s*\$?\s*[-−]?\d[\d./]*\s*\$?[\s.]*\Z"
)
_RATIO = re.compile(r"\s*(?:\$\s*)?:\s*\d[\d.]*\s*(?:[.$]|\Z)")
_NAMED = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\s*=\s*\$?\Z")
_BRACKETED = re.compile(rf"{_BLANK}*(?:\\left)?\(\s*(?:\d*[a-z]\b|\\[a-z])")


class Frame(NamedTuple):
    """What stands before and after a box once its wrapping is taken away.

    Attributes:
        before: The text before it, without white space at its end.
        after: The text after it.
        bracket: The bracket that was taken away, the outermost one; empty for none.
        wrapped: Whether anything was.
        in_formula: Whether math delimiters are open before it.
        gap: Whether white space was between the box and ``before``.
    """

    before: str
    after: str
    bracket: str = ""
    wrapped: bool = False
    in_formula: bool = False
    gap: bool = False

    @property
    def is_item(self) -> bool:
        """Whether a lone dash before the box begins a line of a list."""
        return not self.in_formula and self.before.rpartition("\n")[2].strip() in ("-", "−", "–")


def framed(text: str, start: int, end: int, *, in_formula: bool) -> Frame:
    r"""The frame of a box.

    >>> framed(r"$x = -\left(\boxed{7}\right)$", 12, 21, in_formula=True).before
    '$x = -'
    """
    frame = Frame(text[max(0, start - REACH) : start], text[end : end + REACH], in_formula=in_formula)
    if in_formula and _PROSE.search(_since_delimiter(frame.before)):
        frame = frame._replace(in_formula=False)  # a dollar sign that was money
    for _ in range(8):
        frame = _without_blank(frame)
        inner = _unwrapped(frame)
        if inner is None:
            break
        frame = inner
    return frame


def _without_blank(frame: Frame) -> Frame:
    blanks = _BLANKS_BEFORE.search(frame.before)
    return frame if blanks is None else frame._replace(before=frame.before[: blanks.start()], gap=True)


def _unwrapped(frame: Frame) -> Frame | None:
    """The frame without one pair of brackets or delimiters; None where there is none."""
    blanks = _BLANKS_AFTER.match(frame.after)
    after = frame.after[blanks.end() :] if blanks else frame.after
    for opening, closing in _DELIMITERS:
        if frame.before.endswith(opening) and after.startswith(closing):
            before = frame.before[: -len(opening)]
            return Frame(before, after[len(closing) :], frame.bracket, True, in_formula=False)
    for opening, closing in _BRACKETS:
        before = frame.before[: -len(opening)]
        if frame.before.endswith(opening) and after.startswith(closing) and not before.endswith("\\"):
            before = before if opening != "{" else _FONT.sub("", before)
            return frame._replace(before=before, after=after[len(closing) :], bracket=opening, wrapped=True)
    return None


def sign_of(frame: Frame) -> str | None:
    r"""The sign before a box, "-" or "\pm "; empty for none; None where it subtracts the box from something."""
    if (worded := _IN_WORDS.search(frame.before)) is not None:
        return None if worded[1] else r"\pm " if worded[2] else "-"
    found = _MINUS.search(frame.before)
    if found is None:
        return ""
    lead = frame.before[: found.start()]
    sign = "-" if (found[1] or found[2]) in "-−–" else r"\pm "
    if lead.endswith(("-", "–")) or (frame.is_item and frame.gap):
        return ""
    if frame.in_formula:
        if _LABEL.search(lead):
            return ""
        formula = _since_delimiter(lead)
        return None if _SUBTRACTED.search(formula) and not re.search(r"\\[A-Za-z]+\s*\Z", formula) else sign
    if sign != "-" or found[1] or not frame.gap:
        if lead[-1:].isalnum() and not found[0][0].isspace() and found[1] is None:
            return None if lead[-1].isdigit() or re.search(r"(?<![A-Za-z])[a-z]\Z", lead) else ""
        return sign if _OPENING.search(lead) or lead[-1:].isalpha() or _VERB.search(lead) else ""
    return sign if _VERB.search(lead) else ""


def is_multiplied(frame: Frame, content: str) -> bool:
    """Whether the box holds one factor, argument, digit or value of several only."""
    if _MORE.match(frame.after) or (frame.wrapped and _POWER.match(frame.after)):
        return True
    if content[-1:].isdigit() and _RATIO.match(frame.after):
        return True
    if (named := _NAMED.search(frame.before)) and re.match(
        rf"\s*\$?\s*(?:,|;|,?\s*\b(?:or|and))\s*\$?\s*{named[1]}\s*=\s*[-−\d]", frame.after
    ):
        return True
    if frame.after[:1] in "\\ ~" and re.match(rf"{_BLANK}+\^\s*\{{?\d", frame.after):
        return True
    if (frame.in_formula or frame.bracket == "(") and _BRACKETED.match(frame.after) and not frame.after[:1].isspace():
        return True
    if _RELATION.match(content):
        return False
    if _FACTOR.search(frame.before):
        return True
    return frame.in_formula and _FACTOR_IN_FORMULA.search(_since_delimiter(frame.before)) is not None


def _since_delimiter(before: str) -> str:
    """What stands before a box in its own formula."""
    return re.split(r"(?<!\\)\$|\\[\[(]", before)[-1].strip()
