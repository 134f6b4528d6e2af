"""``assay check``."""

from __future__ import annotations

import sys

import click

from ..environments.checking import check_splits
from ..environments.findings import CheckReport
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
    no row is empty, repeated or contradicted, and no split asks what another one asks. Rows count from 1. Exit status 1
    where something was found.
    """
    made = make(environment, **parsed_options(pairs))
    reports = check_splits(made, splits, limit=limit, repeats=repeats)
    for report in reports:
        _print(report, rows)
    if not all(report.is_clean for report in reports):
        sys.exit(1)


def _print(report: CheckReport, rows: int) -> None:
    title = f"{report.environment}, split {report.split}: {counted(report.tasks, 'task')}"
    if report.without_reference:
        title += f", {report.without_reference} of them without a completion known to be right"
    if report.is_clean:
        click.echo(f"{title}. Nothing found.")
        return
    counts = ", ".join(f"{count} x {trouble}" for trouble, count in report.counts.items())
    click.secho(f"{title}. {counts}.", fg="red")
    if rows:
        for line in lines_of(report, rows):
            click.echo(line)
    if len(report.findings) > rows:
        click.echo(f"... and {len(report.findings) - rows} more; --rows shows them")


def lines_of(report: CheckReport, rows: int) -> list[str]:
    """The first ``rows`` findings as a table, one line each, whatever a terminal's width."""
    table = [("row", "task", "trouble", "detail")]
    for finding in report.findings[:rows]:
        row = "" if finding.row is None else str(finding.row + 1)
        detail = " ".join(finding.detail.split()).encode("utf-8", "backslashreplace").decode()
        table.append((row, finding.task, str(finding.trouble), detail))
    widths = [max(len(cells[column]) for cells in table) for column in range(3)]
    return ["  ".join([*map(str.ljust, cells[:3], widths), cells[3]]).rstrip() for cells in table]
