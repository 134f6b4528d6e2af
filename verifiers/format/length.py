"""``LengthFormat``: is the text as long as asked, in a unit that is named?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InputError
from ..base import Result, Verifier
from .final import final_text
from .units import paragraphs, sentences, visible, words

_COUNTS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(words(text)),
    "sentences": lambda text: len(sentences(text)),
    "paragraphs": lambda text: len(paragraphs(text)),
}


class LengthFormat(Verifier[int | Sequence[int | None] | None]):
    """Whether the text after the reasoning has between ``least`` and ``most`` units, both included. Score 1 or 0.

    Characters are Unicode code points, white space at both ends apart; words, sentences and paragraphs are counted as
    in ``assay.verifiers.format.units``; tokens by the tokenizer given. To *shape* a score by length, see
    ``assay.verifiers.shaping``.

    The reference of a row is None for the bounds given here, a number (exactly so many), or a pair (least, most) of
    numbers or None.

    Args:
        unit: ``characters``, ``words``, ``sentences``, ``paragraphs`` or ``tokens``.
        least: The smallest count allowed, None for no bound.
        most: The largest count allowed, None for no bound.
        tokenizer: For ``tokens``: an object with ``encode(text, add_special_tokens=False)``, as in transformers.

    Raises:
        InputError: An unknown unit, bounds that nothing satisfies, tokens without a tokenizer or the reverse.

    >>> LengthFormat("words", most=3).verify(["one two three", "one two three four"], [None, None])[1].reason
    '4 words, expected at most 3'
    """

    def __init__(
        self, unit: str = "words", *, least: int | None = None, most: int | None = None, tokenizer: Any = None
    ) -> None:
        if unit not in (*_COUNTS, "tokens"):
            raise InputError(f"unit is {unit!r}; expected one of {', '.join([*_COUNTS, 'tokens'])}")
        if (unit == "tokens") != (tokenizer is not None):
            raise InputError("a tokenizer goes with unit='tokens' and with no other unit")
        if wrong := _wrong(least, most):
            raise InputError(wrong)
        self.unit = unit
        self.least = least
        self.most = most
        self.tokenizer = tokenizer

    def _verify_one(self, completion: str, reference: int | Sequence[int | None] | None, **columns: Any) -> Result:
        bounds = (self.least, self.most) if reference is None else _bounds(reference)
        if bounds is None or (wrong := _wrong(*bounds)):
            reason = wrong if bounds else f"the reference is {reference!r}; expected a count or a pair (least, most)"
            return Result.bad_reference(reason)
        text = final_text(completion)
        if text is None:
            return Result.no_answer("the reasoning never ends")
        count = self._count(visible(text).strip())
        least, most = bounds
        details = {"count": count, "unit": self.unit}
        if (least is None or count >= least) and (most is None or count <= most):
            return Result.correct(details=details)
        return Result.incorrect(reason=f"{count} {self.unit}, expected {_range(least, most)}", details=details)

    def _count(self, text: str) -> int:
        if self.unit == "tokens":
            return len(self.tokenizer.encode(text, add_special_tokens=False))
        return _COUNTS[self.unit](text)


def _bounds(reference: Any) -> tuple[int | None, int | None] | None:
    if isinstance(reference, int) and not isinstance(reference, bool):
        return reference, reference
    if not isinstance(reference, Sequence) or len(reference) != 2:
        return None
    least, most = reference
    if any(bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)) for bound in (least, most)):
        return None
    return least, most


def _wrong(least: int | None, most: int | None) -> str:
    """What is wrong about two bounds; "" when nothing is."""
    if least is None and most is None:
        return "neither a smallest nor a largest count is given; expected at least one of them"
    if (most is not None and most < 0) or (least is not None and most is not None and least > most):
        return f"no text has a count between {least} and {most}"
    return ""


def _range(least: int | None, most: int | None) -> str:
    if least == most:
        return f"exactly {least}"
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"
