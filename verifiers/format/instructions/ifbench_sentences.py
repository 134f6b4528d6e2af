"""IFBench: the instructions about sentences in their order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..units import sentences, words
from .constraint import Checks
from .keywords import occurrences

SENTENCES = Checks()


@SENTENCES.named("sentence:keyword")
def keyword(text: str, *, word: str, N: int) -> str:  # noqa: N803 - the data set's name
    """The N-th sentence has the keyword."""
    found = sentences(text)
    if not 1 <= N <= len(found):
        return f"{len(found)} sentences, so there is no sentence {N}"
    return "" if occurrences(found[N - 1], word) else f"sentence {N} does not have {word!r}"


@SENTENCES.named("sentence:increment")
def increment(text: str, *, small_n: int) -> str:
    """Each sentence has exactly so many words more than the one before."""
    lengths = [len(words(sentence)) for sentence in sentences(text)]
    if len(lengths) < 2:
        return f"{len(lengths)} sentences, expected at least two"
    for index, (before, after) in enumerate(itertools.pairwise(lengths), start=2):
        if after - before != small_n:
            return f"sentence {index} has {after} words after one of {before}, expected {before + small_n}"
    return ""


@SENTENCES.named("sentence:alliteration_increment")
def alliteration_increment(text: str) -> str:
    """The longest run of words with the same first letter grows from sentence to sentence."""
    runs = [_longest_run(words(sentence)) for sentence in sentences(text)]
    if len(runs) < 2:
        return f"{len(runs)} sentences, expected at least two"
    for index, (before, after) in enumerate(itertools.pairwise(runs), start=2):
        if after <= before:
            return f"sentence {index} has {after} alliterative words in a row after one with {before}"
    return ""


def _longest_run(spoken: Sequence[str]) -> int:
    longest = current = 0
    last = ""
    for word in spoken:
        initial = word[0].casefold()
        current = current + 1 if initial == last else 1
        longest, last = max(longest, current), initial
    return longest
