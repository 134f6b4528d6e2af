"""One answer against one reference: readings, comparison, result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..base import Result
from .answers.base import Answer
from .answers.choice import Choice
from .answers.text import Text
from .compare import Exhausted, Judge
from .extract import extract
from .markers import MARKER
from .parsing import TooLarge, Unreadable
from .policy import Policy
from .reading import readings
from .statement import prose_value
from .tidy import is_prose, tidy

CACHED_REFERENCES = 8192
SHOWN_CHARACTERS = 80
MAX_PROSE = 6000
_LEAD = re.compile(r"\s*(?:therefore|thus|hence|so|then|we (?:get|have|find|obtain)(?:\s+that)?)(?![\w])[\s,:]*", re.IGNORECASE)
_MARKS = ("\\boxed", "\\fbox", "<answer>", "####", "<|begin_of_box|>")


class Reference(NamedTuple):
    """A reference, read: everything that its notation may mean, or why it cannot be read."""

    readings: tuple[Answer, ...]
    problem: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether it is a letter of multiple choice."""
        return bool(self.readings) and isinstance(self.readings[0], Choice)


@lru_cache(maxsize=CACHED_REFERENCES)
def read_reference(text: str) -> Reference:
    """The reference of this text, parsed once and remembered."""
    inner = _marked(text)
    choice = Choice.from_reference(inner)
    try:
        found = tuple(_read_or_stated(inner, reference=True))
    except Unreadable as problem:
        if choice is None:
            return Reference((), f"the reference {shown(text)} cannot be read: {problem}")
        found = ()
    if choice is not None:
        return Reference((Choice(choice.letters, found[0] if found else None),))
    return Reference(found)


def judge_answer(answer: str, reference: str, policy: Policy) -> Result:
    """Compare an answer, already extracted from its completion, with its reference."""
    if answer == reference or answer.strip() == reference.strip():
        if not reference.strip():
            return Result.bad_reference("the reference is empty")
        return Result.correct(answer=answer, reason="the same text")
    gold = read_reference(reference)
    if gold.problem:
        return Result.bad_reference(gold.problem, answer=answer)
    try:
        return _compared(answer, reference, gold, policy)
    except TooLarge as problem:
        return Result.limit_exceeded(f"the answer is too large: {problem}", answer=answer[:1000])
    except Unreadable as problem:
        return Result.no_answer(f"the answer {shown(answer)} cannot be read: {problem}")
    except Exhausted:
        return Result.limit_exceeded("comparing the answer takes too many steps", answer=answer)


def _compared(answer: str, reference: str, gold: Reference, policy: Policy) -> Result:
    judge = Judge(policy, reference)
    reason = ""
    for theirs in _answer_readings(answer, gold):
        for mine in gold.readings:
            outcome = judge.same(mine, theirs)
            if outcome.equal:
                return Result.correct(answer=answer)
            reason = reason or outcome.reason
    return Result.incorrect(answer=answer, reason=f"{shown(answer)} against {shown(reference)}: {reason}")


def _answer_readings(answer: str, gold: Reference) -> Iterator[Answer]:
    """What an answer may mean to this reference."""
    inner = _marked(answer, choice=gold.is_choice)
    if gold.is_choice:
        choice = Choice.from_answer(inner)
        if choice is None and len(inner) < MAX_PROSE:
            stated = extract(inner, choice=True).answer or prose_value(inner)
            choice = Choice.from_answer(stated) if stated else None
        if choice is not None:
            yield choice
            return
    yield from _read_or_stated(inner)


def _read_or_stated(text: str, *, reference: bool = False) -> Iterator[Answer]:
    """The readings of a text, and where it is a sentence those of the value that it states."""
    problem: Unreadable | None = None
    is_sentence = False
    try:
        for found in readings(text, reference=reference):
            is_sentence = is_sentence or (isinstance(found, Text) and found.is_sentence)
            yield found
    except TooLarge:
        raise
    except Unreadable as error:
        problem = error
    if (problem is None and not is_sentence) or len(text) > MAX_PROSE or not (is_prose(text) or MARKER.search(text)):
        if problem is not None:
            raise problem
        return
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
    if not any(mark in text for mark in _MARKS):
        lead = _LEAD.match(text)
        return text[lead.end() :] if lead else text
    bare = tidy(text) if len(text) < MAX_PROSE else text
    if not any(mark in bare for mark in _MARKS):
        return bare
    found = extract(text, choice=choice)
    if found.answer is None:
        raise Unreadable(found.problem, 0)
    return found.answer


def shown(text: str) -> str:
    """The beginning of a text on one line, for reasons."""
    text = " ".join(text[: 2 * SHOWN_CHARACTERS].split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def judge_completion(completion: str, reference: str, policy: Policy) -> Result:
    """Extract the final answer of a completion and compare it with its reference."""
    gold = read_reference(reference)
    if gold.problem and not reference.strip():
        return Result.bad_reference("the reference is empty")
    found = extract(completion, choice=gold.is_choice, last=policy.last_value)
    if found.answer is None:
        return Result.no_answer(found.problem)
    return judge_answer(found.answer, reference, policy)
