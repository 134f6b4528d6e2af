"""``assay check``."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Table

from ..environments.checking import CheckReport, check
from ..environments.registry import make
from ..environments.wording import counted
from .options import environment_options, parsed_options


@click.command("check")
@click.argument("environment")
@click.option("--split", "splits", multiple=True, help="Which tasks; may be given several times  [default: all splits]")
@click.option("--limit", type=click.IntRange(1), help="The first tasks of each split only.")
@click.option("--repeats", default=10, show_default=True, type=click.IntRange(1), help="Judgements that must agree.")
@click.option("--rows", default=20, show_default=True, type=click.IntRange(0), help="Findings to show of each split.")
@environment_options
def command(
    environment: str, splits: tuple[str, ...], limit: int | None, repeats: int, rows: int, pairs: tuple[str, ...]
) -> None:
    """Check ENVIRONMENT with its own verifier: a registered name, package.module:attribute or file.py:attribute.

    Every reference can be read and passes, doing nothing fails, malformed completions get a score, repetitions agree,
    and no row is empty, repeated or contradicted. Exit status 1 where something was found.
    """
    made = make(environment, **parsed_options(pairs))
    reports = [check(made, split, limit=limit, repeats=repeats) for split in splits or made.splits]
    console = Console()
    for report in reports:
        _print(console, report, rows)
    if not all(report.is_clean for report in reports):
        sys.exit(1)


def _print(console: Console, report: CheckReport, rows: int) -> None:
    title = f"{report.environment}, split {report.split}: {counted(report.tasks, 'task')}"
    if report.without_reference:
        title += f", {report.without_reference} of them without a completion known to be right"
    if report.is_clean:
        console.print(f"{title}. Nothing found.", highlight=False)
        return
    counts = ", ".join(f"{count} x {trouble}" for trouble, count in report.counts.items())
    console.print(f"{title}. {counts}.", style="red", highlight=False)
    table = Table("row", "task", "trouble", "detail", box=None)
    for finding in report.findings[:rows]:
        table.add_row(
            "" if finding.row is None else str(finding.row), finding.task, str(finding.trouble), finding.detail
        )
    console.print(table)
    if len(report.findings) > rows:
        console.print(f"... and {len(report.findings) - rows} more; --rows shows them", highlight=False)
