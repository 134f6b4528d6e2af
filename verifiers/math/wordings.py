"""Words that say the same: short names of days and months, phrases that stand for sets and for infinity."""

from __future__ import annotations

import re
from collections.abc import Callable

from .answers.base import Answer
from .answers.collection import Collection
from .answers.family import Family
from .answers.intervals import EVERYTHING, piece
from .answers.realset import RealSet
from .answers.scalar import Scalar
from .tree import INFINITY, MINUS_INFINITY, ONE, TWO, ZERO

_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_SHORT = {
    **{name[:3]: name for name in (*_DAYS.split(), *_MONTHS.split())},
    "tues": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday", "sept": "september",
    "divergent": "diverges", "convergent": "converges", "diverge": "diverges", "converge": "converges",
    "infinite": "infinitely many", "none": "no solution", "undetermined": "cannot be determined",
    "indeterminate": "cannot be determined",
}  # fmt: skip
_SPELLINGS = {
    "colour": "color", "grey": "gray", "centre": "center",
}  # fmt: skip
_COMPASS = re.compile(r"\b(north|south)[\s-](east|west)\b")
_SUBJECT = re.compile(
    r"(?:it|(?:this |given )?(?:series|sequence|integral|function|relation|triangle|graph|curve|limit))\s+"
    r"(?:(?:is|was|will\s+be)\s+)?(?:on\s+(?=\w+day\Z))?|on\s+(?=\w+day\Z)"
)
_SOLUTIONS = re.compile(
    r"(?:there (?:is|are) |has |have )?(?:(?P<none>no)(?: real| such| possible| valid| integer)?"
    r" (?:solutions?|roots?|values?|numbers?|integers?)(?: exists?| possible)?"
    r"|(?P<many>infinite(?:ly many)?)(?: real)?(?: solutions?| of them| many)?)\Z"
)
_TRIANGLE = re.compile(r"(isosceles|equilateral|scalene|right|acute|obtuse)(?: angled)?(?: triangle)?\Z")
_RIGHT = re.compile(r"\bright angled\b")
_CLASS = re.compile(
    r"(even|odd|increasing|decreasing|periodic|continuous|linear|quadratic|exponential) function\Z"
    r"|(?:it is )?(rational|irrational|prime|composite|even|odd|imaginary) number\Z"
    r"|(parallel|perpendicular|skew|intersecting) lines\Z|(neither) \w+ nor \w+\Z"
)

PHRASES: dict[str, Callable[[], Answer]] = {
    **dict.fromkeys(
        ("all real numbers", "all reals", "real numbers", "any real number", "all real values", "every real number",
         "all real number", "set of all real numbers", "set of real numbers", "reals", "any real value",
         "all real values of x", "all values of x", "for all real numbers", "any real x", "all real x"),
        lambda: RealSet((EVERYTHING,)),
    ),
    **dict.fromkeys(
        ("positive real numbers", "positive reals", "all positive real numbers", "all positive reals",
         "set of positive real numbers", "set of all positive real numbers"),
        lambda: RealSet((piece(ZERO, INFINITY, "()"),)),
    ),
    **dict.fromkeys(
        ("even integers", "all even integers", "set of even integers", "set of all even integers"),
        lambda: Family.of_class(ZERO, TWO),
    ),
    **dict.fromkeys(
        ("odd integers", "all odd integers", "set of odd integers", "set of all odd integers"),
        lambda: Family.of_class(ONE, TWO),
    ),
    **dict.fromkeys(
        ("no solution", "empty set", "null set", "no answer"),
        lambda: Collection((), True),
    ),
    **dict.fromkeys(
        ("infinity", "positive infinity", "plus infinity", "infinitely many"), lambda: Scalar(INFINITY)
    ),
    **dict.fromkeys(("negative infinity", "minus infinity"), lambda: Scalar(MINUS_INFINITY)),
}  # fmt: skip


def worded(text: str) -> str:
    """The words of a normalised text in one wording; those that have no other stay as they are."""
    if text in _SHORT:
        return _SHORT[text]
    if " " not in text:
        return _SPELLINGS.get(text, text)
    text = _COMPASS.sub(r"\1\2", text)
    if (subject := _SUBJECT.match(text)) and not text.endswith("solution"):
        text = text[subject.end() :]
        text = _SHORT.get(text, text)
    if found := _SOLUTIONS.match(text):
        return "no solution" if found["none"] else "infinitely many"
    if found := _TRIANGLE.match(text):
        return found[1]
    if found := _CLASS.match(text):
        return str(found[found.lastindex or 0])
    text = _RIGHT.sub("right", text)
    return " ".join(_SPELLINGS.get(word, word) for word in text.split())
