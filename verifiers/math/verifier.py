"""``MathVerifier``: extract an answer, read it, compare it with the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..base import Result, Verifier

_MARKERS = re.compile(r"(?:the\s+)?(?:final\s+)?answer\s*(?:is|:)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:/\d+)?\Z")


class MathVerifier(Verifier[str]):
    """Judges the last answer of a completion against a gold answer."""

    def verify_answers(self, answers: Sequence[str], references: Sequence[str], **columns: Any) -> list[Result]:
        """The same for answers that are already extracted from their completions."""
        return self.verify([f"\\boxed{{{answer}}}" for answer in answers], references)

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        answer = _extract(completion)
        if answer is None:
            return Result.no_answer("no final answer was found")
        if _read(answer) == _read(_extract(reference) or reference):
            return Result.correct(answer=answer)
        return Result.incorrect(answer=answer, reason=f"{answer} against {reference}")


def _extract(text: str) -> str | None:
    text = text.rpartition("</think>")[2]
    start = text.rfind("\\boxed{")
    if start >= 0:
        depth = 0
        for index in range(start + 6, len(text)):
            depth += (text[index] == "{") - (text[index] == "}")
            if depth == 0:
                return text[start + 7 : index]
        return None
    found = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
    if found:
        return found.group(1)
    if "####" in text:
        return text.rpartition("####")[2].strip().split("\n")[0]
    found = next(iter(list(_MARKERS.finditer(text))[-1:]), None)
    return text[found.end() :].split("\n")[0].rstrip(". ") if found else None


def _read(text: str) -> Fraction | str:
    text = text.strip().strip("$").replace(",", "").replace(" ", "")
    if _NUMBER.match(text):
        try:
            return Fraction(text)
        except (ValueError, ZeroDivisionError):
            return text
    return text
