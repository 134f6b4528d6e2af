"""Random texts that look like completions, and what every verifier must do with them.

``mutations`` makes texts by cutting, doubling and mixing a corpus of completions in all the forms that verifiers read.
The i-th text depends on the seed and on i alone. ``fuzz`` judges them and reports what broke the contract.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ..base import Result, Verifier

_CORPUS = (
    "The answer is (B).",
    "I first thought A, but the correct choice is B. No, wait, C.",
    "A. London\nB. Paris\nC. Rome\nD. Berlin",
    r"So we get \boxed{\frac{1}{2}} and \boxed{\text{B or C}}.",
    r"$\boxed{x^2 + 2x + 1 = (x+1)^2}$ for $x \in [0, \infty) \cup \{3\}$",
    r"\boxed{\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}}",
    "#### 1,234.50",
    "<think>Let me see: 2 + 2 = 4.</think>\n<answer>4</answer>",
    "<think>one <think>two</think></answer><answer>",
    '{"name": "Ada", "age": 36, "tags": ["a", "b"], "nested": {"x": null}}',
    '```json\n{"a": 1e400, "a": NaN}\n```',
    "```python\ndef f(x):\n    return x * 2\n```\ntext\n~~~\ncode",
    "# Title\n\n- one\n* two\n  - three\n1. four\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "Dear [name],\n\nSECTION 1\nThis is *bold* and **strong**.\n***\nP.S. Bring <<milk>>.",
    "Mr. Smith, e.g., left at 5 p.m. Why? Nobody knows! 😀 What?!",
    "She said, \"he said, 'go (now [or {never}])' to me\".",
    "Dies ist ein deutscher Satz. これは日本語です。 هذه جملة، باللغة العربية",
    "twenty-one thousand and five hundred; 3.14, -7, 1/3, 50%, ½, ４２, ٤٢",
    "My answer is yes. My answer is no.",
    'ID,Country,City,Year,Count\n1,"France",Paris,2020,3',
    "1805-12-02, 1806-10-14",
    "My Answer: a My Conclusion: b Future Outlook: c",
)
_PIECES = (
    *("\\boxed{", "}", "{", "(", ")", "[", "]", "<answer>", "</answer>", "<think>", "</think>", "```", "***", "******"),
    *(
        "\\text{",
        "\\frac{",
        "^{",
        "_",
        "$",
        "\\(",
        "\\)",
        "&",
        "\\\\",
        "%",
        "#",
        "|",
        "~~~",
        '"',
        "'",
        "“",
        "”",
        "*",
        "-",
    ),
    *(
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        " ",
        "\u00a0",
        "\u2028",
        "\x00",
        "\x1b",
        "\x85",
        "\ufeff",
        "\u200b",
        "\u202e",
        "\u0301",
    ),
    *("\ud800", "\udfff", "𝟒", "½", "😀", "👨‍👩‍👧", "İ", "ß", "ﬁ", "－", "−", "，", "。", "　", "ಠ", "ﷺ", "Ａ", "Ω"),
    *(
        "not ",
        "the answer is ",
        "A",
        "B",
        "or ",
        "and ",
        "wait, ",
        "no, ",
        "is wrong",
        "NaN",
        "Infinity",
        "1e999",
        "0",
        "9" * 40,
    ),
    *("P.S.", "<<", ">>", "[x]", "http://a.b/?c=d", "null", "true", ",", ".", "!", "?", ";", ":", "…", "?!"),
)


def mutations(count: int, *, seed: int = 0, start: int = 0) -> Iterator[str]:
    """Texts number ``start`` to ``start + count - 1`` of a seed."""
    for index in range(start, start + count):
        yield _mutant(Random(f"fuzz {seed} {index}"))


def _mutant(random: Random) -> str:
    text = random.choice(_CORPUS)
    for _ in range(random.randint(1, 8)):
        left, right = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
        match random.randrange(8):
            case 0:
                text = text[:left] + text[right:]
            case 1:
                text = text[:right] + text[left:]
            case 2:
                text = text[:left] + random.choice(_PIECES) + text[left:]
            case 3:
                text = text[:left] + random.choice(_PIECES) * random.randint(1, 40) + text[right:]
            case 4:
                text = text[right:] + text[left:right] + text[:left]
            case 5:
                text = text[:left] + random.choice(_CORPUS) + text[right:]
            case 6:
                text = text[:left] + chr(random.randrange(0x110000)) + text[left + 1 :]
            case _:
                text = text[:left] + text[left:right].swapcase()[::-1] + text[right:]
        text = text[:4000]
    return text


@dataclass(frozen=True, slots=True)
class Target:
    """A verifier to fuzz, with the references that it takes in turn."""

    verifier: Verifier[Any]
    references: Sequence[Any] = (None,)


@dataclass(frozen=True, slots=True)
class FuzzFailure:
    """A text that broke the contract.

    Attributes:
        verifier: The verifier's name.
        text: The text.
        why: ``no score: …``, ``score …``, ``slow: …`` or ``changed: …``.
    """

    verifier: str
    text: str
    why: str


def fuzz(targets: Sequence[Target], texts: Sequence[str], *, slow_seconds: float = 1.0) -> list[FuzzFailure]:
    """Judge every text by every target, twice in other batches, and list what broke the contract.

    Args:
        targets: What to fuzz. A reference must be one that the verifier can judge against.
        texts: What to judge.
        slow_seconds: The longest time that one text may take, both times.

    Returns:
        The failures; none when every text got a finite score in [0, 1], in time, and the same result again when the
        texts were judged in reverse order and in batches of seven.
    """
    failures = []
    for target in targets:
        name = target.verifier.name
        references = [target.references[index % len(target.references)] for index in range(len(texts))]
        target.verifier.verify(texts[:1], references[:1])  # a process that starts now is not what a text takes
        first = target.verifier.verify(texts, references)
        again = _backwards(target.verifier, texts, references)
        for text, one, other in zip(texts, first, again, strict=True):
            why = _broken(one)
            if not why and min(one.seconds, other.seconds) > slow_seconds:  # twice: a busy machine is not to blame
                why = f"slow: {one.seconds:.2f} s"
            if not why and replace(one, seconds=0.0) != replace(other, seconds=0.0):
                why = f"changed: {one.verdict} {one.answer!r} became {other.verdict} {other.answer!r}"[:300]
            if why:
                failures.append(FuzzFailure(name, text, why))
    return failures


def _backwards(verifier: Verifier[Any], texts: Sequence[str], references: Sequence[Any]) -> list[Result]:
    found: list[Result] = []
    for end in range(len(texts), 0, -7):
        start = max(0, end - 7)
        found += verifier.verify(texts[start:end][::-1], references[start:end][::-1])
    return found[::-1]


def _broken(result: Result) -> str:
    if result.score is None:
        return f"no score: {result.reason}"[:300]
    if not (math.isfinite(result.score) and 0.0 <= result.score <= 1.0):
        return f"score {result.score!r}"
    return ""
