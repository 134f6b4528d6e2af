"""``assay report``."""

from __future__ import annotations

from pathlib import Path

import click

from ..evaluation.export import export


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help=".html, .png, .svg, .md, .json, .csv or .parquet; repeatable  [default: report.html in FOLDER]",
)
def command(folder: Path, files: tuple[Path, ...]) -> None:
    """Make one page to search the samples of an evaluation, or its plot, report or table."""
    for file in files or (folder / "report.html",):
        export(folder, file)
        click.echo(str(file))
