"""A report as text: Markdown for files, a rich table for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..environments.wording import counted
from .outcomes import METRICS

if TYPE_CHECKING:
    from rich.table import Table

    from .intervals import Estimate
    from .report import Report


def markdown(report: Report) -> str:
    """One row for each k with both intervals, then the rates and what limits the numbers."""
    tasks, samples = counted(len(report.outcomes), "task"), counted(report.samples, "sample")
    if not report.measured:
        return "\n\n".join([f"# {report.title}", f"{tasks}, {samples} each.", *report.notes]) + "\n"
    lines = [
        f"# {report.title}",
        "",
        f"{tasks}, {samples} each; {report.confidence:.0%} intervals: first for "
        "other tasks of this kind (Student t over tasks), then for other samples on these tasks (jackknife).",
        "",
        "| K | Pass@K | other tasks | other samples | Maj@K | other tasks | other samples |",
        "|---|---|---|---|---|---|---|",
    ]
    for k in report.ks:
        cells: list[str] = []
        for metric in METRICS:
            cells += interval_text(report.curves[metric][k], report.benchmark_curves[metric][k])
        lines.append(f"| {k} | {' | '.join(cells)} |")
    lines += ["", *(f"* {name.replace('_', ' ')}: {rate:.1%}" for name, rate in report.rates.items())]
    if report.notes:
        lines += ["", *(f"> {note}" for note in report.notes)]
    return "\n".join(lines) + "\n"


def rich_table(report: Report, ks: Sequence[int]) -> Table:
    """One row for each of ``ks``, with population intervals."""
    from rich.table import Table
    from rich.text import Text

    tasks, samples = counted(len(report.outcomes), "task"), counted(report.samples, "sample")
    caption = f"{tasks} x {samples}, {report.confidence:.0%} intervals over tasks"
    # Text, not str: a model's name or a note may hold square brackets, which are markup to rich
    table = Table("K", "Pass@K", "Maj@K", title=Text(report.title), caption=Text("\n".join([caption, *report.notes])))
    for k in ks:
        cells = (report.estimate(metric, k) for metric in METRICS)
        table.add_row(str(k), *(Text(f"{_share(cell.estimate)} {_range(cell)}") for cell in cells))
    return table


def overview(reports: Sequence[Report]) -> Table:
    """One row for each of several reports: their tasks, and both metrics at the smallest and largest k."""
    from rich.table import Table
    from rich.text import Text

    table = Table("model", "environment", "tasks", "Pass@1", "K", "Pass@K", "Maj@K", title="all runs")
    for report in reports:
        last = report.ks[-1]
        cells = [report.estimate("pass@k", 1), report.estimate("pass@k", last), report.estimate("maj@k", last)]
        first, *others = (Text(f"{_share(cell.estimate)} {_range(cell)}") for cell in cells)
        name = Text(str(report.config["environment"]))
        table.add_row(Text(report.model), name, str(len(report.outcomes)), first, str(last), *others)
    return table


def interval_text(population: Estimate, benchmark: Estimate) -> tuple[str, str, str]:
    """A mean and its two intervals as texts."""
    return _share(population.estimate), _range(population), _range(benchmark)


def _share(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.1%}"


def _range(estimate: Estimate) -> str:
    return "" if math.isnan(estimate.low) else f"[{estimate.low:.1%}, {estimate.high:.1%}]"
