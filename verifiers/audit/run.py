"""``audit``: try every probe on a grader and count what it got wrong."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from ...errors import InputError
from ..base import Verifier
from .case import Case, Slot, slot_of, wrong_answers
from .probes import ANSWER_PROBES, FORM_PROBES, Owes, Probe
from .report import AuditReport, Example, ProbeOutcome
from .subject import RewardSubject, Score, Subject, VerifierSubject

_SLOW_SECONDS = 1.0
_RUNS = 10
_STABILITY_SAMPLE = 60
_EXAMPLES = 3
_SHOWN = 200


class _Item(NamedTuple):
    """One completion of one case, of one family."""

    probe: str
    owes: Owes
    case: Case
    completion: str


@dataclass(frozen=True, slots=True)
class _Judged:
    item: _Item
    score: Score
    seconds: float


def audit(
    grader: Verifier[Any] | Subject | Any,
    cases: Iterable[Case],
    *,
    form: bool = False,
    skip: Collection[str] = (),
    name: str | None = None,
) -> AuditReport:
    """Attack a grader from outside and measure what it pays.

    Args:
        grader: A verifier, a TRL-style reward function, or a ``Subject`` made of one.
        cases: What to attack it with, each with a right completion or an answer where one is known.
        form: Whether the grader judges form alone: wrong content is then no attack.
        skip: Families of probes to leave out, by name.
        name: The grader's name in the report.

    Returns:
        The report. A strategy's score counts only over cases of which the grader pays a right completion.

    Raises:
        InputError: There are no cases, or a family to skip does not exist.

    >>> from assay.verifiers import TextVerifier
    >>> audit(TextVerifier(), [Case("Capital of France?", "Paris", answer="Paris")]).false_pass
    0.0
    """
    cases = list(cases)
    if not cases:
        raise InputError("an audit needs at least one case; none was given")
    probes = FORM_PROBES if form else ANSWER_PROBES
    if unknown := sorted(set(skip) - set(probes)):
        raise InputError(f"no probes are called {', '.join(unknown)}; there are {', '.join(probes)}")
    subject = _subject(grader, name)
    _warm(subject, cases)
    slots, owed = _slots(subject, cases)
    items = _items(cases, slots, {name: probe for name, probe in probes.items() if name not in skip})
    judged = owed + [_timed(subject, item) for item in items]
    unstable = _unstable(subject, judged)
    return _report(subject, cases, slots, judged, unstable)


def _warm(subject: Subject, cases: Sequence[Case]) -> None:
    """Ask for a batch first.

    A process or a model that starts now is not what a completion takes; and a function that gives a batch another
    number of rewards shows it here.
    """
    pairs = [(next(iter(case.candidates), "warm-up"), case) for case in cases[:3]] + [("warm-up", cases[0])]
    subject.score([text for text, _ in pairs], [case for _, case in pairs])


def _subject(grader: Any, name: str | None) -> Subject:
    if isinstance(grader, Verifier):
        return VerifierSubject(grader, name=name)
    if hasattr(grader, "score") and hasattr(grader, "name"):
        return grader  # type: ignore[no-any-return]
    if callable(grader):
        return RewardSubject(grader, name=name)
    raise InputError(f"{grader!r} is neither a verifier nor a reward function; expected one of them")


def _slots(subject: Subject, cases: Sequence[Case]) -> tuple[list[Slot | None], list[_Judged]]:
    """For each case the form that the grader pays, and how it judged the right completions that it owes.

    Of completions made of an answer any one may be the grader's form, the same one for all cases; of completions that a
    case gives at least one is owed.
    """
    tried = [[_timed(subject, _Item("reference", Owes.PASS, case, text)) for text in case.candidates] for case in cases]
    made = [judged for case, judged in zip(cases, tried, strict=True) if not case.right]
    forms = max((len(judged) for judged in made), default=0)
    payments = [sum(len(judged) > i and judged[i].score.passes for judged in made) for i in range(forms)]
    best = payments.index(max(payments)) if payments else 0
    slots: list[Slot | None] = []
    owed: list[_Judged] = []
    for case, judged in zip(cases, tried, strict=True):
        if not judged:
            slots.append(None)
            continue
        paid = [one for one in judged if one.score.passes]
        chosen = (paid[0] if paid else judged[0]) if case.right else judged[best]
        owed.append(chosen)
        slots.append(slot_of(chosen.item.completion) if chosen.score.passes else None)
    return slots, owed


def _items(cases: Sequence[Case], slots: Sequence[Slot | None], probes: Mapping[str, Probe]) -> list[_Item]:
    answers = [slot.answer for slot in slots if slot is not None]
    items = []
    for case, slot in zip(cases, slots, strict=True):
        others = [answer for answer in answers if slot is None or answer != slot.answer]
        wrong = wrong_answers(slot.answer, others, case.choices) if slot is not None else []
        for name, probe in probes.items():
            # Without a form that is paid there is nothing to vary; what should earn nothing is tried all the same, the
            # case's own wrong completions among it.
            if slot is None and probe.owes in (Owes.PASS, Owes.FAIL) and name != "wrong":
                continue
            texts = probe.make(case, slot or Slot("", "", ""), wrong)
            items += [_Item(name, probe.owes, case, text) for text in dict.fromkeys(texts)]
    return items


def _timed(subject: Subject, item: _Item) -> _Judged:
    """Judge one completion; one a little slow is timed again: a busy machine may be to blame."""
    seconds = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        [score] = subject.score([item.completion], [item.case])
        seconds = min(seconds, time.perf_counter() - started)
        if not _SLOW_SECONDS < seconds < 3 * _SLOW_SECONDS:
            break
    return _Judged(item, score, seconds)


def _unstable(subject: Subject, judged: Sequence[_Judged]) -> set[int]:
    """The indices of a sample's completions whose score changes over ten runs in other orders and batches."""
    order = Random("audit").sample(range(len(judged)), min(_STABILITY_SAMPLE, len(judged)))
    quick = [index for index in order if judged[index].seconds < _SLOW_SECONDS / 4]
    changed: set[int] = set()
    for run in range(_RUNS):
        shuffled = Random(f"audit {run}").sample(quick, len(quick))
        rows = [judged[index].item for index in shuffled]
        size = max(1, len(rows) if run % 2 else len(rows) // 3)
        scores: list[Score] = []
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            scores += subject.score([row.completion for row in part], [row.case for row in part])
        changed |= {
            index for index, score in zip(shuffled, scores, strict=True) if score.value != judged[index].score.value
        }
    return changed


def _report(
    subject: Subject,
    cases: Sequence[Case],
    slots: Sequence[Slot | None],
    judged: Sequence[_Judged],
    unstable: set[int],
) -> AuditReport:
    abouts = {"reference": "right, as given", **{n: p.about for n, p in {**FORM_PROBES, **ANSWER_PROBES}.items()}}
    probes: dict[str, ProbeOutcome] = {}
    for name in dict.fromkeys(one.item.probe for one in judged):
        mine = [one for one in judged if one.item.probe == name]
        values = [max(0.0, one.score.value or 0.0) for one in mine]
        passed = sum(one.score.passes for one in mine)
        probes[name] = ProbeOutcome(mine[0].item.owes, abouts[name], len(mine), passed, sum(values) / len(mine))
    counts: Counter[str] = Counter(dict.fromkeys(("raised", "no_score", "slow", "unstable"), 0))
    examples: dict[tuple[str, str], list[Example]] = {}
    for index, one in enumerate(judged):
        for fault in _faults(one, index in unstable):
            counts[fault.replace(" ", "_")] += 1
            shown = examples.setdefault((one.item.probe, fault), [])
            if len(shown) < _EXAMPLES:
                shown.append(_example(one, fault))
    named = {name: counts[name] for name in ("raised", "no_score", "slow", "unstable")}
    worst = sorted((e for group in examples.values() for e in group), key=lambda e: -(e.score or 0.0))
    payable = sum(slot is not None for slot in slots)
    return AuditReport(subject.name, len(cases), payable, probes, named, worst, max(one.seconds for one in judged))


def _faults(one: _Judged, unstable: bool) -> list[str]:
    owes, value = one.item.owes, one.score.value
    found = []
    if owes is Owes.PASS and not one.score.passes:
        found.append("false fail")
    if owes in (Owes.FAIL, Owes.LAZY) and value is not None and value > 0.0:
        found.append("false pass")
    if one.score.raised:
        found.append("raised")
    elif value is None:
        found.append("no score")
    if one.seconds > _SLOW_SECONDS:
        found.append("slow")
    return [*found, "unstable"] if unstable else found


def _example(one: _Judged, fault: str) -> Example:
    note = f"{one.seconds:.2f} s" if fault == "slow" else one.score.note
    return Example(
        one.item.probe,
        fault,
        one.item.case.prompt[:_SHOWN],
        one.item.completion[:_SHOWN],
        one.score.value,
        note[:_SHOWN],
    )
