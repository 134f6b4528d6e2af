"""``ChoiceVerifier``: which of the lettered options did the completion choose?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from .base import Result, Verifier
from .format.final import boxed, claims, final_text, retracted, tagged
from .format.letters import denied_before, denies, letters_in, unwrap
from .format.units import visible, words

_MOST_STATEMENTS = 2_000  # a text that claims more often says nothing
_JOINT = re.compile(
    r"\W{0,3}(?:and|or|/|,|&|either)\W{0,3}(?:or\W{0,3}|and\W{0,3}|option\W|choice\W){0,2}\Z", re.IGNORECASE
)
# Nothing but signs, numbers and hedges between two letters: "A → B", "A. 12 B. 13", "A but maybe B".
_HEDGE = re.compile(
    r"[^A-Za-z]{0,12}(?:(?:and|or|but|maybe|perhaps|possibly|also|else|either|even|to|through|vs|versus|unless|no"
    r"|wait|say|option|choice|oder"
    r"|ou|et|und|y|o|e|или|и)\b[^A-Za-z]{0,6}){0,6}\Z",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(r"[)\]]?\s?[.):,;]?\s+[a-z]")  # "B fails because": a sentence about another letter
_PICK = re.compile(
    r"\b(?:(?:choose|pick|select|go(?:ing)? with|opt for|settle on)\b:?"
    r"|(?:correct|right|best) (?:option|letter|one|statement) (?:is|must be|:)"
    r"|(?:so|thus|hence|therefore),? (?:it|that)(?:['’]s| is| must be)\b)",
    re.IGNORECASE,
)
_SAID_RIGHT = re.compile(
    r"(?<![\w'’])\(?(?P<letter>[A-Z])\)? (?:is|must be) (?:therefore |thus |clearly )?"
    r"(?:the )?(?:(?:correct|right|best|final)\b|answer\b)(?: answer| choice| option)?"
)


@dataclass(frozen=True, slots=True)
class _Event:
    """A place where letters are chosen or a letter is denied."""

    start: int
    end: int
    letters: frozenset[str]


class ChoiceVerifier(Verifier[str]):
    r"""Whether the option chosen last is the right one. A score is 1 or 0.

    Read in this order, each time the last one: a ``\boxed{…}``, an ``<answer>…</answer>``, a statement ("the answer is
    B", "B is correct", "I choose B"), a line that is only an option. In all of them a letter may stand alone, in round
    or square brackets, before ``.``, ``)`` or ``:``, in LaTeX text, bold or dollars, or the option's text may stand for
    it where the options are known. Several letters at once are no choice and score 0, so are a letter denied ("not B")
    and a choice taken back; after "not B but C" and after a changed mind the later choice counts.

    Args:
        letters: The letters there are, in order.
        options: The column that holds each row's option texts: a list in the order of the letters, a mapping from
            letters to texts, or a list of such mappings. A row without it, or with None, is judged by letters alone.

    Raises:
        InputError: ``letters`` is not made of different capital letters.

    >>> ChoiceVerifier().verify(["So the answer is (B).", r"\boxed{\text{A or B}}"], ["B", "B"])[0].verdict.value
    'correct'
    """

    def __init__(self, letters: str = "ABCDEFGHIJ", *, options: str = "options") -> None:
        if not letters or len(set(letters)) != len(letters) or not re.fullmatch("[A-Z]+", letters):
            raise InputError(f"letters is {letters!r}; expected different capital letters, like 'ABCD'")
        self.letters = letters
        self.options = options

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        options = columns.get(self.options)
        if options is not None:
            given, options = options, _texts(options, self.letters)
            if options is None:
                expected = f"1 to {len(self.letters)} texts, or letters with texts, in the order of the letters"
                return Result.bad_reference(f"{self.options} is {given!r:.200}; expected {expected}")
        letters = self.letters[: len(options)] if options else self.letters
        names = (
            {}
            if options is None
            else {_plain(option): letter for option, letter in zip(options, letters, strict=False)}
        )
        right = _reference(reference, letters, names)
        if right is None:
            return Result.bad_reference(
                f"the reference is {reference!r}; expected one of {', '.join(letters)} or an option's text"
            )
        text = final_text(completion)
        if text is None:
            return Result.no_answer("the reasoning never ends")
        text = visible(text)
        event = _choice(text, letters, names)
        if event is None:
            return Result.no_answer("no option is chosen")
        if len(event.letters) > 1:
            several = ", ".join(sorted(event.letters))
            return Result.incorrect(answer=several, reason=f"several options at once: {several}")
        [letter] = event.letters
        if _taken_back(text[event.end :], letter):
            return Result.no_answer(f"{letter} is chosen and then taken back")
        if letter == right:
            return Result.correct(answer=letter)
        return Result.incorrect(answer=letter, reason=f"{letter} is not {right}")


def _texts(options: Any, letters: str) -> list[str] | None:
    """Option texts given as a list, as ``{"A": text, …}`` or as a list of such; None where they are none of these."""
    if isinstance(options, Sequence) and options and all(isinstance(option, Mapping) for option in options):
        options = {letter: text for option in options for letter, text in option.items()}
    if isinstance(options, Mapping):
        if "".join(map(str, options)) != letters[: len(options)]:
            return None
        options = list(options.values())
    fits = isinstance(options, Sequence) and 1 <= len(options) <= len(letters)
    return list(options) if fits and all(isinstance(option, str) for option in options) else None


def _reference(reference: Any, letters: str, names: dict[str, str]) -> str | None:
    """The right letter, given as a letter in any usual form or as an option's text."""
    if not isinstance(reference, str):
        return None
    by_text = names.get(_plain(reference))
    if by_text is not None:
        return by_text
    bare = unwrap(reference).strip().strip("()[].: ").upper()
    return bare if len(bare) == 1 and bare in letters else None


def _plain(text: str) -> str:
    return " ".join(words(unicodedata.normalize("NFKC", text).casefold())) or text.strip()


def _choice(text: str, letters: str, names: dict[str, str]) -> _Event | None:
    """The event that decides: the last slot with a choice in it, else the last statement, else the last bare line."""
    for slots in (boxed(text), tagged(text)):
        if slots:
            start, end, content = slots[-1]
            chosen = _slot(content, letters, names)
            return _Event(start, end, chosen) if chosen else None
    events = []
    for stated in (claims(text), _picks(text)):
        for start, end, line in reversed(stated[-_MOST_STATEMENTS:]):
            chosen = _statement(line, letters, names)
            if chosen:
                events.append(_Event(start, end - len(line), chosen))
                break
    events += [
        _Event(match.start(), match.end(), frozenset(match["letter"]))
        for match in _SAID_RIGHT.finditer(text)
        if match["letter"] in letters and not denied_before(text, match.start())
    ]
    if events:
        return max(events, key=lambda event: event.start)
    return _lines(text, letters, names)


def _picks(text: str) -> list[tuple[int, int, str]]:
    lines = [(match, text[match.end() : match.end() + 300].partition("\n")[0]) for match in _PICK.finditer(text)]
    return [(match.start(), match.end() + len(line), line) for match, line in lines]


def _slot(content: str, letters: str, names: dict[str, str]) -> frozenset[str]:
    """Every letter that a slot asserts; an option's text counts when it is the whole content."""
    content = unwrap(content[:2000])
    if (letter := names.get(_plain(content))) is not None:
        return frozenset(letter)
    if retracted(content):
        return frozenset()
    found = letters_in(content, letters)
    if not found:
        return frozenset()
    chosen = {letter for letter, _, _, denied in found if not denied}
    rest = names.get(_plain(content[found[0][2] :]))  # "B) Paris": letter and text must agree
    return frozenset(chosen | {rest}) if chosen and rest else frozenset(chosen)


def _statement(line: str, letters: str, names: dict[str, str]) -> frozenset[str]:
    """The letters that a statement chooses: the first one not denied, and those joined to it by "and" or "or"."""
    line = unwrap(line)
    sentence = re.split(r"(?<=\w\w)[.!?](?:\s|$)", line, maxsplit=1)[0]
    if (letter := names.get(_plain(sentence))) is not None:
        return frozenset(letter)
    chosen: set[str] = set()
    last = 0
    for letter, start, end, denied in letters_in(sentence, letters):
        if denied:
            continue
        between = sentence[last:start]
        if chosen and not _JOINT.match(between) and (not _HEDGE.match(between) or _FOLLOWED.match(sentence, end)):
            break
        chosen.add(letter)
        last = end
    return frozenset(chosen)


def _lines(text: str, letters: str, names: dict[str, str]) -> _Event | None:
    """Without slot and statement: the lines that are an option and nothing else; several options are several."""
    chosen: set[str] = set()
    start = end = at = 0
    for line in text.splitlines(keepends=True):
        content = unwrap(line[:300]).strip() if len(line) > 1 else line.strip()
        letter = names.get(_plain(content)) if content else None
        if letter is None:
            form = re.fullmatch(
                r"(?:option|choice|answer)?\W{0,3}([A-Za-z])\W{0,3}|\(?([A-Z])[).:]\W{0,3}\s.{1,290}",
                content,
                re.IGNORECASE,
            )
            named = ((form[1] or form[2]) if form else "").upper()
            letter = named if named and named in letters else None
        if letter is not None:
            chosen.add(letter)
            start, end = at, at + len(line)
        at += len(line)
    return _Event(start, end, frozenset(chosen)) if chosen else None


def _taken_back(tail: str, letter: str) -> bool:
    """Whether what follows a choice takes it back; what it says once it speaks of another option is no matter."""
    denied, rest = denies(unwrap(tail), letter)
    return denied or retracted(rest)
