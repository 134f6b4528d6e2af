"""``check``: does an environment hold what it promises, before anything is trained on it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..bounds import at_least
from ..verifiers.base import Result
from .base import Environment, Task, prompt_text
from .contamination import contamination
from .duplicates import Flaw, flawed_rows
from .findings import CheckReport, Finding, Trouble
from .reference_types import reference_types
from .wording import counted

#: Completions that do nothing. The prompt itself is tried as well.
IDLE: Mapping[str, str] = {"empty": "", "idle": "I do not know."}
#: A bare answer that is hardly ever the reference: judged against it, the reference has to be read.
OTHER_ANSWER = "0"
#: Completions that are no answer in any form.
MALFORMED: Sequence[str] = (
    "\x00",
    "\ud800",
    "\\boxed{",
    "<answer>",
    "<think>",
    "```python\n",
    "{" * 2000,
    "(" * 2000 + ")" * 2000,
    "[" * 2000,
    "9" * 5000,
    "2^{2^{2^{2^{2}}}}",
    "nan",
    "-inf",
    "1e999999999",
    "\u202e42\u202c\u200b",
    "a\n" * 5000,
)


def check(
    environment: Environment, split: str | None = None, *, limit: int | None = None, repeats: int = 10, probes: int = 5
) -> CheckReport:
    """Check one split of an environment with its own verifier.

    * Every reference passes: one of the environment's ``reference_completions`` is judged correct.
    * Every reference can be read, where the verifier judges bare answers: another answer gets a score as well.
    * Doing nothing fails: an empty completion, "I do not know." and the prompt itself are not correct.
    * Malformed completions of ``probes`` tasks get a score.
    * ``repeats`` judgements of the same completions agree, on ``probes`` tasks.
    * No row is empty, repeats another one, or asks the same with another reference.
    * Every reference is of the type that the verifier declares, or, where it declares none, of one type.
    * A split that is loaded whole is as large as declared.

    Of a row that cannot be judged one finding tells. ``check_splits`` compares splits as well.

    Args:
        environment: What to check.
        split: One of its splits; the first one where None.
        limit: The first so many tasks.
        repeats: At least 1.
        probes: On how many tasks, spread over the split, malformed completions and repetitions are tried.

    Raises:
        InputError: An argument is out of range, or the split cannot be loaded.
    """
    [report] = check_splits(
        environment, [split or next(iter(environment.splits))], limit=limit, repeats=repeats, probes=probes
    )
    return report


def check_splits(
    environment: Environment,
    splits: Sequence[str] = (),
    *,
    limit: int | None = None,
    repeats: int = 10,
    probes: int = 5,
) -> list[CheckReport]:
    """Check several splits, each as ``check`` does, and whether a row asks what a row of an earlier one asks.

    Args:
        environment: What to check.
        splits: Names of splits; all where none is given.
        limit: The first so many tasks of each.
        repeats: As in ``check``.
        probes: As in ``check``.

    Returns:
        One report for each split. A row that two splits share is a finding of the later one.

    Raises:
        InputError: As ``check``.
    """
    at_least(1, repeats=repeats, probes=probes)
    loaded: dict[str, list[Task]] = {}
    reports = []
    for split in splits or environment.splits:
        most = 200 if limit is None and split in environment.endless else limit
        tasks = environment.tasks(split, limit=most)
        shared = [finding for name, earlier in loaded.items() for finding in _shared(name, earlier, tasks)]
        reports.append(_checked(environment, split, tasks, shared, limit=most, repeats=repeats, probes=probes))
        loaded[split] = tasks
    return reports


def _checked(
    environment: Environment,
    split: str,
    tasks: Sequence[Task],
    shared: Sequence[Finding],
    *,
    limit: int | None,
    repeats: int,
    probes: int,
) -> CheckReport:
    known = [list(environment.reference_completions(task)) for task in tasks]
    chosen = sorted({round(at * (len(tasks) - 1) / max(1, probes - 1)) for at in range(probes)})
    found = [
        *_size(environment, split, limit, len(tasks)),
        *_rows(tasks),
        *shared,
        *_types(environment, tasks),
        *_references(environment, tasks, known),
        *_unread(environment, tasks),
        *_idlers(environment, tasks, known),
        *_malformed(environment, tasks, chosen),
        *_unsteady(environment, tasks, known, chosen, repeats),
    ]
    found = sorted(_told_once(found), key=lambda finding: -1 if finding.row is None else finding.row)
    return CheckReport(environment.name, split, len(tasks), sum(not texts for texts in known), tuple(found))


def _told_once(found: Sequence[Finding]) -> Iterator[Finding]:
    """Without what follows from another finding: of a reference that is of no use one tells."""
    told: set[int | None] = set()
    for finding in found:
        if finding.trouble is not Trouble.NOT_JUDGED or finding.row not in told:
            yield finding
        if finding.trouble in (Trouble.NOT_JUDGED, Trouble.EMPTY, Trouble.OTHER_TYPE):
            told.add(finding.row)


def _shared(name: str, earlier: Sequence[Task], tasks: Sequence[Task]) -> Iterator[Finding]:
    for match in contamination(earlier, tasks).matches:
        if match.exact:  # made-up prompts that differ in a number share most of their words
            detail = f"asks what row {match.train + 1} of {name} asks"
            yield Finding(Trouble.SHARED, match.test, tasks[match.test].id, detail)


def _rows(tasks: Sequence[Task]) -> Iterator[Finding]:
    kinds = {Flaw.EMPTY: Trouble.EMPTY, Flaw.DUPLICATE: Trouble.DUPLICATE, Flaw.CONFLICT: Trouble.CONFLICT}
    for flawed in flawed_rows(tasks):
        yield Finding(kinds[flawed.flaw], flawed.row, flawed.task.id, flawed.reason)


def _size(environment: Environment, split: str, limit: int | None, loaded: int) -> Iterator[Finding]:
    declared = environment.splits[split]
    if declared is None or split in environment.endless:
        return
    wanted = declared if limit is None else min(limit, declared)
    if loaded != wanted:
        yield Finding(Trouble.SIZE, None, "", f"{counted(declared, 'task')} declared, {loaded} loaded")


def _types(environment: Environment, tasks: Sequence[Task]) -> Iterator[Finding]:
    """References that are no text where the verifier judges text, ...; elsewhere those unlike the first one.

    Numbers are left to a verifier of texts: it may read them, and what it makes of them is judged anyway.
    """
    expected, whose = reference_types(environment.verifier), environment.verifier.name
    declared = bool(expected)
    for row, task in enumerate(tasks):
        kind = type(task.reference)
        if task.reference is None or (declared and str in expected and kind in (int, float)):
            continue  # listed as empty, or judged
        if not expected:
            expected, whose = (kind,), f"row {row + 1}"
        elif not issubclass(kind, expected) or (kind is bool and bool not in expected):
            wanted = " or ".join(one.__name__ for one in expected)
            detail = f"the reference {task.reference!r:.60} is of type {kind.__name__}, and that of {whose} is {wanted}"
            yield Finding(Trouble.OTHER_TYPE, row, task.id, detail)


def _references(environment: Environment, tasks: Sequence[Task], known: Sequence[Sequence[str]]) -> Iterator[Finding]:
    results: dict[int, list[Result]] = {}
    for row, _, result in _judged(environment, tasks, ((row, text) for row, own in enumerate(known) for text in own)):
        results.setdefault(row, []).append(result)
    for row, own in results.items():
        if not any(result.is_correct for result in own):
            ours = all(result.verdict.is_ours for result in own)
            trouble = Trouble.NOT_JUDGED if ours else Trouble.FALSE_FAIL
            yield Finding(trouble, row, tasks[row].id, f"{own[0].verdict}: {own[0].reason}"[:300])


def _unread(environment: Environment, tasks: Sequence[Task]) -> Iterator[Finding]:
    """References that only their own text is judged against: two equal texts are equal before either is read."""
    verify_answers = getattr(environment.verifier, "verify_answers", None)
    rows = [row for row, task in enumerate(tasks) if isinstance(task.reference, str) and task.reference.strip()]
    if verify_answers is None or not rows:
        return
    results: Sequence[Result] = verify_answers([OTHER_ANSWER] * len(rows), [tasks[row].reference for row in rows])
    for row, result in zip(rows, results, strict=True):
        if result.verdict.is_ours:
            yield Finding(Trouble.NOT_JUDGED, row, tasks[row].id, f"{result.verdict}: {result.reason}"[:300])


def _idlers(environment: Environment, tasks: Sequence[Task], known: Sequence[Sequence[str]]) -> Iterator[Finding]:
    names = [*IDLE, "the prompt"]
    items = [(row, text) for row, task in enumerate(tasks) for text in (*IDLE.values(), prompt_text(task.prompt))]
    for number, (row, _, result) in enumerate(_judged(environment, tasks, items)):
        if result.is_correct:
            yield Finding(Trouble.IDLE, row, tasks[row].id, f"{names[number % len(names)]} is judged correct")
        elif result.verdict.is_ours and not known[row] and number % len(names) == 0:  # nothing else will tell of it
            yield Finding(Trouble.NOT_JUDGED, row, tasks[row].id, f"{result.verdict}: {result.reason}"[:300])


def _malformed(environment: Environment, tasks: Sequence[Task], chosen: Sequence[int]) -> Iterator[Finding]:
    items = [(row, text) for row in chosen for text in MALFORMED]
    for row, text, result in _judged(environment, tasks, items):
        if result.verdict.is_ours:
            detail = f"{text[:20]!r} gets no score: {result.verdict}: {result.reason}"[:300]
            yield Finding(Trouble.NOT_JUDGED, row, tasks[row].id, detail)


def _unsteady(
    environment: Environment, tasks: Sequence[Task], known: Sequence[Sequence[str]], chosen: Sequence[int], repeats: int
) -> Iterator[Finding]:
    items = [(row, text) for row in chosen for text in (*known[row][:1], *IDLE.values(), MALFORMED[9])]
    runs = [[_outcome(result) for *_, result in _judged(environment, tasks, items)] for _ in range(repeats)]
    for (row, text), *seen in zip(items, *runs, strict=True):
        if len(set(seen)) > 1:
            outcomes = ", ".join(sorted({str(verdict) for verdict, *_ in seen}))
            detail = f"{text[:40]!r} judged {repeats} times: {outcomes}, with {len(set(seen))} outcomes"
            yield Finding(Trouble.UNSTEADY, row, tasks[row].id, detail)


def _judged(
    environment: Environment, tasks: Sequence[Task], items: Iterable[tuple[int, str]]
) -> Iterator[tuple[int, str, Result]]:
    """Each item with its judgement, made in one batch."""
    rows = list(items)
    results = environment.verify([text for _, text in rows], [tasks[row] for row, _ in rows])
    for (row, text), result in zip(rows, results, strict=True):
        yield row, text, result


def _outcome(result: Result) -> tuple[Any, ...]:
    return result.verdict, result.score, result.answer
