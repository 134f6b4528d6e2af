"""Letters side by side: names to be multiplied, or a word."""

from __future__ import annotations

from ..units import WORDS as UNIT_WORDS
from ..vocabulary import CONDITIONS

_ENGLISH = frozenset(
    (
        "is it of the all any are not per by no yes odd one two six ten red new old has was its via can be as an am pm "
        "if so we us he she him her but out off few day "
        "man men box cup pen egg ways way sum mod dne nan undefined none "
        "pct to sq cu fl"
    ).split()
)


_NEVER = frozenset("no yes odd or and mod to per dne nan none if is't for all any not".split())
MAX_WORD = 3


def may_be_product(word: str) -> bool:
    """Whether a word could be names to be multiplied if nothing else made sense: ``by`` in ``ax+by``, ``mg``."""
    return len(word) <= MAX_WORD and word.isascii() and word.isalpha() and word.lower() not in _NEVER


def is_product(word: str) -> bool:
    """Whether letters are names to be multiplied rather than a word or a unit: short, or capitals throughout."""
    if len(word) == 1:
        return word.isascii()
    if not word.isascii() or word in UNIT_WORDS or word.lower() in _ENGLISH or word in CONDITIONS:
        return False
    return len(word) <= 3 or (word.isupper() and len(word) <= 6)
