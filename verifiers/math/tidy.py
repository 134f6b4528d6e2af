"""The bare answer: without the wrapping that typesetting, Markdown and sentences put around it."""

from __future__ import annotations

import re

from .characters import to_latex
from .notations import rewritten, without_display

_TAIL = re.compile(
    r"(?:\s|\\[,;:!\s]|\\q?quad(?![A-Za-z])|[.](?!\.\.)|[,;]|\\text\s*\{[\s.,]*\}|\\checkmark|[✓✔✅]|\\\Z)+\Z"
)
_ENDINGS = (*"\\.,; !:", "quad", "mark", *"✓✔✅", "{}", " }", ".}", ",}")  # of the texts in which a tail is looked for
_HEAD = re.compile(r"(?:\s|\\[,;:!\s]|\\q?quad(?![A-Za-z])|\\displaystyle(?![A-Za-z])|~)+")
_WRAPPERS = (
    ("$$", "$$"),
    ("\\[", "\\]"),
    ("\\(", "\\)"),
    ("$", "$"),
    ("**", "**"),
    ("`", "`"),
    ('"', '"'),
    ("*", "*"),
    ("__", "__"),
    ("'", "'"),
)
_WRAPPED = frozenset("$\\*`\"_'")
_JOINED = re.compile(r"\\(?:text|mbox|textrm|mathrm)\s*\{\s*[,;]\s*(and|or)\s*\}")
_PLAIN_DOLLAR = re.compile(r"(?<!\\)\$")
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_SIGNED_MONEY = re.compile(r"\A-\s*(\\?\$)\s*(?=\d)")
COMMANDS = re.compile(r"\\[A-Za-z]+\s*(?:\{[^{}\s]*\})?")
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0600-\uffff]{3}")  # scripts in which a few letters are a sentence
_ESCAPED = re.compile(r"\\\\(?=[A-Za-z]{2}|[(){}\[\],;!$%])")
PROSE_WORDS = 2
MAX_ROUNDS = 40


def tidy(text: str) -> str:
    """``text`` in LaTeX, without math delimiters, boxes around the whole, Markdown and final punctuation."""
    text = without_display(to_latex(text))
    if "\\\\" in text and "\\begin" not in text:
        text = _ESCAPED.sub(r"\\", text)  # backslashes doubled by some escaping on the way
    for _ in range(MAX_ROUNDS):
        before = text
        text = _unpunctuated(text.strip())
        if text[:1] in _WRAPPED:
            text = _unwrapped(text)
        if text == before:
            break
    if "\\text" in text or "\\mbox" in text or "\\mathrm" in text:
        text = _JOINED.sub(r", \\text{\1}", text)
    if "{-}" in text:
        text = text.replace("{-}", "-")
    if "$" in text:
        text = _without_dollars(text)
    return rewritten(text)


def _unpunctuated(text: str) -> str:
    if text[:1] in ("\\", "~"):
        text = _HEAD.sub("", text, count=1) if _HEAD.match(text) else text
    if text.endswith(_ENDINGS) and (not text.endswith("...") or text.endswith("....")):
        found = _TAIL.search(text, max(0, len(text) - 40))
        if found and not (text[found.start() - 1 : found.start()] == "\\" and text[found.start()] in ",;"):
            text = text[: found.start()]
    return text


def _unwrapped(text: str) -> str:
    box = _BOX.match(text)
    if box:
        end = closing_brace(text, box.end() - 1)
        return text[box.end() : end] if end == len(text) - 1 else text
    for opening, closing in _WRAPPERS:
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening) + len(closing):
            inside = text[len(opening) : len(text) - len(closing)]
            nested = inside.strip().startswith(opening) and inside.strip().endswith(closing)
            if (nested or (opening not in inside and closing not in inside)) and not inside.endswith("\\"):
                return inside
    return text


def _without_dollars(text: str) -> str:
    """Math delimiters go, in pairs; a lone dollar sign is money."""
    if len(_PLAIN_DOLLAR.findall(text)) % 2 == 0:
        text = _PLAIN_DOLLAR.sub(" ", text)
    return _SIGNED_MONEY.sub(r"\1-", text).strip()


def closing_brace(text: str, opening: int) -> int:
    """The index of the brace that closes the one at ``opening``; -1 for none. Escaped braces do not count."""
    depth = 0
    for found in _BRACES.finditer(text, opening):
        sign = found[0]
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return found.start()
    return -1


_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def is_prose(text: str) -> bool:
    """Whether a text consists of words more than of mathematics."""
    words = _WORD.findall(COMMANDS.sub(" ", text))
    return sum(len(word) > 1 for word in words) >= PROSE_WORDS or any(_UNSPACED.search(word) for word in words)
