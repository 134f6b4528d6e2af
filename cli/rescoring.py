"""The part of ``assay score`` that judges stored completions again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from ..environments.judged_file import Judged
from ..environments.registry import make
from ..environments.rescoring import Rescored, find_verifier, rescore, rows_of
from ..environments.wording import counted
from ..errors import InputError


def judge_again(
    file: Path,
    environment: str | None,
    options: Mapping[str, Any],
    verifier: str | None,
    against: str | None,
    **arguments: Any,
) -> None:
    """Judge the completions in ``file`` with a progress bar, and print what came of it.

    Args:
        file: Where they are stored.
        environment: The name of the environment whose tasks they belong to.
        options: For the environment.
        verifier: What judges instead of the environment's verifier.
        against: A second judge.
        **arguments: As ``rescore`` takes them.

    Raises:
        InputError: Not one completion could be judged, or as ``rescore`` raises.
    """
    with _bar() as show:
        rescored = rescore(
            file,
            None if environment is None else make(environment, **options),
            verifier=None if verifier is None else find_verifier(verifier),
            against=None if against is None else find_verifier(against),
            on_batch=show,
            **arguments,
        )
    _print(Console(), rescored, compared=against is not None)
    if all(row.verdict.is_ours for row in rescored.judged):
        raise InputError(f"nothing in {str(file)!r} could be judged: {_first_failure(rescored)}")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, drawn from the first batch on: what is wrong with the file is said without."""
    bar = Progress(console=Console(stderr=True))
    task = bar.add_task("judging", total=None)

    def show(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


def _print(console: Console, rescored: Rescored, *, compared: bool) -> None:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(rescored.verdicts.items()))
    failed = sum(row.verdict.is_ours for row in rescored.judged)
    said = f"{rescored.accuracy:.4f} correct ({counts})" if failed < len(rescored.judged) else counts
    console.print(Text(f"{counted(len(rescored.judged), 'completion')}: {said}"))
    if failed:
        said = f"{counted(failed, 'completion')} could not be judged (not correct in that share); the first: "
        console.print(Text(said + _first_failure(rescored)))
    if any(row.stored is not None for row in rescored.judged):
        _table(console, rescored.changed, "stored scores that are others now")
    if compared:
        _table(console, rescored.disagreements, "disagreements of the two judges")


def _first_failure(rescored: Rescored) -> str:
    """Why the first completion that could not be judged was not, with its row."""
    first = next(row for row in rescored.judged if row.verdict.is_ours)
    return f"row {first.row + 1}: {first.reason}"


def _table(console: Console, rows: list[Judged], what: str) -> None:
    console.print(f"{len(rows)} {what}", highlight=False)
    if not rows:
        return
    table = Table("row", "stored", "verdict", "against", "answer", "reason", box=None)
    for cells in rows_of(rows):
        table.add_row(*(cell[:120] for cell in cells))
    console.print(table)
