"""The expressions of a prompt: what a policy that computes nothing can copy into the slot."""

from __future__ import annotations

import re

_SPANS = re.compile(r"\$\$(.{1,300}?)\$\$|\$([^$]{1,300}?)\$|\\\((.{1,300}?)\\\)|\\\[(.{1,300}?)\\\]", re.DOTALL)
_NUMBER = r"\(*-?\d[\d.,]*(?:\s?\))*"
_SIGN = r"(?:[-+*/^×÷·−]|\*\*|x(?=\s?[\d(]))"
_RUN = re.compile(rf"(?<![\w.]){_NUMBER}(?:\s?{_SIGN}\s?{_NUMBER}){{1,40}}(?!\w)")
_COMPUTES = re.compile(
    r"[\w)}!]\s*[-+*/^×÷·−]\s*[\w(\\{]|\d\s?x\s?\(?\d|\d!"
    r"|\\(?:[dt]?frac|sqrt|cdot|times|div|d?binom|sum|prod|log|ln)\b"
)
_RELATION = re.compile(r"[=<>≤≥≠]|\\(?:leq?|geq?|neq?|approx|equiv|in)\b")
_MOST = 8


def expressions(prompt: str) -> list[str]:
    r"""Up to eight formulas and runs of arithmetic that stand for a value, in order; equations are none.

    >>> expressions(r"What is 12 * 12? And $\frac{1}{2} + 3 =$ what, if $x = 4$?")
    ['12 * 12', '\\frac{1}{2} + 3']
    """
    found: dict[int, str] = {}
    for span in _SPANS.finditer(prompt):
        found[span.start()] = next(filter(None, span.groups()), "").strip().rstrip("=?. \n")
    rest = _SPANS.sub(lambda span: " " * len(span[0]), prompt)
    for run in _RUN.finditer(rest):
        found[run.start()] = _balanced(run[0].strip().rstrip(".,"))
    texts = [text for _, text in sorted(found.items()) if _COMPUTES.search(text) and not _RELATION.search(text)]
    return list(dict.fromkeys(texts))[:_MOST]


def _balanced(text: str) -> str:
    """Without the brackets that the sentence around it opened or closed."""
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:].lstrip()
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip()
    return text
