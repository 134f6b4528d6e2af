"""One answer against one reference: readings, comparison, result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...errors import WorkerTimeout
from ..base import Result
from .answers.base import Answer
from .answers.choice import Choice
from .answers.text import Text
from .compare import Exhausted, Judge
from .contrasts import affirmed
from .equality.exact import renew_terms
from .extract import extract, squeezed
from .markers import DENIAL, MARKER, STRUCK
from .parsing import TooLarge, Unreadable
from .phrases import distorts, distorts_before
from .policy import Policy
from .reading import readings
from .statement import prose_value
from .tidy import is_prose, tidy

if TYPE_CHECKING:
    from .equality.symbolic import Symbolic

CACHED_REFERENCES = 8192
SHOWN_CHARACTERS = 80
MAX_PROSE = 6000
MAX_KEPT = 1000  # characters of an answer that is too large
_LEAD = re.compile(
    r"\s*(?:therefore|thus|hence|so|then|we (?:get|have|find|obtain)(?:\s+that)?)(?![\w])[\s,:]*", re.IGNORECASE
)
_PARENTHESISED = re.compile(r"\(([A-J])\)")
_IMPERSONAL = re.compile(
    r"\s*(?:there|it|(?:so|thus|hence|therefore)\b|the\s+(?:final\s+)?answer|answer)\b", re.IGNORECASE
)
_SIGN_IN_WORDS = re.compile(r"(?:negative|minus)\s+(?=\$?[\d.]|\$?\\d?frac)", re.IGNORECASE)
_MARKED = re.compile(r"\\boxed|\\fbox|<answer>|####|<\|begin_of_box\|>")


class Reference(NamedTuple):
    """A reference, read: everything that its notation may mean, or why it cannot be read."""

    readings: tuple[Answer, ...]
    problem: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether it is a letter of multiple choice."""
        return bool(self.readings) and type(self.readings[0]) is Choice


@lru_cache(maxsize=CACHED_REFERENCES)
def read_reference(text: str) -> Reference:
    """The reference of this text, parsed once and remembered."""
    choice: Choice | None = None
    try:
        inner = _marked(text)
        choice = Choice.from_reference(inner)
        if (labelled := Choice.with_value(inner)) is not None:
            choice, inner = labelled
        found = tuple(_read_or_stated(inner, reference=True))
    except Unreadable as problem:
        if choice is None:
            return Reference((), f"the reference {shown(text)} cannot be read: {problem}")
        found = ()
    if choice is not None:
        return Reference((Choice(choice.letters, found[0] if found else None),))
    return Reference(found)


class Court:
    """Judges answers and completions under one policy.

    Args:
        policy: How strictly.
        symbolic_seconds: Time for SymPy on one question; None never asks it.
    """

    def __init__(self, policy: Policy, symbolic_seconds: float | None = None) -> None:
        self.policy = policy
        self.symbolic: Symbolic | None = None
        if symbolic_seconds is not None:
            from .equality.symbolic import Symbolic

            self.symbolic = Symbolic(symbolic_seconds)

    def judge_completion(self, completion: str, reference: str) -> Result:
        """Extract the final answer of a completion and compare it with its reference."""
        if not reference.strip():
            return Result.bad_reference("the reference is empty")
        gold = read_reference(reference)
        found = extract(completion, choice=gold.is_choice, last=self.policy.last_value)
        if found.answer is None:
            return Result.no_answer(found.problem)
        return self.judge_answer(found.answer, reference)

    def judge_answer(self, answer: str, reference: str) -> Result:
        """Compare an answer, already extracted from its completion, with its reference."""
        if not reference.strip():
            return Result.bad_reference("the reference is empty")
        renew_terms()
        if answer == reference or answer.strip() == reference.strip():
            return Result.correct(answer=answer, reason="the same text")
        gold = read_reference(reference)
        if not gold.is_choice and _may_deny(answer) and DENIAL.search(answer) and not DENIAL.search(reference):
            return Result.incorrect(answer=answer[:MAX_KEPT], reason=f"{shown(answer)} is denied where it stands")
        answer = affirmed(squeezed(answer))
        if gold.problem:
            return Result.bad_reference(gold.problem, answer=answer[:MAX_KEPT])
        try:
            return self._compared(answer, reference, gold)
        except TooLarge as problem:
            return Result.limit_exceeded(f"the answer is too large: {problem}", answer=answer[:MAX_KEPT])
        except Unreadable as problem:
            return Result.no_answer(f"the answer {shown(answer)} cannot be read: {problem}")
        except Exhausted:
            return Result.limit_exceeded("comparing the answer takes too many steps", answer=answer[:MAX_KEPT])
        except WorkerTimeout as problem:
            return Result.limit_exceeded(f"SymPy was asked and did not settle it: {problem}", answer=answer[:MAX_KEPT])

    def _compared(self, answer: str, reference: str, gold: Reference) -> Result:
        judge = Judge(self.policy, reference, self.symbolic)
        reason = ""
        for theirs in _answer_readings(answer, gold):
            for mine in gold.readings:
                outcome = judge.same(mine, theirs)
                if outcome.equal:
                    return Result.correct(answer=answer)
                reason = reason or outcome.reason
        return Result.incorrect(answer=answer, reason=f"{shown(answer)} against {shown(reference)}: {reason}")


def canonical_key(text: str) -> str | None:
    """The key of an answer; None where it cannot be read or has none."""
    renew_terms()
    try:
        bare = _marked(text)
        if Choice.from_reference(bare) is not None or Choice.with_value(bare) is not None:
            return None
        found = list(readings(bare))
    except Unreadable:
        return None
    return found[0].key() if len(found) == 1 else None


def _may_deny(text: str) -> bool:
    """Whether a text holds what every denial holds; most answers do not, and are spared the search."""
    if not text.isascii() or "~~" in text:
        return True
    lower = text.lower()
    return "wrong" in lower or "incorrect" in lower or "anything" in lower


def _answer_readings(answer: str, gold: Reference) -> Iterator[Answer]:
    """What an answer may mean to this reference."""
    inner = _marked(answer, choice=gold.is_choice)
    if gold.is_choice:
        if STRUCK.search(inner) or STRUCK.match(answer):
            raise Unreadable("the choice is struck out", 0)
        choice = Choice.from_answer(inner)
        if choice is None and len(inner) < MAX_PROSE and not Choice.begins(inner):
            stated = extract(inner, choice=True).answer or prose_value(inner)
            choice = Choice.from_answer(stated) if stated else None
            named = list(_PARENTHESISED.finditer(inner))
            if choice is None and len({found[1] for found in named}) == 1 and _is_named(inner, named):
                choice = Choice(frozenset(named[0][1]))  # "the second, (B)"
        if choice is not None:
            yield choice
            return
    yield from _read_or_stated(inner)


def _is_named(text: str, letters: list[re.Match[str]]) -> bool:
    """Whether nothing around the letters of a sentence denies or doubts them."""
    return not distorts_before(text[: letters[0].start()]) and not distorts(text[letters[-1].end() :])


def _read_or_stated(text: str, *, reference: bool = False) -> Iterator[Answer]:
    """The readings of a text, and where it is a sentence those of the value that it states."""
    problem: Unreadable | None = None
    is_sentence = False
    try:
        for found in readings(text, reference=reference):
            is_sentence = is_sentence or (type(found) is Text and found.is_sentence)
            yield found
    except TooLarge:
        raise
    except Unreadable as error:
        problem = error
    if (problem is None and not is_sentence) or len(text) > MAX_PROSE or not (is_prose(text) or MARKER.search(text)):
        if problem is not None:
            raise problem
        return
    if reference and is_sentence and not _IMPERSONAL.match(text):
        return  # what it says of someone is not said of another
    stated = extract(text).answer or prose_value(text)
    if stated is not None and stated.strip() != text.strip():
        yield from readings(stated, reference=reference)
    elif problem is not None:
        raise problem


def _marked(text: str, *, choice: bool = False) -> str:
    """The content of the last mark in a text, all of it where there is none.

    Raises:
        Unreadable: The mark holds nothing or was never closed.
    """
    if not _MARKED.search(text):
        lead = _LEAD.match(text)
        bare = text[lead.end() :] if lead else text
        return _SIGN_IN_WORDS.sub("-", bare, count=1) if bare[:1] in "nNmM" else bare
    bare = tidy(text) if len(text) < MAX_PROSE else text
    if not _MARKED.search(bare):
        return bare
    found = extract(text, choice=choice)
    if found.answer is None:
        raise Unreadable(found.problem, 0)
    return found.answer


def shown(text: str) -> str:
    """The beginning of a text on one line, for reasons."""
    text = " ".join(text[: 2 * SHOWN_CHARACTERS].split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
