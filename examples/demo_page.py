"""The end of the demonstration: what each way of training cost and gained, and one page that leads to all others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean
from string import Template
from typing import Any

from rich import box
from rich.table import Table

from assay.environments.base import Task
from assay.evaluation import Change, Comparison, Report
from assay.evaluation.page import write_page as write_samples_page

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>assay demo</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1.2rem;
       color: light-dark(#1b1b1b, #e8e8e8); background: light-dark(#ffffff, #16181c); }
img { max-width: 100%; background: #ffffff; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid light-dark(#dddddd, #3a3d44); }
.verdict { border-left: 4px solid #2a6fb0; padding-left: .8rem; }
</style>
</head>
<body>
<h1>What GRPO changed</h1>
<p class="verdict"><b>$shift</b>: $reason</p>
<p><a href="before_after.html"><img src="before_after.png" alt="Pass@K and Maj@K before and after GRPO"></a></p>
<p><img src="dead_groups.png" alt="The share of dead groups in each step, plain and with the curriculum"></p>
<div class="scroll"><table><thead><tr>$headings</tr></thead><tbody>$rows</tbody></table></div>
<p>Gains in percentage points over the warmed-up model. A group is dead when all of its completions pass or all fail: it
teaches nothing.</p>
<ul>$links</ul>
</body>
</html>
""")
_HEADINGS = ("GRPO", "Pass@1", "gain", "Maj@K gain", "dead groups trained on", "rollouts generated")


@dataclass
class Arm:
    """One way of training, and what came of it.

    Attributes:
        name: "plain" or "curriculum".
        dead: The share of groups trained on that were dead, step by step.
        rollouts: Completions generated in all.
        report: The evaluation afterwards.
    """

    name: str
    dead: list[float]
    rollouts: int
    report: Report | None = None

    @classmethod
    def of(cls, name: str, history: Sequence[Mapping[str, Any]]) -> Arm:
        """From a trainer's log: an entry a step, of 256 completions each."""
        steps = [entry for entry in history if "reward" in entry]
        column = "curriculum/trained_dead" if name == "curriculum" else "arithmetic/dead_groups"
        times = [entry.get("curriculum/generated_per_trained", 1.0) for entry in steps]
        return cls(name, [entry[column] for entry in steps], round(256 * sum(times)))

    @classmethod
    def load(cls, folder: Path) -> Arm:
        """What ``save`` wrote."""
        return cls(**json.loads((folder / "arm.json").read_text()))

    def save(self, folder: Path) -> None:
        """Keep the numbers beside the model; the report has a folder of its own."""
        values = {"name": self.name, "dead": self.dead, "rollouts": self.rollouts}
        (folder / "arm.json").write_text(json.dumps(values))

    def cells(self, before: Report) -> list[str]:
        """The arm's row of the table."""
        assert self.report is not None
        most = before.ks[-1]
        first = {metric: self.report.curves[metric] for metric in ("pass@k", "maj@k")}
        gain = 100 * (first["pass@k"][1].estimate - before.curves["pass@k"][1].estimate)
        vote = 100 * (first["maj@k"][most].estimate - before.curves["maj@k"][most].estimate)
        return [
            self.name,
            f"{100 * first['pass@k'][1].estimate:.1f}",
            f"{gain:+.1f}",
            f"{vote:+.1f} at {most}",
            f"{100 * fmean(self.dead):.0f} %",
            f"{self.rollouts:,}",
        ]


def change_table(change: Change, metric: str) -> Table:
    """One row for each K: before, after and the paired difference."""
    table = Table(box=box.SIMPLE)
    for heading in ("K", "before", "after", "change [95 %]"):
        table.add_column(heading, justify="right")
    for k in change.ks:
        table.add_row(str(k), *change.row(metric, k))
    return table


def level_table(before: Report, after: Report, tasks: list[Task]) -> Table:
    """Pass@1 and coverage for each number of digits: the warm-up never showed six."""
    table = Table(title="By digits, in percent (coverage: solved at least once)", box=box.SIMPLE)
    for heading in ("digits", "Pass@1 before", "after", "coverage before", "after"):
        table.add_column(heading, justify="right")
    most = before.ks[-1]
    for level in sorted({task.difficulty for task in tasks if task.difficulty is not None}):
        ids = {task.id for task in tasks if task.difficulty == level}
        cells = []
        for k in (1, most):
            for report in (before, after):
                rows = [i for i, outcome in enumerate(report.outcomes) if outcome.id in ids]
                cells.append(f"{100 * report.values('pass@k', k)[rows].mean():.1f}")
        table.add_row(f"{level:.0f}", *cells)
    return table


def arms_table(before: Report, arms: Sequence[Arm]) -> Table:
    """Both ways of training side by side, for the terminal."""
    table = Table(title="As many optimizer steps, plain and on groups that teach", box=box.SIMPLE)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    for arm in arms:
        table.add_row(*arm.cells(before))
    return table


def _save_picture(arms: Sequence[Arm], file: Path, *, window: int = 10) -> None:
    """The share of dead groups trained on, as a mean of the last steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axes = figure.add_subplot()
    for arm in arms:
        means = [100 * fmean(arm.dead[max(0, end - window) : end]) for end in range(1, len(arm.dead) + 1)]
        axes.plot(range(1, len(means) + 1), means, label=arm.name)
    axes.set(xlabel="optimizer step", ylabel="dead groups trained on, %", ylim=(-3, 103))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=150)


def write_page(output: Path, before: Report, arms: Sequence[Arm], comparison: Comparison) -> Path:
    """Write ``index.html``: the verdict, the pictures, both arms, and links to every other page."""
    links = [("before_after.html", "before and after, every K")]
    for name in ("before", *(f"{arm.name}/after" for arm in arms)):
        write_samples_page(output / name)
        links.append((f"{name}/report.html", f"samples, {name}: search, filter, read"))
    links += [(f"{arm.name}/run/monitor.html", f"the training run, {arm.name}") for arm in arms]
    _save_picture(arms, output / "dead_groups.png")
    page = output / "index.html"
    page.write_text(
        _PAGE.substitute(
            shift=escape(str(comparison.shift)),
            reason=escape(comparison.reason),
            headings="".join(f"<th>{heading}</th>" for heading in _HEADINGS),
            rows="".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in arm.cells(before)) + "</tr>" for arm in arms
            ),
            links="".join(f'<li><a href="{escape(link)}">{escape(text)}</a></li>' for link, text in links),
        ),
        encoding="utf-8",
    )
    return page
