"""Numbers that shape a reward beside correctness: length, repetition, language. Pure functions; none judges an answer.

Add them to a correctness reward, never put them in its place, and let filters and evaluation look at correctness alone.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from ..bounds import fraction
from ..errors import InputError

_WORD = re.compile(r"\w+")


def soft_overlong(length: int, *, longest: int, cache: int) -> float:
    """0 up to ``longest - cache`` tokens, then falling evenly to -1 at ``longest`` and beyond.

    DAPO's soft overlong punishment (Yu et al. 2025, https://arxiv.org/abs/2503.14476, equation 13).

    Args:
        length: Tokens of the completion.
        longest: The most tokens a completion can have.
        cache: Over how many tokens the punishment grows, 1 to ``longest``.

    Raises:
        InputError: ``cache`` is out of its range.

    >>> [soft_overlong(n, longest=100, cache=20) for n in (80, 90, 100, 120)]
    [0.0, -0.5, -1.0, -1.0]
    """
    if not 1 <= cache <= longest:
        raise InputError(f"cache is {cache}; expected 1 to longest={longest}")
    return max(-1.0, min(0.0, (longest - cache - length) / cache))


def cosine_length(
    length: int,
    correct: bool,
    *,
    longest: int,
    right: tuple[float, float] = (1.0, 0.5),
    wrong: tuple[float, float] = (-1.0, -0.5),
    exceeded: float = -1.0,
) -> float:
    """Short right answers get most, short wrong ones least: between the two ends half a cosine over the length.

    The cosine reward of Yeo et al. 2025 (https://arxiv.org/abs/2502.03373).

    Args:
        length: Tokens of the completion.
        correct: Whether it is right.
        longest: The length from which on it counts as exceeded.
        right: The reward of a right answer at length 0 and at ``longest``.
        wrong: That of a wrong one.
        exceeded: That of a completion of ``longest`` tokens or more.

    >>> [cosine_length(n, True, longest=100) for n in (0, 50, 100)]
    [1.0, 0.75, -1.0]
    """
    if length >= longest:
        return exceeded
    at_zero, at_longest = right if correct else wrong
    return at_longest + 0.5 * (at_zero - at_longest) * (1.0 + math.cos(math.pi * length / longest))


def repetition(text: str, *, size: int = 3, worst: float = -1.0) -> float:
    """``worst`` times the share of word n-grams that occurred before: 0 where none repeats, or there is none.

    The repetition penalty of Yeo et al. 2025 (https://arxiv.org/abs/2502.03373).

    Args:
        text: The completion.
        size: n.
        worst: What a text that says one thing for ever comes near, 0 or less.

    Raises:
        InputError: ``size`` or ``worst`` is out of its range.

    >>> repetition("a b c d e")
    0.0
    >>> repetition("no no no no")
    -0.5
    """
    if size < 1 or worst > 0.0:
        raise InputError(f"size is {size} and worst {worst}; expected 1 or more, and 0 or less")
    words = _WORD.findall(text.lower())
    grams = [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
    repeated = len(grams) - len(set(grams))
    return worst * repeated / len(grams) if repeated else 0.0


def script_consistency(text: str, script: str = "LATIN") -> float:
    """The share of letters that belong to a script, 1 where there are no letters.

    DeepSeek-R1 (https://arxiv.org/abs/2501.12948, section 2.3.2) rewards the share of target-language words; the script
    tells English and Chinese, or English and Russian, apart without a dictionary. It does not tell English from French.

    Args:
        text: The completion.
        script: The first word of Unicode's names of its letters: LATIN, CYRILLIC, GREEK, CJK, HIRAGANA, ARABIC, ...

    >>> script_consistency("2 + 2 = 4, 因为 yes")
    0.6
    """
    letters = [unicodedata.name(letter, "") for letter in text if letter.isalpha()]
    return sum(name.startswith(script) for name in letters) / len(letters) if letters else 1.0


def partial_credit(
    scores: Sequence[float | None],
    correct: Sequence[bool | None],
    groups: Sequence[range],
    *,
    coefficient: float = 0.5,
) -> list[float | None]:
    """1 for correct; ``coefficient`` times the score in groups where nothing is correct; 0 elsewhere.

    So a group that nobody solved still tells better attempts from worse, and one that somebody solved is judged by
    correctness alone.

    Args:
        scores: In [0, 1], None where the judge failed.
        correct: None where the judge failed.
        groups: Index ranges; a row in none of them counts as a group of its own.
        coefficient: In [0, 1].
    """
    fraction(coefficient=coefficient)
    solved = [bool(right) for right in correct]
    for group in groups:
        if any(correct[row] for row in group):
            for row in group:
                solved[row] = True
    return [
        None if score is None else float(right) if right or in_solved_group else coefficient * score
        for score, right, in_solved_group in zip(scores, map(bool, correct), solved, strict=True)
    ]
