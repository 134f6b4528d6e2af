"""``InstructionVerifier``: does a response keep the constraints that its prompt set?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....errors import InputError
from ...base import Result, Verifier
from ..final import final_text
from ..units import visible
from .tables import bind

Constraints = Mapping[str, Any]


class InstructionVerifier(Verifier[Constraints | str]):
    """Whether the text after the reasoning keeps every constraint of its prompt.

    The reference of a row is what IFEval's and IFBench's data files give: ``instruction_id_list``, n names, and
    ``kwargs``, n mappings of arguments (those that are None count as absent); as a mapping, or as its JSON text where a
    data set's columns must be plain. All constraints kept: correct, score 1. Otherwise the score is the share that is
    kept (partial), or 0 with ``partial=False``. Each constraint has its score in ``parts``, its reason in ``details``.

    *Strict* judges the text as it is. *Loose* (Zhou et al. 2023, https://arxiv.org/abs/2311.07911, section 3.2) lets a
    constraint pass on any of eight readings: with or without the first line, the last line, and the asterisks of
    Markdown emphasis.

    Args:
        loose: Whether to judge loosely.
        partial: Whether some kept constraints score their share.

    >>> row = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    >>> InstructionVerifier().verify(["No, never.", "Never."], [row, row])[0].reason
    'punctuation:no_comma: 1 commas'
    """

    def __init__(self, *, loose: bool = False, partial: bool = True) -> None:
        self.loose = loose
        self.partial = partial

    def _verify_one(self, completion: str, reference: Constraints | str, **columns: Any) -> Result:
        try:
            checks = bound(reference)
        except InputError as error:
            return Result.bad_reference(str(error))
        text = final_text(completion)
        text = visible(text) if text is not None else ""
        if not text.strip():
            return Result.no_answer("there is no text after the reasoning")
        readings = loose_readings(text) if self.loose else [text]
        reasons: dict[str, str] = {}
        for name, check in checks.items():
            try:
                reasons[name] = _first_of(check, readings)
            except InputError as error:  # an argument that only its check can judge
                return Result.bad_reference(f"{name}: {error}")
        parts: dict[str, float | None] = {name: float(not reason) for name, reason in reasons.items()}
        broken = {name: reason for name, reason in reasons.items() if reason}
        if not broken:
            return Result.correct(parts=parts)
        reason = "; ".join(f"{name}: {why}" for name, why in broken.items())
        share = 1.0 - len(broken) / len(checks)
        if self.partial and share:
            return Result.partial(share, reason=reason, parts=parts, details={"broken": broken})
        return Result.incorrect(reason=reason, parts=parts, details={"broken": broken})


def bound(reference: Any) -> dict[str, Callable[[str], str]]:
    """The checks of a reference by name; a name that comes twice gets ``#2``.

    Raises:
        InputError: The reference is not of the form that ``InstructionVerifier`` describes.
    """
    if isinstance(reference, str):
        try:
            reference = json.loads(reference)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the reference is not the JSON text of a mapping: {error}") from error
    if not isinstance(reference, Mapping):
        raise InputError(
            f"the reference is {type(reference).__name__}; expected a mapping with instruction_id_list and kwargs"
        )
    names, arguments = reference.get("instruction_id_list"), reference.get("kwargs")
    if not isinstance(names, list | tuple) or not isinstance(arguments, list | tuple) or len(names) != len(arguments):
        raise InputError("instruction_id_list and kwargs must be two lists of the same length")
    if not names:
        raise InputError("instruction_id_list is empty; expected at least one instruction")
    checks: dict[str, Callable[[str], str]] = {}
    for name, given in zip(names, arguments, strict=True):
        if given is not None and not isinstance(given, Mapping):
            raise InputError(f"the kwargs of {name} are {given!r}; expected a mapping")
        key, number = str(name), 2
        while key in checks:
            key, number = f"{name}#{number}", number + 1
        checks[key] = bind(str(name), given or {})
    return checks


def loose_readings(text: str) -> list[str]:
    """The eight readings of the loose criterion that are not empty, each once, the text itself first."""
    lines = text.strip().split("\n")
    cut = [text, "\n".join(lines[1:]), "\n".join(lines[:-1]), "\n".join(lines[1:-1])]
    return list(dict.fromkeys(reading for part in cut for reading in (part, part.replace("*", "")) if reading.strip()))


def _first_of(check: Callable[[str], str], readings: Sequence[str]) -> str:
    """Why the first reading fails, or "" when one of them passes."""
    first = ""
    for index, reading in enumerate(readings):
        reason = check(reading)
        if not reason:
            return ""
        first = first if index else reason
    return first
