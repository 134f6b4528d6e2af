"""``assay profile``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..environments.wording import counted
from ..evaluation.profile import GROUP_SIZES, DeadGroups, Profile
from ..evaluation.report import load_report

_BAR = 40


@click.command("profile")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--low", default=0.0, show_default=True, type=float, help="Keep tasks with a pass rate above this.")
@click.option("--high", default=1.0, show_default=True, type=float, help="Keep tasks with a pass rate below this.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the kept tasks with their pass rates, as JSONL.")
def command(folder: Path, low: float, high: float, output: Path | None) -> None:
    """Which tasks a model can learn from: pass rates of an evaluation, and the dead groups they mean.

    FOLDER is where `assay evaluate` wrote; `assay evaluate --split train --samples 8` makes one. A group is dead when
    all its completions pass or all fail: it has no gradient in GRPO.
    """
    profile = Profile(load_report(folder))
    kept = profile.inside(low, high)
    console = Console()
    console.print(_histogram(profile))
    console.print(_groups([profile.dead_groups(size) for size in GROUP_SIZES]))
    console.print(
        f"{len(kept)} of {counted(len(profile.rates()), 'task')} have a pass rate between {low:g} and {high:g}"
    )
    for note in profile.report.notes:
        console.print(Text(f"Note: {note}"))
    if output is not None:
        profile.write(output, low, high)
        console.print(f"Written to {output}", highlight=False)


def _histogram(profile: Profile) -> Table:
    table = Table("pass rate", "tasks", "", box=None, title=profile.report.title)
    bins = profile.histogram()
    most = max(count for _, _, count in bins) or 1
    for low, high, count in bins:
        name = f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"
        table.add_row(name, str(count), "█" * round(_BAR * count / most))
    return table


def _groups(groups: list[DeadGroups]) -> Table:
    table = Table("G", "dead groups", "rollouts for each useful one", box=None)
    for group in groups:
        mark = " (extrapolated)" if group.extrapolated else ""
        table.add_row(str(group.size), f"{100 * group.share:.1f} %{mark}", f"{group.wasted:.2f}")
    return table
