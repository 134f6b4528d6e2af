"""One answer against one reference: readings, comparison, result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...errors import WorkerTimeout
from ..base import Result, Verdict
from .answers.base import Answer
from .answers.choice import Choice
from .answers.scalar import Scalar
from .compare import Exhausted, Judge
from .contrasts import affirmed, without_note
from .equality.exact import renew_terms
from .extract import extract
from .markers import DENIAL, STRUCK
from .only import is_operand
from .parsing import TooLarge, Unreadable
from .phrases import distorts, distorts_before
from .policy import Policy
from .reading import readings
from .said import squeezed
from .sentences import MAX_PROSE, marked, read_or_stated
from .statement import prose_value

if TYPE_CHECKING:
    from .equality.symbolic import Symbolic

CACHED_REFERENCES = 8192
SHOWN_CHARACTERS = 80
MAX_KEPT = 1000  # characters of an answer that is too large
_PARENTHESISED = re.compile(r"\(([A-J])\)")


class Reference(NamedTuple):
    """A reference, read: everything that its notation may mean, or why it cannot be read.

    ``valued`` says whether it is a letter with its value, "(B) 15".
    """

    readings: tuple[Answer, ...]
    problem: str = ""
    valued: bool = False

    @property
    def is_choice(self) -> bool:
        """Whether it is a letter of multiple choice."""
        return bool(self.readings) and type(self.readings[0]) is Choice

    @property
    def has_unit(self) -> bool:
        """Whether it is a value in a unit of measure."""
        first = self.readings[0] if self.readings else None
        return isinstance(first, Scalar) and first.unit is not None and bool(first.unit.dimensions)


@lru_cache(maxsize=CACHED_REFERENCES)
def read_reference(text: str) -> Reference:
    """The reference of this text, parsed once and remembered."""
    choice: Choice | None = None
    labelled: tuple[Choice, str] | None = None
    try:
        inner = marked(text)
        choice = Choice.from_reference(inner)
        if (labelled := Choice.with_value(inner)) is not None:
            choice, inner = labelled
        found = tuple(read_or_stated(inner, reference=True))
    except Unreadable as problem:
        if choice is None:
            return Reference((), f"the reference {shown(text)} cannot be read: {problem}")
        found = ()
    if choice is not None:
        return Reference((Choice(choice.letters, found[0] if found else None),), valued=labelled is not None)
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
            return Result.bad_reference(gold.problem) if gold.problem else Result.no_answer(found.problem)
        if found.unit and gold.has_unit:
            measured = self.judge_answer(f"{found.answer} \\text{{ {found.unit} }}", reference)
            if measured.verdict is not Verdict.NO_ANSWER:
                return measured
        result = self.judge_answer(found.answer, reference)
        if found.fuller and result.score == 0.0:
            beside = self.judge_answer(found.fuller, reference)
            return beside if beside.score == 1.0 else result
        return result

    def judge_answer(self, answer: str, reference: str) -> Result:
        """Compare an answer, already extracted from its completion, with its reference."""
        if not reference.strip():
            return Result.bad_reference("the reference is empty")
        renew_terms()
        if answer == reference or answer.strip() == reference.strip():
            return Result.correct(answer=answer, reason="the same text")
        gold = read_reference(reference)
        if gold.problem:
            return Result.bad_reference(gold.problem, answer=answer[:MAX_KEPT])
        if not gold.is_choice and _may_deny(answer) and DENIAL.search(answer) and not DENIAL.search(reference):
            return Result.incorrect(answer=answer[:MAX_KEPT], reason=f"{shown(answer)} is denied where it stands")
        answer = without_note(affirmed(squeezed(answer)))
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
        bare = marked(text)
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
    inner = marked(answer, choice=gold.is_choice)
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
            yield _with_reading(choice, inner, gold)
            return
    yield from read_or_stated(inner)
    if inner[:1] in "(ABCDEFGHIJ\\" and (labelled := Choice.with_value(inner)) is not None:
        yield from read_or_stated(labelled[1])  # "(B) 5"


def _with_reading(choice: Choice, text: str, gold: Reference) -> Choice:
    """The choice with the value that the answer gives beside its letter, where the reference has one too."""
    labelled = Choice.with_value(text) if gold.valued else None
    if labelled is None or labelled[0].letters != choice.letters:
        return choice
    try:
        return Choice(choice.letters, next(readings(labelled[1]), None))
    except Unreadable:
        return choice


def _is_named(text: str, letters: list[re.Match[str]]) -> bool:
    """Whether nothing around the letters of a sentence denies or doubts them."""
    lead, tail = text[: letters[0].start()], text[letters[-1].end() :]
    return not (distorts_before(lead) or distorts(tail) or is_operand(lead, tail))


def shown(text: str) -> str:
    """The beginning of a text on one line, for reasons."""
    text = " ".join(text[: 2 * SHOWN_CHARACTERS].split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
