"""Text to tokens: LaTeX, plain text and SymPy notation, in one pass of one expression."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .. import vocabulary as words
from ..unit_table import UNITS
from . import numerals
from .errors import TooLarge, Unreadable

MAX_CHARACTERS = 4000
MAX_TOKENS = 1500

_FONT = "|".join(sorted(words.FONTS, key=len, reverse=True))
_MASTER = re.compile(
    rf"""
      (?P<skip>\s+|\\[,;:!\s]|~|\\\Z|\\(?:[hv]space|[hv]?phantom|tag|label)\*?\s*\{{[^{{}}]*\}})
    | (?P<by>[xX](?=\s*10\s*(?:\^|\*\*)))
    | (?P<word>[^\W\d_]+)
    | (?P<integer>\d+(?![\d.,'\s\\{{eE]))
    | (?P<repeating>{numerals.REPEATING})
    | (?P<dotted>{numerals.DOTTED})
    | (?P<grouped>{numerals.GROUPED})
    | (?P<plain>{numerals.PLAIN})
    | (?P<ellipsis>\.\.\.)
    | (?P<text>\\(?:{_FONT})\*?\s*\{{(?:\s|~|\\[,;:!\s])*
        (?P<content>[^\W\d_](?:[\w\s.'’/-]*[^\W_.])?)(?:[\s.~]|\\[,;:!\s])*\}})
    | (?P<sets>\\mathbb\s*(?:\{{\s*(?P<set>[A-Z])\s*\}}|(?P<bare>[A-Z]))|\\(?P<short>[RZQNC])(?![A-Za-z]))
    | (?P<silent>\\(?:left|right)\s*\.)
    | (?P<command>\\[A-Za-z]+)
    | (?P<escape>\\\\(?:\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in)\s*\])?|\\[{{}}%$|_&\#])
    | (?P<rel><=|>=|=>|!=|==|->|:=|[=<>])
    | (?P<op>\*\*|.)
    """,
    re.VERBOSE | re.DOTALL,
)  # fmt: skip
_ALONE = frozenset("+/^_(){}[],;|")  # signs that are a token whatever stands beside them
_PLAIN = re.compile(numerals.PLAIN)
_RELATIONS = {"=": "=", "==": "=", ":=": "=", "=>": "implies", "->": "to", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_LETTERS = re.compile(r"[A-Za-z]")
_BLANKS = re.compile(r"\s+")
_NAME = re.compile(r"\\[A-Za-z]+")
_BRACKET = re.compile(r"\s*(?:\\left)?\s*[(\[]")


class Token(NamedTuple):
    """A token: its kind, what it stands for, and where in the text it starts and ends."""

    kind: str
    value: Any
    start: int
    end: int


_new = (
    tuple.__new__
)  # a token without the call of a constructor in Python, which is made for every sign of every answer


def _commands() -> dict[str, tuple[str, Any]]:
    table: dict[str, tuple[str, Any]] = dict.fromkeys(words.SPACING, ("skip", ""))
    table |= {name: ("sym", words.SPELLINGS.get(name, name)) for name in words.GREEK}
    table |= {name: ("fn", function) for name, function in words.FUNCTIONS.items()}
    table |= dict.fromkeys(words.FRACTIONS, ("frac", "")) | dict.fromkeys(words.BINOMIALS, ("binom", ""))
    table |= {name: ("big", kind) for name, kind in words.BIG.items()}
    table |= {name: ("accent", mark) for name, mark in words.ACCENTS.items()}
    table |= dict.fromkeys(words.FONTS, ("font", ""))
    table |= words.SIGNS
    table |= {"pmod": ("mod", "("), "bmod": ("mod", ""), "mod": ("mod", ""), "choose": ("choose", "")}
    table |= {"begin": ("begin", ""), "end": ("close", ""), "color": ("color", 1), "textcolor": ("color", 1)}
    table |= {"colorbox": ("color", 1), "fcolorbox": ("color", 2), "over": ("over", ""), "cr": ("row", "")}
    table |= dict.fromkeys(words.BRACED, ("braced", "")) | {"imath": ("word", "i"), "jmath": ("word", "j")}
    table |= {"Delta": ("sym", "Delta"), "gamma": ("sym", "gamma"), "zeta": ("sym", "zeta"), "arg": ("fn", "arg")}
    return table


_COMMANDS = _commands()
# Commands with which no other branch of the expression begins.
_SHARED = words.FONTS | {"left", "right", "zeta"}
_UNSHARED = {f"\\{name}": meant for name, meant in _COMMANDS.items() if name not in _SHARED}
_WORDS: dict[str, tuple[str, Any]] = (
    {name: ("fn", function) for name, function in words.FUNCTIONS.items() if name not in ("gamma", "zeta", "root")}
    | {name: ("const", value) for name, value in words.CONSTANT_WORDS.items()}
    | {name: ("join", kind) for name, kind in words.CONNECTIVES.items()}
    | {name: ("sym", words.SPELLINGS.get(name, name)) for name in words.GREEK if name.islower() and len(name) > 1}
    | {"Re": ("sym", "Re"), "Im": ("sym", "Im")}
    | {"mod": ("mod", ""), "modulo": ("mod", ""), "in": ("word", "in")}
)
_ESCAPES = {"\\\\": ("row", "")} | {f"\\{name}": words.SIGNS.get(name, ("op", name)) for name in "{}%$|_&#"}


def tokenize(text: str) -> list[Token]:
    """The tokens of ``text``, spacing and font commands dropped.

    Raises:
        TooLarge: The text is too long, or a numeral in it.
        Unreadable: A command or a sign is not known.
    """
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"{len(text)} characters; at most {MAX_CHARACTERS} are read", MAX_CHARACTERS)
    tokens: list[Token] = []
    depth = position = 0
    length = len(text)
    while position < length:
        value: Any = text[position]
        start = position
        if value in _ALONE or (value == "-" and not text.startswith(">", position + 1)):
            kind = "op"  # half of all signs, without a look at the expression
            position += 1
            depth += (value in "([") - (value in ")]")
        else:
            kind, value, position = _next(text, start, tokens, bool(depth))
            if kind == "skip":
                continue
            if kind == "op":
                depth += (value in _OPENING) - (value in _CLOSING)
        tokens.append(_new(Token, (kind, value, start, position)))
    if len(tokens) > MAX_TOKENS:
        raise TooLarge(f"more than {MAX_TOKENS} signs", tokens[MAX_TOKENS].start)
    tokens.append(Token("end", "", length, length))
    return _unaligned(tokens) if "&" in text else tokens


def _next(text: str, start: int, tokens: list[Token], inside: bool) -> tuple[str, Any, int]:
    """What starts there: its kind, "skip" for nothing; what it stands for; where it ends.

    Args:
        text: The whole text.
        start: Where to look.
        tokens: Those before it.
        inside: Whether a bracket is open, in which a comma parts items and no thousands.
    """
    if text[start] == "\\" and (name := _NAME.match(text, start)) and (known := _UNSHARED.get(name[0])):
        return *known, name.end()
    found = _MASTER.match(text, start)
    assert found is not None  # its last branch takes any sign
    group = found.lastgroup
    if group == "skip" or group == "silent":
        return "skip", "", found.end()
    if group == "grouped" and found["mark"] in ", " and (inside or _continues_list(tokens, start)):
        found = _PLAIN.match(text, start)
        assert found is not None  # whatever is grouped begins with digits
        return "num", numerals.plain(found[0]), found.end()
    if group == "rel" and found[0] == "!=" and _is_factorial(tokens, start):
        return "op", "!", start + 1
    kind, value = _READERS[group](found, start)  # type: ignore[index]
    if kind == "word" and group == "text" and value in UNITS and _ends_value(tokens):
        kind = "text"  # 5\text{ m}
    return kind, value, found.end()


_OPENING = frozenset(["(", "[", "\\{"])
_CLOSING = frozenset([")", "]", "\\}"])


def _unaligned(tokens: list[Token]) -> list[Token]:
    """The tokens without the marks that align relations: ``x &= 1`` is one cell."""
    kept = []
    for index, token in enumerate(tokens):
        beside = (tokens[index - 1].kind, tokens[min(index + 1, len(tokens) - 1)].kind)
        if not (token.kind == "op" and token.value == "&" and "rel" in beside):
            kept.append(token)
    return kept


def _ends_value(tokens: list[Token]) -> bool:
    """Whether the last token ends a value, after which a letter in upright type is a unit."""
    return bool(tokens) and (tokens[-1].kind in ("num", "const") or tokens[-1].value in (")", "}"))


def _continues_list(tokens: list[Token], start: int) -> bool:
    """Whether a numeral follows a comma that follows a number at once: ``36,36,108`` is a list."""
    return len(tokens) > 1 and tokens[-1].value == "," and tokens[-1].end == start and tokens[-2].kind == "num"


def _is_factorial(tokens: list[Token], start: int) -> bool:
    """Whether ``!=`` after the last token is a factorial and an equals sign: ``5!=120``, not ``x!=3``, ``5 != 3``."""
    return bool(tokens) and tokens[-1].end == start and (tokens[-1].kind == "num" or tokens[-1].value == ")")


def _word(found: re.Match[str], _start: int) -> tuple[str, Any]:
    if found[0] == "min" and found.string[found.end() : found.end() + 1] not in ("(", "{", "_"):
        return "word", "min"  # minutes
    if found[0] in words.APPLIED_WORDS and found.string[found.end() : found.end() + 1] in ("(", "["):
        return "name", found[0]
    return _WORDS.get(found[0]) or ("word", found[0])


def _text(found: re.Match[str], _start: int) -> tuple[str, Any]:
    content = _BLANKS.sub(" ", found["content"])
    if len(content) == 1 and _LETTERS.match(content):
        if content in "ijk" and found[0].startswith(("\\mathbf", "\\boldsymbol", "\\bm", "\\pmb")):
            return "sym", f"vec {content}"
        return "word", content
    if content in words.APPLIED_WORDS and _BRACKET.match(found.string, found.end()):
        return "name", content
    return _WORDS.get(content) or ("text", content)


def _command(found: re.Match[str], start: int) -> tuple[str, Any]:
    known = _COMMANDS.get(found[0][1:])
    if found[0] == "\\zeta" and _BRACKET.match(found.string, found.end()):
        return "fn", "zeta"
    if known is None and (glued := re.match(r"\\q?quad(?=[A-Za-z])", found[0])):
        return "word", found[0][glued.end() :]
    if known is None:
        raise Unreadable(f"unknown command {found[0]}", start)
    return known


def _relation(found: re.Match[str], _start: int) -> tuple[str, Any]:
    return "rel", _RELATIONS.get(found[0], found[0])


def _operator(found: re.Match[str], start: int) -> tuple[str, Any]:
    sign = found[0]
    if sign == "**":
        return "op", "^"
    if sign in "+-*/^_(){}[]|,;:!'&%$.°\"":
        return "op", sign
    if sign in "€£¥¢₹₽":
        return "money", sign
    raise Unreadable(f"unknown sign {sign!r}", start)


_READERS = {
    "integer": lambda found, start: ("num", numerals.integer(found[0])),
    "repeating": lambda found, start: ("num", numerals.repeating(found[0])),
    "dotted": lambda found, start: ("num", numerals.dotted(found[0])),
    "grouped": lambda found, start: ("num", numerals.grouped(found[0])),
    "plain": lambda found, start: ("num", numerals.plain(found[0])),
    "ellipsis": lambda found, start: ("dots", ""),
    "by": lambda found, start: ("op", "*"),
    "word": _word,
    "text": _text,
    "sets": lambda found, start: ("numbers", found["set"] or found["bare"] or found["short"]),
    "command": _command,
    "escape": lambda found, start: _ESCAPES[found[0][:2]],
    "rel": _relation,
    "op": _operator,
}
