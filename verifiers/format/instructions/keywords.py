"""Finding given words and phrases in a text, spelled honestly or not."""

from __future__ import annotations

import functools
import re
import unicodedata

# Letters of other scripts that look like Latin ones (a selection of Unicode's confusables.txt, UTS 39).
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһӏԛԝмтквнзɑαοερντιυκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХІЈЅ",
    "aeopcyxijsdhlqwmtkbhзaaoepvtiukxABEZHIKMNOPTYXABEKMHOPCTXIJS",
)


def occurrences(text: str, phrase: str) -> int:
    """How often a word or phrase stands in a text as whole words, case ignored, white space in it free.

    >>> occurrences("Cat, cat and category: a CAT.", "cat")
    3
    """
    return sum(1 for _ in _pattern(phrase).finditer(text))


def hidden_occurrences(text: str, phrase: str) -> int:
    """As ``occurrences``, also through look-alike letters of other scripts, full-width forms and accents' variants."""
    plain = unicodedata.normalize("NFKC", text)
    return max(occurrences(plain, phrase), occurrences(plain.translate(_LOOK_ALIKES), phrase))


@functools.lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, phrase.split()))
    start = r"(?<!\w)" if phrase.strip()[:1].isalnum() else ""
    end = r"(?!\w)" if phrase.strip()[-1:].isalnum() else ""
    return re.compile(start + body + end, re.IGNORECASE)
