"""Text to a typed answer, with the other readings that an ambiguous notation allows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from . import words
from .alternatives import alternatives
from .answers.assignment import Assignment
from .answers.base import Answer
from .answers.formula import Formula, Reaction
from .answers.interpret import interpret
from .answers.opaque import Opaque
from .answers.scalar import Scalar
from .answers.text import Text, normal
from .parsing import TooLarge, Unreadable, parse
from .parsing.lexer import MAX_CHARACTERS
from .parsing.numerals import plain
from .special import special
from .tidy import is_prose, tidy
from .tree import Node, number

CACHED_ANSWERS = 4096
_NUMBER = re.compile(r"(-?)\s?(\d+(?:\.\d+)?|\.\d+)\Z")
_EXCEPT = re.compile(
    r"(?:\\text\s*\{)?\s*all\s+real(?:s|\s+numbers)\s+except(?:\s+for)?\s*\}?\s*(.+)\Z", re.IGNORECASE | re.DOTALL
)
_AND = re.compile(r"\s*,?\s+and\s+")
_ELEMENT = re.compile(r"[\d{}^_\s]*(?:[A-Z]|\\(?:mathrm|text|ce|rm|mathbf)(?![a-z]))")
_ARROWS = re.compile(r"=|->|⇌|arrow|\\to(?![a-z])|harpoons")
_SIGNS = re.compile(r"[-+*/^_=<>|]|\\(?:d?frac|sqrt|cdot|times|sin|cos|tan|ln|log)(?![A-Za-z])")
_SHORT_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,3}(?![A-Za-z])")
_SIGN = re.compile(r"[+*/^=<>|]|-(?![A-Za-z])|\\(?:pm|mp|n?eq?|[lg]eq?|cdot|times|frac|sqrt|in|to)(?![A-Za-z])")
_STRUCTURE = re.compile(r"\\(?:text|mathrm|mbox|textbf)\s*|[{}$]")


def read(text: str) -> Answer:
    """The answer that a text most plainly stands for.

    Raises:
        Unreadable: It is neither mathematics that is known nor a short text.
        TooLarge: It exceeds a limit.
    """
    simple = _number(text)
    if simple is not None:
        return simple
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"{len(text)} characters; at most {MAX_CHARACTERS} are read", MAX_CHARACTERS)
    return read_tidied(tidy(text))


@lru_cache(maxsize=CACHED_ANSWERS)
def read_tidied(bare: str) -> Answer:
    """The answer of a tidied text; remembered, for the completions of one group come to few different answers."""
    answer = _number(bare) or _excepted(bare) or special(bare) or _parsed(bare)
    answer.__dict__["text"] = bare  # answers are frozen, and their text is no part of what they are
    return answer


def readings(text: str, *, reference: bool = False) -> Iterator[Answer]:
    """The answer, then what its notation could also mean: a decimal comma, a list instead of thousands, a substance.

    Args:
        text: What was written.
        reference: Whether it is a reference, of which "1,2" is a list, though "0,5" is a decimal.
    """
    simple = _number(text)
    if simple is not None:
        yield simple
        return
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"{len(text)} characters; at most {MAX_CHARACTERS} are read", MAX_CHARACTERS)
    bare = tidy(text)
    first: Answer | None = None
    error: Unreadable | None = None
    try:
        first = read_tidied(bare)
        yield first
        if isinstance(first, Scalar) and first.node.op in ("num", "dec"):
            return
    except TooLarge:
        raise
    except Unreadable as problem:
        error = problem
    for answer in alternatives(bare, first, _respelled, reference=reference):
        answer.__dict__["text"] = bare
        error = None
        yield answer
    chemical = _chemical(bare)
    if chemical is not None:
        yield chemical
    elif error is not None:
        raise error


def _number(text: str) -> Answer | None:
    """A plain integer or decimal."""
    found = _NUMBER.match(text)
    if found is None:
        return None
    node = plain(found[2])
    if found[1]:
        node = number(-node.value) if node.op == "num" else Node("neg", (node,))
    return Scalar(node)


def _excepted(bare: str) -> Answer | None:
    """``all real numbers except 3``."""
    found = _EXCEPT.match(bare) if "except" in bare else None
    return _parsed(f"\\mathbb{{R}}\\setminus\\{{{_AND.sub(', ', found[1])}\\}}") if found else None


def _parsed(bare: str) -> Answer:
    """The answer of the grammar, or a text where there are words and nothing else could be made of it."""
    scaled = words.scaled(bare)
    try:
        answer = interpret(parse(scaled))
    except TooLarge:
        raise
    except Unreadable:
        if (spelled := _in_letters(scaled)) is not None:
            return spelled
        if is_prose(bare):
            return Text(_told(bare))
        raise
    if isinstance(answer, Opaque) or (isinstance(answer, Assignment) and isinstance(answer.value, Text | Opaque)):
        return _in_letters(scaled) or answer
    return answer


def _in_letters(text: str) -> Answer | None:
    """A formula in which a short word or a unit is a product of its letters, ``ax+by``, ``mg/k``; else None."""
    if not _SIGNS.search(text) or not _SHORT_WORD.search(text):
        return None
    try:
        return interpret(parse(text, letters=True))
    except TooLarge:
        raise
    except Unreadable:
        return None


def _told(bare: str) -> str:
    """The words of a sentence; signs of mathematics among them are words too, so that none is lost."""
    signs = _SIGN.findall(_STRUCTURE.sub(" ", bare)) if _SIGNS.search(bare) else []
    return normal(bare) + (f" {''.join(signs)}" if signs else "")


def _chemical(bare: str) -> Answer | None:
    """A substance or a reaction."""
    if not _ELEMENT.match(bare):
        return None
    return Reaction.from_text(bare) if _ARROWS.search(bare) else Formula.from_text(bare)


def _respelled(spelling: str) -> Answer:
    return _excepted(spelling) or special(spelling) or _parsed(spelling)
