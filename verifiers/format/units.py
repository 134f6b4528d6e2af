"""The units that constraints count: words, sentences, paragraphs. Every count of the package uses these rules.

* **Word**: what stands between white space, dashes (–, —) and slashes, stripped of punctuation at its ends, if a letter
  or a digit is left. ``well-known``, ``don't`` and ``3.14`` are one word each. Text that is written without spaces
  (Chinese, Japanese, Thai) counts each such run as one word.
* **Sentence**: words up to a word that ends in ``.``, ``!``, ``?``, ``…`` or their full-width forms, closing quotes and
  brackets allowed after it. Abbreviations (``Mr.``, ``e.g.``), initials (``J.``) and list numbers do not end one. A
  blank line, a heading and the start of a list item end one too. Symbols after the end (an emoji) belong to the
  sentence before them.
* **Paragraph**: what stands between blank lines.

All of them take time linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BREAKS = str.maketrans(dict.fromkeys("–—―/…", " "))
_EDGES = (
    "".join(chr(code) for code in range(33, 128) if not chr(code).isalnum())
    + "“”‘’«»‹›„‚…·•¡¿。、，！？；：（）「」『』।"
)
_LETTER = re.compile(r"[^\W_]")
_CLOSERS = "\"'”’)]}»›*_`」』）"
_ENDS = ".!?…。！？।؟"
_WIDE_ENDS = str.maketrans({mark: f"{mark} " for mark in "。！？।"})
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])(?=\s)")
# The first never end a sentence; the others do when a capital letter follows.
_NEVER_ENDS = frozenset(
    [
        "mr.",
        "mrs.",
        "ms.",
        "dr.",
        "prof.",
        "st.",
        "sr.",
        "jr.",
        "gen.",
        "col.",
        "sgt.",
        "capt.",
        "lt.",
        "rev.",
        "hon.",
        "vs.",
        "e.g.",
        "i.e.",
        "cf.",
        "fig.",
        "eq.",
        "no.",
        "vol.",
        "pp.",
        "al.",
        "approx.",
        "dept.",
        "est.",
        "mt.",
    ]
)
_MAY_END = frozenset(
    [
        "etc.",
        "inc.",
        "ltd.",
        "co.",
        "corp.",
        "a.m.",
        "p.m.",
        "u.s.",
        "u.k.",
        "u.n.",
        "e.u.",
        "ph.d.",
        "jan.",
        "feb.",
        "aug.",
        "sept.",
        "oct.",
        "nov.",
        "dec.",
    ]
)
_INVISIBLE = dict.fromkeys(
    [
        *(code for code in range(32) if chr(code) not in "\t\n\v\f\r"),
        0x7F,
        0xAD,
        0x180E,
        0x200B,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2060, 0x206A),
        0xFEFF,
    ]
)


def visible(text: str) -> str:
    """``text`` without characters that print nothing: control characters, zero-width spaces, marks of direction.

    The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
    """
    return text if text.isprintable() else text.translate(_INVISIBLE)


def words(text: str) -> list[str]:
    """The words of a text in order, as written.

    >>> words("Don't stop — it's 3.14, well-known!")
    ["Don't", 'stop', "it's", '3.14', 'well-known']
    """
    found = []
    for token in text.translate(_BREAKS).split():
        word = token.strip(_EDGES)
        if word and (word.isalnum() or _LETTER.search(word)):
            found.append(word)
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, white space inside them made single blanks.

    >>> sentences("Dr. Who came at 5 p.m. today. Why? J. R. knows!")
    ['Dr. Who came at 5 p.m. today.', 'Why?', 'J. R. knows!']
    """
    return [" ".join(tokens) for tokens in _sentences(text) if any(map(_LETTER.search, tokens))]


def paragraphs(text: str) -> list[str]:
    """What stands between blank lines, stripped; empty ones left out."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines).strip() for lines in found if lines]


def terminator(sentence: str) -> str:
    """The marks that end a sentence (``.``, ``?!``), closing quotes and symbols after them apart; "" without any."""
    index = len(sentence)
    while index and sentence[index - 1] not in _ENDS:
        if sentence[index - 1].isalnum():
            return ""
        index -= 1
    start = index
    while start and sentence[start - 1] in _ENDS:
        start -= 1
    return sentence[start:index]


def _sentences(text: str) -> Iterator[list[str]]:
    current: list[str] = []
    ended = False
    for line in text.translate(_WIDE_ENDS).splitlines():
        stripped = line.strip()
        item = _ITEM.match(stripped)
        if not stripped or item or stripped.startswith("#"):
            if current:
                yield current
            current, ended = [], False
        tokens = (stripped[item.end() :] if item else stripped).split()
        for index, token in enumerate(tokens):
            if ended and _LETTER.search(token):
                yield current
                current, ended = [], False
            current.append(token)
            if not ended:
                ended = _ends(token, tokens[index + 1] if index + 1 < len(tokens) else "")
        if stripped.startswith("#") and current:
            yield current
            current, ended = [], False
    if current:
        yield current


def _ends(token: str, following: str) -> bool:
    """Whether a sentence ends with this token; ``following`` is the next one on the line, "" at its end."""
    core = token.rstrip(_CLOSERS)
    if not core or core[-1] not in _ENDS:
        return False
    if core[-1] != "." or not following:
        return True
    lowered = core.lstrip("\"'“‘([{*_").lower()
    if lowered in _NEVER_ENDS or (len(lowered) == 2 and lowered != "i." and core[-2].isupper()):
        return False
    if lowered in _MAY_END:
        return following.lstrip("\"'“‘([{*_")[:1].isupper()
    return True
