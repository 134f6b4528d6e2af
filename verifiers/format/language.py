"""``LanguageFormat``: is the text in one language, the one asked for or the prompt's own?"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ... import bounds
from ...errors import InputError
from ..base import Result, Verifier
from .units import visible

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|https?://\S+|</?\w+>", re.DOTALL)
_LOOKED_AT = 4_000  # characters that are looked at: more do not change the language
# Scripts that belong to one language of the identifier, by their Unicode block; and those to tell Latin text from.
_BLOCKS: Sequence[tuple[int, int, str]] = (
    (0x0041, 0x024F, "latin"),
    (0x0370, 0x03FF, "el"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0530, 0x058F, "hy"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x077F, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x09FF, "bn"),
    (0x0A00, 0x0A7F, "pa"),
    (0x0A80, 0x0AFF, "gu"),
    (0x0B00, 0x0B7F, "or"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0C80, 0x0CFF, "kn"),
    (0x0D00, 0x0D7F, "ml"),
    (0x0D80, 0x0DFF, "si"),
    (0x0E00, 0x0E7F, "th"),
    (0x0E80, 0x0EFF, "lo"),
    (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"),
    (0x1200, 0x137F, "am"),
    (0x1780, 0x17FF, "km"),
    (0x1E00, 0x1EFF, "latin"),
    (0x3040, 0x30FF, "ja"),
    (0x3400, 0x9FFF, "han"),
    (0xAC00, 0xD7AF, "ko"),
)
_SEVERAL = {"latin", "cyrillic", "arabic", "devanagari", "han"}
SCRIPTS: Mapping[str, str] = {
    **dict.fromkeys(["be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "uk"], "cyrillic"),
    **dict.fromkeys(["ar", "fa", "ps", "ug", "ur"], "arabic"),
    **dict.fromkeys(["hi", "mr", "ne"], "devanagari"),
    "zh": "han",
    **{name: name for _, _, name in _BLOCKS if name not in _SEVERAL},
}


def language_of(text: str) -> str | None:
    """The ISO 639-1 code of a text's language, None where it has too few letters to tell.

    Scripts that one language uses decide alone; among the languages of a shared script the n-gram model of
    ``py3langid`` (Lui and Baldwin 2012, langid.py) does, without any random draw.

    >>> language_of("Der Hund schläft heute auf dem Sofa."), language_of("ಕನ್ನಡ ಭಾಷೆ"), language_of("42")
    ('de', 'kn', None)
    """
    prose = _prose(text)
    counts = script_counts(prose)
    total = sum(counts.values())
    if not total:
        return None
    script = max(counts, key=lambda name: counts[name])
    if counts.get("ja", 0) * 10 >= total:  # kana beside Chinese characters: Japanese
        return "ja"
    if script not in _SEVERAL:
        return script
    if script == "han":
        return "zh"
    if total < 12:
        return None
    return _of_script(prose, script)


def script_counts(text: str) -> dict[str, int]:
    """How many characters of each script a text has; a script with one language goes by the language's code."""
    counts: dict[str, int] = {}
    if text.isascii():
        letters = sum(map(str.isalpha, text))
        return {"latin": letters} if letters else {}
    for character in text:
        code = ord(character)
        if code < 0x41 or (code < 0x250 and not character.isalpha()):
            continue
        name = "latin" if code < 0x250 else _block(code)
        if name:
            counts[name] = counts.get(name, 0) + 1
    return counts


class LanguageFormat(Verifier[str | None]):
    """Whether a text is written in one language. The score is the share of its letters in that language's script.

    The language is the row's reference (an ISO 639-1 code), else the one given here, else the prompt's own: the
    language consistency of DeepSeek-R1 (Guo et al. 2025, https://arxiv.org/abs/2501.12948, section 2.3.2: the share of
    words in the target language, summed with the accuracy). Correct: that language is identified and at least ``share``
    of the letters are of its script; code, formulas, tags and links do not count. The *whole* completion is judged, the
    reasoning too.

    Args:
        language: An ISO 639-1 code; None: the reference's or the prompt's.
        share: In (0, 1].

    Raises:
        InputError: ``share`` is out of range, or the code is unknown.

    >>> LanguageFormat("en").verify(["Plain English sentence.", "Ein Satz, der deutsch ist."], [None] * 2)[1].reason
    'the language is de, expected en'
    """

    def __init__(self, language: str | None = None, *, share: float = 0.95) -> None:
        bounds.share(share=share)
        if language is not None and language not in languages():
            raise InputError(
                f"language is {language!r}; expected an ISO 639-1 code like 'en', one of {' '.join(languages())}"
            )
        self.language = language
        self.share = share

    def _verify_one(self, completion: str, reference: str | None, **columns: Any) -> Result:
        wanted = reference or self.language or language_of(_text(columns.get("prompts", columns.get("prompt", ""))))
        if wanted is None or wanted not in languages():
            return Result.bad_reference(
                f"the language is {wanted!r}; expected an ISO 639-1 code or a prompt that has one"
            )
        found = language_of(completion)
        if found is None:
            return Result.no_answer("too few letters to tell a language")
        counts = script_counts(_prose(completion))
        script = SCRIPTS.get(wanted, "latin")
        own = counts.get(script, 0) + (counts.get("han", 0) if wanted == "ja" else 0)
        share = own / sum(counts.values())
        parts = {"identified": float(found == wanted), "script": share}
        if found != wanted:
            return Result.incorrect(answer=found, reason=f"the language is {found}, expected {wanted}", parts=parts)
        if share >= self.share:
            return Result.correct(answer=found, parts=parts)
        return Result.partial(share, answer=found, reason=f"{share:.0%} of the letters are of its script", parts=parts)


def _prose(text: str) -> str:
    return _CODE.sub(" ", visible(text)[:_LOOKED_AT])


def _text(prompt: Any) -> str:
    """A prompt as text: the last message where it is a conversation."""
    if isinstance(prompt, str):
        return prompt
    last = prompt[-1] if isinstance(prompt, Sequence) and prompt else {}
    content = last.get("content", "") if isinstance(last, Mapping) else ""
    return content if isinstance(content, str) else ""


@functools.lru_cache(maxsize=4096)
def _block(code: int) -> str:
    return next((name for low, high, name in _BLOCKS if low <= code <= high), "")


@functools.cache
def languages() -> tuple[str, ...]:
    """The codes that can be identified, sorted."""
    return tuple(sorted({*_labels(), *SCRIPTS}))


def _labels() -> list[str]:
    """The model's languages that have an ISO 639-1 code."""
    return [code for code in _model().labels if len(code) == 2]


@functools.cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


@functools.cache
def _identifier(script: str) -> Any:
    """The model restricted to the languages of a script; never written to once made."""
    identifier = copy.copy(_model())
    identifier.set_languages([code for code in _labels() if SCRIPTS.get(code, "latin") == script])
    return identifier


def _of_script(text: str, script: str) -> str:
    return str(_identifier(script).classify(text.lower())[0])
