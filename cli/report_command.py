"""``assay report``."""

from __future__ import annotations

from pathlib import Path

import click

from ..evaluation.page import write_page


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="The page  [default: report.html in FOLDER]")
def command(folder: Path, output: Path | None) -> None:
    """Make one HTML page of an evaluation, to search and filter its tasks and samples."""
    click.echo(str(write_page(folder, output)))
