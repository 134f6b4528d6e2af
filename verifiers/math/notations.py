"""Notations that are spelled anew before the grammar reads them: foreign brackets, programs' matrices, money."""

from __future__ import annotations

import re
from collections.abc import Callable

from .programs import without_calls

_Replacement = str | Callable[[re.Match[str]], str]

_DISPLAY = re.compile(
    r"\\(?:begin|end)\s*\{(?:equation|displaymath|math|center|multline|eqnarray|flushleft|flalign)\*?\}"
)
_PLAIN_MATRIX = re.compile(r"\\([pbvBV]?)matrix\{((?:[^{}]|\{[^{}]*\})*)\}")
_END = r"\s*((?:[^\[\](){},;]|\{[^{}]*\}|\([^()]*\))+?)\s*"
_TURNED = re.compile(rf"(?:\\left)?\s*([\[\](]){_END}([,;]){_END}(?:\\right)?\s*([\[\])])")
_POINTS = re.compile(r"(?<=[)\]])[ \t]*\n\s*(?=[(\[])")
_LINES = re.compile(r"[-+(\[\\\w.](?:[^\n]*[\w)\]}!%])?\Z")
_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3}")
_SQRT = r"(?<![\w)\]}])\^\{?(\d+)\}?\s*\\sqrt\s*(?!\[)"
_D_BY = r"\\[dt]?frac\s*\{d\}\s*\{d([a-z])\}"
_ORDER = r"(?:\^\{?[23]\}?)?"
_SPACE = r"\\q?quad|\\[,;:]|\\text\s*\{[\s,]*\}"
_MEMBER = r"(?:[^:|{}]|\{\w+\})*[A-Za-z](?:[^:|{}]|\{\w+\})*"
_BUILDER = rf"\s*{_MEMBER}(?::|\||\\mid).*(?:[<>=]|\\[gln]eq?|\\in|in\b)"
_BREAK = re.compile(r"\s*,?\s*\\\\(?:\[-?[\d.]+[a-z]{2}\])?\s*")
_INTEGER = r"(?<![,\s(])[,\s(]*(?<![A-Za-z])([knml])"
_PROGRAM = r"(?:(?:sympy|sp|np|numpy)\.)?(?:Immutable)?(?:Matrix|matrix|array)\(\s*(\[.*\])\s*\)"
_ARITHMETIC = re.compile(r"[-\d./^*(), ]*\Z")  # nothing here is spelled anew
_BLANKS = re.compile(r"\s{2,}")
MAX_LENGTH = 1500  # longer texts are no answers in one of these notations


def _matrix(found: re.Match[str]) -> str:
    """``Matrix([[1, 2], [3, 4]])`` as the list of lists; a plain list in it is a column."""
    inside = found[1]
    if "[" in inside[1:]:
        return inside
    return "\\begin{pmatrix}" + " \\\\ ".join(inside.strip("[] ").split(",")) + "\\end{pmatrix}"


def _ray(found: re.Match[str]) -> str:
    """``> 5`` as the interval from 5 on."""
    closed = found[1] not in ("<", ">")
    if found[1][:1] == ">" or found[1].startswith("\\ge"):
        return f"{'[' if closed else '('}{found[2]}, \\infty)"
    return f"(-\\infty, {found[2]}{']' if closed else ')'}"


def _diagonal(found: re.Match[str]) -> str:
    entries = [entry.strip() for entry in found[1].split(",")]
    rows = [
        " & ".join(entry if row == column else "0" for column, entry in enumerate(entries))
        for row in range(len(entries))
    ]
    return "\\begin{pmatrix}" + " \\\\ ".join(rows) + "\\end{pmatrix}"


def _primes(found: re.Match[str]) -> str:
    return "'" * found[1].count("prime")


def _scale(found: re.Match[str]) -> str:
    name = "fahrenheit" if found[1][0] in "Ff" else "celsius"
    return f"{name}}}" if "}" in found[0] and "{" not in found[0] else name


def _turned(found: re.Match[str]) -> str:
    r"""``]1, 3]`` as ``(1, 3]``: a bracket that turns its back on the interval leaves its end out."""
    opening, low, mark, high, closing = found.groups()
    return f"{'(' if opening == ']' else opening}{low}{mark} {high}{')' if closing == '[' else closing}"


def _compared(found: re.Match[str]) -> str:
    return f"{found[1]} {_COMPARED[found[2]]} {found[3]}"


_GLUED = re.compile(r"(?<![A-Za-z\\])\\?(sin|cos|tan|cot|sec|csc|ln|log)x(?![A-Za-z])")
_COMPARED = {
    "greater than or equal to": r"\ge", "at least": r"\ge", "no less than": r"\ge", "not less than": r"\ge",
    "less than or equal to": r"\le", "at most": r"\le", "no more than": r"\le", "greater than": ">", "more than": ">",
    "less than": "<",
}  # fmt: skip
_COMPARISON = re.compile(
    rf"\A(?:all\s+)?([a-z])\s+(?:is\s+|are\s+)?(?:strictly\s+)?({'|'.join(_COMPARED)})\s+([-\d./]+)\Z"
)
_IN_FONT = r"(?:\A|(?<=\{{))\\{}(?![A-Za-z])\s*(?=[-\d.\\$])"
_BOUND = re.compile(r"\A(>=?|<=?|\\geq?(?![A-Za-z])|\\leq?(?![A-Za-z]))\s*(-?\d[\d./]*)\Z")
# What has to occur in a text, the pattern, and what takes its place.
_RULES: tuple[tuple[str, re.Pattern[str], _Replacement], ...] = (
    ("\\bf", re.compile(_IN_FONT.format("bf(?:series)?")), ""),
    ("\\rm", re.compile(_IN_FONT.format("rm")), ""),
    ("\\it", re.compile(_IN_FONT.format("it")), ""),
    ("\\not", re.compile(r"\\not\s*="), r"\\ne "),
    ("\\text{", re.compile(r"\A\\text\s*\{\s*(?:about|approximately|approx\.?)\s*\}\s*(?=[-\d\\])"), ""),
    ("mod", re.compile(r"\\text\s*\{\s*\(?\s*mod(?:ulo)?\.?\s+(\w+)\s*\)?\s*\}"), r"\\pmod{\1}"),
    ("US", re.compile(r"\bUS\s*\\?\$(?=\s*[\d.])"), r"\\$"),
    ("Rs", re.compile(r"\bRs\.?\s*(?=\d)"), "₹"),
    ("\\text{", re.compile(r"\\text\s*\{\s*([€£¥₹]|\\?\$)\s*\}"), r"\1"),
    ("/_", re.compile(r"\^\s*\{?(\d+)\}?\s*/\s*_\s*\{?(\d+)\}?"), r"\\frac{\1}{\2}"),
    ("\\sqrt", re.compile(_SQRT), r"\\sqrt[\1] "),
    ("+/-", re.compile(r"\+/-"), r"\\pm "),
    ("+-", re.compile(r"\A((?:[^\W\d_]+\s*=)?)\s*\+-\s*(?=[\w(\\])"), r"\1\\pm "),
    ("minus ", re.compile(r"\Aminus\s+(?=[\d.\\$])"), "-"),
    ("negative ", re.compile(r"\Anegative\s+(?=[\d.\\$])"), "-"),
    ("\\prime", re.compile(r"\^\s*\{?\s*((?:\\prime(?![A-Za-z])\s*)+)\}?"), _primes),
    ("{d}", re.compile(r"\\(?:mathrm|text|rm)\s*\{d\}\s*(?=[A-Za-z^])"), "d"),
    ("{d}", re.compile(rf"{_D_BY}\s*(?:\\left)?[\[(]?([a-z])\(\1\)(?:\\right)?[\])]?"), r"\2'(\1)"),
    ("{d}", re.compile(rf"{_D_BY}\s*([a-z])(?![A-Za-z(])"), r"\\frac{d\2}{d\1}"),
    ("/d", re.compile(rf"(?<![A-Za-z\\])d({_ORDER}[a-z])\s*/\s*d([a-z]{_ORDER})(?![A-Za-z])"), r"\\frac{d\1}{d\2}"),
    ("const", re.compile(r"(?<=[+-])\s*(?:\\(?:text|mathrm)\s*\{\s*)?const(?:ant|\.)?(?:\s*\})?\Z"), " C"),
    ("\\pm", re.compile(rf"{_INTEGER}\s*=\s*0\s*,\s*\\pm\s*1.*\Z", re.DOTALL), r", \1 \\in \\mathbb{Z}"),
    ("\\text{,", re.compile(r"\\text\s*\{\s*,\s*([A-Za-z][^{}]*)\}"), r", \\text{\1}"),
    ("\\text{,", re.compile(r"\\text\s*\{\s*,\s*\}"), ", "),
    ("nx", _GLUED, r"\\\1 x"),
    ("sx", _GLUED, r"\\\1 x"),
    ("tx", _GLUED, r"\\\1 x"),
    ("cx", _GLUED, r"\\\1 x"),
    ("gx", _GLUED, r"\\\1 x"),
    ("\\forall", re.compile(rf"(?<=[\w)}}])(?:[,\s]|{_SPACE})*\(?\\forall.*\Z", re.DOTALL), ""),
    ("\\lor", re.compile(r"(?<=[^A-Za-z])\\lor(?![A-Za-z])(?=.*[<>=])"), r"\\text{ or }"),
    ("\\Bbb", re.compile(r"\\Bbb(?![A-Za-z])"), r"\\mathbb"),
    ("sqrt(", re.compile(r"(?<=[a-z])sqrt\("), " sqrt("),
    ("log", re.compile(r"(?<![A-Za-z\\])log(2|10)\("), r"\\log_{\1}("),
    ("<", re.compile(r"\A([^<>]*=)?\s*<([^<>=]+,[^<>=]+)>\Z"), r"\1\\langle \2\\rangle "),
    ("diag", re.compile(r"(?:\\[a-z]+\s*\{\s*diag\s*\}|\bdiag)\s*(?:\\left)?\(([^()]+)\)"), _diagonal),
    ("rix(", re.compile(_PROGRAM), _matrix),
    ("array(", re.compile(_PROGRAM), _matrix),
    ("|", re.compile(r"\(\s*(-?[\d./]+)\s*\|\s*(-?[\d./]+)\s*\)"), r"(\1, \2)"),
    ("|", re.compile(r"\(\s*(-?[\d./]+)\s*\|\s*(-?[\d./]+)\s*\|\s*(-?[\d./]+)\s*\)"), r"(\1, \2, \3)"),
    ("{", re.compile(rf"\A\{{({_BUILDER}.*)\}}\Z"), r"\\{\1\\}"),
    ("sq.", re.compile(r"\b(sq)\.(?=\s*[a-z])"), r"\1 "),
    ("cu.", re.compile(r"\b(cu)\.(?=\s*[a-z])"), r"\1 "),
    ("old", re.compile(r"(\d(?:\s|\\text\s*\{|\\[ ,;])*years?)[\s-]+old\b"), r"\1"),
    ("egree", re.compile(r"\bdegrees?[\s}]+(?:\\text\s*\{\s*)?([Cc]elsius|[Ff]ahrenheit|[Cc]entigrade|C|F)\b"), _scale),
    ("watt-", re.compile(r"watt-(?=hour)"), "watt "),
    (" factorial", re.compile(r"\A(\d+|[a-z])\s+factorial\Z"), r"\1!"),
    (" out of ", re.compile(r"\A(\d+)\s+out\s+of\s+(?:the\s+)?(\d+)\Z"), r"\\frac{\1}{\2}"),
    (" equal", re.compile(r"\A([A-Za-z])\s+(?:equals|is\s+equal\s+to)\s+(?=[-\d\\(])"), r"\1 = "),
    (" choose ", re.compile(r"\A(\d+|[a-z])\s+choose\s+(\d+|[a-z])\Z"), r"\\binom{\1}{\2}"),
    ("root ", re.compile(r"\A(-?\d*)\s*(?:(?:the\s+)?square\s+)?root\s+(?:of\s+)?(\d+)\Z"), r"\1\\sqrt{\2}"),
    ("plus or minus ", re.compile(r"\bplus or minus (?=[\d\\])"), r"\\pm "),
    (" than ", _COMPARISON, _compared),
    (" at ", _COMPARISON, _compared),
    ("angle ", re.compile(r"\A(angle|triangle)\s+(?=[A-Z]{3}(?![A-Za-z]))"), r"\\\1 "),
    ("a ", re.compile(r"\Aan?\s+(?=[\d.]+\s*\\?%)"), ""),
    ("fl", re.compile(r"\b(?:fl\.?|fluid)\s*(?:oz\b|ounces?\b)"), "floz"),
)  # fmt: skip


_PLAIN_RULES = tuple(rule for rule in _RULES if "\\" not in rule[0] and rule[0] != "{d}")
_MARK = re.compile("|".join(sorted({re.escape(mark) for mark, _, _ in _RULES if mark != "{"})))  # which is common
_AT_START = frozenset(["{", "<", "minus ", "negative ", "+-"])  # marks of patterns for the whole text


def without_display(text: str) -> str:
    r"""The text without environments that only set a formula apart, and with ``\pmatrix{...}`` as an environment."""
    if "matrix{" in text:
        text = _PLAIN_MATRIX.sub(r"\\begin{\1matrix}\2\\end{\1matrix}", text)
    return _DISPLAY.sub(" ", text) if "\\begin" in text else text


def rewritten(text: str) -> str:
    """The text with these notations in the spelling that the grammar knows; any other text as it is."""
    if len(text) > MAX_LENGTH or _ARITHMETIC.match(text) or (text.isalnum() and "x" not in text):
        return text
    if "  " in text or "\n" in text:  # patterns would try every way to share long white space
        text = _BLANKS.sub(lambda found: "\n" if "\n" in found[0] else " ", text)
    if text[:1] in "<>" or text.startswith(("\\ge", "\\le")):
        text = _BOUND.sub(_ray, text)
    text = without_calls(text)
    if text[:1] == "{" or _MARK.search(text):
        for mark, pattern, replacement in _RULES if "\\" in text else _PLAIN_RULES:
            if mark in text and (mark not in _AT_START or pattern.match(text)):
                text = pattern.sub(replacement, text)
    if ("]" in text or text[-1:] == "[") and _has_turned(text):
        text = _TURNED.sub(_turned, text)
    if "\n" in text:
        text = _listed(text)
    if "\\\\" in text and "\\begin" not in text:
        text = _BREAK.sub(", ", text)
    return text


def _has_turned(text: str) -> bool:
    """Whether a bracket opens where one should close, or closes where one should open."""
    if text.count("[") + text.count("]") > 16:
        return False
    depth = 0
    for sign in text:
        if sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
            if depth < 0:
                return True
    return depth > 0 and text.rstrip().endswith("[")


def _listed(text: str) -> str:
    """Values on lines of their own as a list."""
    if "\\begin" in text:
        return text
    if _POINTS.search(text):
        return _POINTS.sub(", ", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or any(_WORDS.search(line) or not _LINES.match(line) for line in lines):
        return text
    return ", ".join(lines)
