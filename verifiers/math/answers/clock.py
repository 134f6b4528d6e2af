"""Times of day and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..equality.outcome import EQUAL, Outcome, unequal
from ..tree import number
from .base import Answer
from .ratio import Ratio

if TYPE_CHECKING:
    from ..compare import Judge

_LATEX = re.compile(r"\\(?:text|mbox|textrm|mathrm)\s*|[{}~]|\\[,;:!\s]")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})\Z")
_PART_OF_DAY = r"(?:in\s+the\s+(morning|afternoon|evening)|at\s+(night))"
_TIME = re.compile(
    r"(?:at\s+)?(\d{1,2})(?:\s?:\s?(\d{2})(?::(\d{2}))?)?\s*(?:([ap])\.?\s*m\.?|o'clock|(noon|midnight)|h)?\s*(?:([ap])\.?\s*m\.?)?"
    rf"\s*{_PART_OF_DAY}?\Z",
    re.I,
)
_HOURS = {name: hour for hour, name in enumerate(
    "one two three four five six seven eight nine ten eleven twelve".split(), start=1)}  # fmt: skip
_WORDED = re.compile(
    rf"(?:an?\s+)?(half|quarter)\s+(past|to)\s+(\d{{1,2}}|{'|'.join(_HOURS)})(?:\s*([ap])\.?\s*m\.?)?\s*{_PART_OF_DAY}?\Z",
    re.I,
)
_SPOKEN = {"noon": (12, "p"), "midday": (12, "p"), "midnight": (12, "a")}
_MONTHS = {name: index for index, name in enumerate(
    "jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}  # fmt: skip
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATES = (
    re.compile(rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{3,4}}))?\Z", re.I),
    re.compile(
        rf"(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{3,4}}))?\Z", re.I
    ),
)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})\Z")


@dataclass(frozen=True)
class Clock(Answer):
    """A time of day; ``half`` is "a", "p" or empty where it was not said."""

    hour: int
    minute: int
    second: int = 0
    half: str = ""
    label: ClassVar[str] = "a time of day"

    @classmethod
    def from_text(cls, text: str) -> Clock | None:
        """``4:30 p.m.``, ``16:30``, ``9 a.m.``; None for anything else: a bare number is no time."""
        plain = " ".join(_LATEX.sub(" ", text).split())
        if words := _WORDED.match(plain):
            part, side, named, spoken, day, night = words.groups()
            return cls._of_quarters(part, side, named, (spoken or "").lower() or _half(day, night))
        found = _TIME.match(plain)
        if found is None:
            return None
        hour, minute, second, early, named, late, day, night = found.groups()
        half = (early or late or ("p" if named and named.lower() == "noon" else "a" if named else "")).lower()
        half = half or _half(day, night)
        if (minute is None and not half and "clock" not in text) or int(hour) > 24 or int(minute or 0) > 59:
            return None
        return cls(int(hour), int(minute or 0), int(second or 0), half)

    @classmethod
    def from_words(cls, words: str) -> Clock | None:
        """Noon and midnight."""
        found = _SPOKEN.get(words)
        return cls(found[0], 0, 0, found[1]) if found else None

    @classmethod
    def _of_quarters(cls, part: str, side: str, named: str, half: str) -> Clock | None:
        """``half past 4``, ``quarter to five in the afternoon``."""
        hour = _HOURS.get(named.lower()) or int(named)
        minutes = 30 if part.lower() == "half" else 15
        past = side.lower() == "past"
        if not 1 <= hour <= 12 or (minutes == 30 and not past):
            return None
        return cls(hour if past else (hour - 2) % 12 + 1, minutes if past else 60 - minutes, 0, half)

    def equals(self, other: Clock, judge: Judge) -> Outcome:
        hours = self.hour, other.hour
        if (self.half and other.half) or max(hours) > 12 or min(hours) == 0:
            same = self._of_day() == other._of_day()
        else:
            same = (self.hour, self.minute, self.second) == (other.hour, other.minute, other.second)
        return EQUAL if same else unequal("another time")

    def _of_day(self) -> tuple[int, int, int]:
        hour = self.hour % 12 + (12 if self.half == "p" else 0) if self.half else self.hour % 24
        return hour, self.minute, self.second

    def views(self) -> Iterator[Answer]:
        if not self.half and not self.second and self.minute:
            yield Ratio((number(self.hour), number(self.minute)))


def _half(day: str | None, night: str | None) -> str:
    """Which half of the day "in the morning" and "at night" name; empty where nothing was said."""
    return ("a" if (day or "").lower() == "morning" else "p") if day or night else ""


@dataclass(frozen=True)
class Date(Answer):
    """A day of a month, in a year where one was said."""

    month: int
    day: int
    year: int | None
    label: ClassVar[str] = "a date"

    @classmethod
    def from_text(cls, text: str) -> Date | None:
        """``July 4, 1776``, ``4 July 1776``, ``1776-07-04``, ``7/4/1776``."""
        plain = " ".join(_LATEX.sub(" ", text).split())
        if found := _ISO.match(plain):
            return cls(int(found[2]), int(found[3]), int(found[1]))
        if (found := _SLASHED.match(plain)) and int(found[1]) <= 12:
            return cls(int(found[1]), int(found[2]), int(found[3]))
        for form in _DATES:
            if found := form.match(plain):
                return cls(_MONTHS[found["month"][:3].lower()], int(found["day"]), int(found["year"] or 0) or None)
        return None

    def equals(self, other: Date, judge: Judge) -> Outcome:
        if (self.month, self.day) != (other.month, other.day):
            return unequal("another day")
        return EQUAL if None in (self.year, other.year) or self.year == other.year else unequal("another year")
