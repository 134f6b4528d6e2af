"""``assay score``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..environments.judged_file import Judged
from ..environments.registry import make
from ..environments.rescoring import Rescored, find_verifier, rescore, rows_of
from .options import parsed_options


@click.command("score")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--env", "environment", help="Whose tasks the rows belong to; its verifier judges.")
@click.option("--split", help="The split with the tasks  [default: all finite ones]")
@click.option(
    "--option", "pairs", multiple=True, metavar="NAME=VALUE", help="For the environment, as path=data/x.jsonl."
)
@click.option("--verifier", help="What judges instead: package.module:attribute or file.py:attribute.")
@click.option("--against", help="A second verifier, named alike; every disagreement is listed.")
@click.option("--completion", help="The column with the completions.")
@click.option("--reference", help="Without --env, the column with the references.")
@click.option("--output", type=click.Path(path_type=Path), help="A JSONL file for the judgements; makes it resumable.")
def command(
    file: Path,
    environment: str | None,
    split: str | None,
    pairs: tuple[str, ...],
    verifier: str | None,
    against: str | None,
    completion: str | None,
    reference: str | None,
    output: Path | None,
) -> None:
    """Judge the completions in FILE again: JSONL, Parquet or CSV, samples of an evaluation, or a table TRL wrote.

    Rows whose stored score is another one are listed, and with --against the rows about which two judges disagree.
    """
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("judging", total=None)
        rescored = rescore(
            file,
            None if environment is None else make(environment, **parsed_options(pairs)),
            split=split,
            verifier=None if verifier is None else find_verifier(verifier),
            against=None if against is None else find_verifier(against),
            completion=completion,
            reference=reference,
            output=output,
            on_batch=lambda done, total: bar.update(task, completed=done, total=total),
        )
    _print(Console(), rescored, compared=against is not None)


def _print(console: Console, rescored: Rescored, *, compared: bool) -> None:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(rescored.verdicts.items()))
    said = f"{len(rescored.judged)} completions: {rescored.accuracy:.4f} correct ({counts})"
    console.print(said, highlight=False)
    if any(row.stored is not None for row in rescored.judged):
        _table(console, rescored.changed, "stored scores that are others now")
    if compared:
        _table(console, rescored.disagreements, "disagreements of the two judges")


def _table(console: Console, rows: list[Judged], what: str) -> None:
    console.print(f"{len(rows)} {what}", highlight=False)
    if not rows:
        return
    table = Table("row", "stored", "verdict", "against", "answer", "reason", box=None)
    for cells in rows_of(rows):
        table.add_row(*(cell[:120] for cell in cells))
    console.print(table)
