"""``assay audit``."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..environments.base import Environment
from ..environments.datasets import Row
from ..environments.registry import make
from ..environments.wording import counted
from ..errors import InputError
from ..evaluation.files import write_text
from ..registry import Registry
from ..verifiers.audit import AuditReport, Case, RewardSubject, VerifierSubject, audit, case_of
from ..verifiers.audit.intervals import wilson
from ..verifiers.audit.probes import Owes
from ..verifiers.audit.report import parse_condition
from ..verifiers.base import Verifier
from .options import environment_options, parsed_options
from .rows import rows_in

_TARGETS: Registry[Any] = Registry("grader")
_PIPED = 200


@click.command("audit")
@click.argument("target")
@click.option(
    "--data", type=click.Path(path_type=Path), help="Rows with prompt and the grader's columns, as JSONL; - is stdin."
)
@click.option("--reference", help="The column with the right answer.")
@click.option("--split", help="Of an environment; its last one by default.")
@environment_options
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1), help="How many cases.")
@click.option("--form", is_flag=True, help="The grader judges form alone: wrong content is no attack.")
@click.option("--skip", multiple=True, metavar="PROBE", help="A family of probes to leave out.")
@click.option("--full-reward", default=1.0, show_default=True, help="What a right completion earns from a function.")
@click.option("--fail-on", multiple=True, metavar="CONDITION", help="Exit with 1 where it holds, like 'false_pass>0'.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write everything that was found to a file.")
@click.option("--examples", default=10, show_default=True, type=click.IntRange(min=0), help="How many to print.")
def command(
    target: str,
    data: Path | None,
    reference: str | None,
    split: str | None,
    pairs: tuple[str, ...],
    limit: int,
    form: bool,
    skip: tuple[str, ...],
    full_reward: float,
    fail_on: tuple[str, ...],
    json_path: Path | None,
    examples: int,
) -> None:
    """Attack a grader from outside: what it pays that it should not, and what it refuses that is right.

    TARGET is an environment's name (math/gsm8k-v1), or a verifier, a TRL-style reward function, an environment or a
    function that makes one, as package.module:name or file.py:name. Verifiers and reward functions need --data.
    """
    for condition in fail_on:
        parse_condition(condition)
    grader = _grader(target, parsed_options(pairs), has_data=data is not None)
    if isinstance(grader, Environment):
        subject: VerifierSubject | RewardSubject = VerifierSubject(grader.verifier, name=grader.name)
        cases = cases_of(grader, split, limit)
        form = form or grader.domain == "format"
    else:
        subject = (
            VerifierSubject(grader, name=target)
            if isinstance(grader, Verifier)
            else RewardSubject(grader, name=target, full_reward=full_reward)
        )
        cases = _read_cases(data, reference, limit)
    report = audit(subject, cases, form=form, skip=skip)
    _print(report, examples)
    if json_path is not None:
        write_text(json_path, json.dumps(report.to_json(), indent=1, ensure_ascii=True) + "\n")
    _refuse_unaudited(report, target)
    if broken := report.broken(fail_on):
        click.echo(f"failed: {'; '.join(broken)}", err=True)
        sys.exit(1)


def _refuse_unaudited(report: AuditReport, target: str) -> None:
    """A grader that gives no score to anything has passed no attack."""
    judged = sum(outcome.count for outcome in report.probes.values())
    if judged and report.counts["raised"] + report.counts["no_score"] >= judged:
        reason = next((example.note for example in report.examples if example.note), "no reason was given")
        raise InputError(
            f"{target} gave no score to any of {counted(judged, 'completion')}, so nothing was audited: {reason}"
        )


def _grader(target: str, options: Mapping[str, Any], *, has_data: bool) -> Any:
    """The environment, verifier or function that TARGET names, classes and environments made with ``options``."""
    if ":" not in target:
        return make(target, **options)
    found = _TARGETS.get(target)
    if isinstance(found, Environment) or (isinstance(found, type) and issubclass(found, Environment)):
        return make(target, **options)
    if isinstance(found, type) and issubclass(found, Verifier):
        return _made(target, found, options)
    if inspect.isfunction(found) and _makes_an_environment(found, has_data):
        return make(target, **options)
    if options:
        raise InputError(f"{target} takes no --option; {', '.join(options)} was given")
    if not isinstance(found, Verifier) and not callable(found):
        raise InputError(f"{target} is {found!r}; expected a verifier, an environment or a reward function")
    return found


def _makes_an_environment(function: Callable[..., Any], has_data: bool) -> bool:
    """Whether a function is no reward: it takes no ``completions``, by name or, where there are cases, by ``**``."""
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) for one in parameters)
    return "completions" not in {one.name for one in parameters} and not (takes_any and has_data)


def _made(target: str, kind: type[Verifier[Any]], options: Mapping[str, Any]) -> Verifier[Any]:
    try:
        return kind(**options)
    except TypeError as error:
        raise InputError(f"{target} cannot be made with {dict(options)}: {error}") from error


def cases_of(environment: Environment, split: str | None, limit: int) -> list[Case]:
    """The first tasks of a split (the last split by default) as cases, with the right completions that are known."""
    cases = []
    for task in environment.tasks(split or list(environment.splits)[-1], limit=limit):
        prompt = task.prompt if isinstance(task.prompt, str) else task.prompt[-1]["content"]
        right = tuple(environment.reference_completions(task))
        answer = task.reference if isinstance(task.reference, str) and environment.domain != "format" else None
        metadata = {str(key): value for key, value in task.metadata.items()}
        cases.append(Case(prompt, task.reference, right=right, answer=answer, columns=metadata))
    return cases


def _read_cases(data: Path | None, reference: str | None, limit: int) -> list[Case]:
    if data is None:
        raise InputError(
            "a verifier or a function needs --data, a JSONL file with a prompt and its columns in each row"
        )
    return [_case(*placed, reference) for placed in islice(rows_in(data), limit)]


def _case(where: str, row: Row, reference: str | None) -> Case:
    try:
        return case_of(row, reference=reference)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _print(report: AuditReport, examples: int) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=_PIPED)  # a pipe has no width to wrap at
    table = Table("probe", "completions", "owed", "paid", "mean score", "paid, 95 %", title=report.subject, box=None)
    for name, outcome in report.probes.items():
        low, high = outcome.interval
        bad = outcome.passed < outcome.count if outcome.owes is Owes.PASS else outcome.mean > 0.0
        style = "red" if bad and outcome.owes is not Owes.ANY else ""
        share = f"{low:.3f} to {high:.3f}"
        owed = {Owes.PASS: "pay", Owes.FAIL: "refuse", Owes.LAZY: "refuse", Owes.ANY: "stand"}[outcome.owes]
        table.add_row(name, str(outcome.count), owed, str(outcome.passed), f"{outcome.mean:.3f}", share, style=style)
    console.print(table)
    missed, total = report.false_fail_counts
    low, high = wilson(missed, total)
    interval = f" (95 %: {low:.3f} to {high:.3f})" if total else ""
    console.print(f"false-pass ceiling {report.false_pass:.3f}   lazy-policy reward {report.lazy_reward:.3f}")
    console.print(f"false-fail rate {report.false_fail:.3f}{interval}   {missed} of {total} right completions refused")
    counts = "   ".join(f"{name.replace('_', ' ')} {count}" for name, count in report.counts.items())
    console.print(f"{counts}   slowest {report.seconds:.2f} s")
    console.print(f"{report.payable} of {counted(report.cases, 'case')} have a right completion that is known and paid")
    for example in report.examples[:examples]:
        score = "none" if example.score is None else f"{example.score:.3g}"
        line = f"{example.fault} in {example.probe}: {example.completion[:100]!r} got {score} ({example.note[:100]})"
        console.print(Text(line), soft_wrap=True)
