"""``TextVerifier``: does the answer read like the reference, or like one of several?"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..errors import InputError
from .base import Result, Verifier
from .format.final import boxed, claims, final_text, retracted, tagged
from .format.numerals import with_digits
from .format.units import sentences, visible, words

_MODES = ("exact", "normalised", "f1")
_ARTICLES = frozenset({"a", "an", "the"})
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_LATEX = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|mbox)\s?\{([^{}]{0,500})\}")
_TOO_LONG = 10_000


class TextVerifier(Verifier[str | Sequence[str]]):
    r"""Whether the answer is the reference text, or one of several reference texts.

    The answer is the content of the last ``\boxed{…}``, else of the last ``<answer>…</answer>``, else what follows the
    last "the answer is" or "answer:", to the end of its sentence, else the whole text after the reasoning. An answer
    that is taken back afterwards ("that is wrong") is none. The unit of comparison is:

    * ``exact``: the answer's characters, white space at both ends apart.
    * ``normalised``: the sequence of words. A word is in compatibility form (NFKC) and case-folded, without punctuation
      at its ends; articles are dropped; numbers in words become digits ("twenty-one" is ``21``), ``1,000`` is ``1000``
      and ``%`` is the word percent.
    * ``f1``: the bag of the same words; the score is the harmonic mean of precision and recall (Rajpurkar et al. 2016,
      SQuAD, https://arxiv.org/abs/1606.05250), the best one over the references. 1 is correct, and so is ``threshold``
      and more where one is given; below, the result is partial.

    Args:
        mode: One of ``exact``, ``normalised``, ``f1``.
        threshold: For ``f1``: in (0, 1]. The verdict is then correct or incorrect; the F1 itself is in ``parts``.
        slots: False takes the whole text after the reasoning as the answer.

    Raises:
        InputError: An unknown mode, a threshold out of range or without ``f1``.

    >>> verifier = TextVerifier()
    >>> verifier.verify(["The answer is: twenty-one apples."], [["21 apples", "a dozen"]])[0].score
    1.0
    """

    def __init__(self, mode: str = "normalised", *, threshold: float | None = None, slots: bool = True) -> None:
        if mode not in _MODES:
            raise InputError(f"mode is {mode!r}; expected one of {', '.join(_MODES)}")
        if threshold is not None and (mode != "f1" or not 0.0 < threshold <= 1.0):
            raise InputError(
                f"threshold is {threshold!r} with mode {mode!r}; expected a number in (0, 1] with mode 'f1'"
            )
        self.mode = mode
        self.threshold = threshold
        self.slots = slots

    def _verify_one(self, completion: str, reference: str | Sequence[str], **columns: Any) -> Result:
        references = [reference] if isinstance(reference, str) else reference
        if not _are_texts(references) or (self.mode != "exact" and not all(map(_tokens, references))):
            return Result.bad_reference(
                f"the reference is {reference!r}; expected a text with a word in it, or several such"
            )
        found = final_text(completion)
        if found is None:
            return Result.no_answer("the reasoning never ends")
        answer, tail = _answer(found) if self.slots else (found, "")
        answer = answer.strip()
        if not answer:
            return Result.no_answer("the answer is empty")
        if retracted(visible(tail)):
            return Result.no_answer("the answer is taken back")
        if self.mode == "f1":
            return self._graded(answer, references)
        if any(self._equal(answer, wanted) for wanted in references):
            return Result.correct(answer=answer)
        return Result.incorrect(answer=answer, reason=f"{answer[:80]!r} is not {references[0][:80]!r}")

    def _equal(self, answer: str, wanted: str) -> bool:
        if self.mode == "exact":
            return answer == wanted.strip()
        return len(answer) <= _TOO_LONG + len(wanted) and _tokens(answer) == _tokens(wanted)

    def _graded(self, answer: str, references: Sequence[str]) -> Result:
        got = _tokens(answer)
        f1 = max(_f1(got, _tokens(wanted)) for wanted in references)
        parts = {"f1": f1}
        reason = "" if f1 == 1.0 else f"token F1 is {f1:.3g}"
        if f1 >= (self.threshold or 1.0):
            return Result.correct(answer=answer, parts=parts, reason=reason)
        if self.threshold is not None or f1 == 0.0:
            return Result.incorrect(answer=answer, reason=reason, parts=parts)
        return Result.partial(f1, answer=answer, reason=reason, parts=parts)


def _are_texts(references: Any) -> bool:
    return (
        isinstance(references, Sequence)
        and not isinstance(references, bytes)
        and len(references) > 0
        and all(isinstance(text, str) and text.strip() for text in references)
    )


def _answer(text: str) -> tuple[str, str]:
    """The last slot's content and what follows it; the whole text where there is no slot."""
    for slots in (boxed(text), tagged(text)):
        if slots:
            _, end, content = slots[-1]
            return _LATEX.sub(r"\1", content), text[end:]
    stated = claims(text)
    if not stated:
        return text, ""
    _, end, line = stated[-1]
    sentence = next(iter(sentences(line)), "")
    rest = line.split(maxsplit=len(sentence.split()))[len(sentence.split()) :]
    return _LATEX.sub(r"\1", sentence), " ".join([*rest, text[end:]])


def _tokens(text: str) -> list[str]:
    """The words that are compared: see ``TextVerifier``."""
    plain = unicodedata.normalize("NFKC", visible(text)).casefold().replace("−", "-").replace("%", " percent ")
    signed = plain.lstrip().startswith("-")
    plain = _GROUPED.sub(lambda match: match[0].replace(",", ""), plain).replace("-", " ")
    kept = [word for word in words(plain) if word not in _ARTICLES]
    # A text that is nothing but an article or a sign is compared as it stands.
    tokens = with_digits(kept) or plain.split()
    return [f"-{tokens[0]}", *tokens[1:]] if signed and tokens and tokens[0][:1].isdigit() else tokens


def _f1(got: Sequence[str], wanted: Sequence[str]) -> float:
    common = sum((Counter(got) & Counter(wanted)).values())
    return 2.0 * common / (len(got) + len(wanted)) if common else 0.0
