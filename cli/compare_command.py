"""``assay compare``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..environments.wording import counted
from ..evaluation.before_after import before_after
from ..evaluation.change import points
from ..evaluation.compare import Comparison, compare
from ..evaluation.files import write_text
from ..evaluation.outcomes import METRICS
from ..evaluation.report import load_report


@click.command("compare")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="Folder for a page, a plot and the numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def command(before: Path, after: Path, output: Path | None, as_json: bool) -> None:
    """Compare two evaluations of the same tasks, paired by task: folders that `assay evaluate` wrote."""
    reports = load_report(before), load_report(after)
    found = compare(*reports)
    if output is not None:
        before_after(*reports, output, title=f"{reports[0].model} and {reports[1].model}")
        write_text(output / "comparison.json", json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n")
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        return
    console = Console()
    lines = [Text(line) for line in _lines(found)]
    table = [_table(found)] if found.change.measured else []
    # what failed samples decide is said before numbers that look like a change
    for shown in [lines[0], *table, *lines[1:]] if found.undecided else [*table, *lines]:
        console.print(shown)
    if output is not None:
        console.print(Text(f"Page, plot and numbers: {output}"))


def _table(found: Comparison) -> Table:
    change = found.change
    table = Table(
        title=f"{counted(change.tasks, 'task')}, paired; differences in points with a 95 % band for all K together"
    )
    for heading in ("K", "Pass@K before", "after", "difference", "Maj@K before", "after", "difference"):
        table.add_column(heading)
    for k in change.ks:
        cells = [str(k)]
        for metric in METRICS:
            cells += [*change.row(metric, k)[:2], points(found.band[metric][k])]
        table.add_row(*map(Text, cells))
    return table


def _lines(found: Comparison) -> list[str]:
    """The verdict and what a reader needs to weigh it."""
    lines = [f"{found.shift}: {found.reason}"]
    if not found.undecided:
        lines += _counts(found)
    return [*lines, *(f"Note: {note}" for note in found.change.notes)]


def _counts(found: Comparison) -> list[str]:
    """Tasks by what became of them, and what more tasks would show."""
    change, last = found.change, found.change.ks[-1]
    solved, lines = change.solved, []
    if "both" in solved:
        lines.append(
            f"Solved at least once: {solved['both']} by both, {solved['only_before']} only before, "
            f"{solved['only_after']} only after, {solved['neither']} by neither."
        )
    if found.first_loss is not None:
        lines.append(f"Pass@K is lost from K = {found.first_loss} on.")
    for metric, name in zip(METRICS, ("Pass", "Maj"), strict=True):
        needed = found.tasks_needed[metric]
        settle = f"; about {counted(needed, 'task')} would show a difference of this size" if needed else ""
        shown = 100 * found.detectable[metric]
        power = (
            "what difference these tasks would show cannot be told, since none changed"
            if math.isnan(shown)
            else f"these tasks show a difference of {shown:.1f} points in four of five repetitions"
        )
        tasks = ""
        if metric in found.wins:
            better, worse, same = found.wins[metric]
            tasks = f"{counted(better, 'task')} better, {worse} worse, {same} the same; "
        lines.append(f"{name}@{last}: {tasks}{power}{settle}.")
    return lines
