"""``assay report``."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InputError
from ..evaluation.export import export
from ..evaluation.files import write_text, writing
from ..integrations.trl.page import page
from ..integrations.trl.run_log import find_log, read_log


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help=".html, .png, .svg, .md, .json, .csv or .parquet; repeatable; a training run has .html alone  "
    "[default: report.html in FOLDER]",
)
@click.option(
    "--strict", metavar="METRIC", help="Of a training run: the held-out metric that its reward is held against."
)
def command(folder: Path, files: tuple[Path, ...], strict: str | None) -> None:
    """Make one page to search the samples of an evaluation, or its plot, report or table.

    The folder of a training run (its monitor.jsonl, or a trainer's trainer_state.json) gives the monitor's page: curves
    of what was logged, and what looks wrong.
    """
    if not folder.is_dir():
        raise InputError(f"no folder {str(folder)!r}; expected that of an evaluation or of a training run")
    evaluation = any((folder / name).exists() for name in ("samples.jsonl", "tasks.jsonl"))
    log = None if evaluation else find_log(folder)
    if strict is not None and log is None:
        raise InputError(f"--strict is for training runs; {str(folder)!r} holds none")
    if not evaluation and log is None:
        raise InputError(
            f"{str(folder)!r} holds neither an evaluation (tasks.jsonl and samples.jsonl, of `assay evaluate`) nor a "
            "training run (monitor.jsonl, of the callback Monitor, or a trainer_state.json here or in a checkpoint)"
        )
    for file in files or (folder / "report.html",):
        if log is None:
            export(folder, file)
        else:
            _write_run(log, folder, file, strict)
        click.echo(str(file))


def _write_run(log: Path, folder: Path, file: Path, strict: str | None) -> None:
    if file.suffix.lower() != ".html":
        raise InputError(f"{file.name!r} has the suffix {file.suffix!r}; a training run is written as .html alone")
    watch = read_log(log, strict=strict)
    if not watch.history:
        raise InputError(f"{log} has no entry yet; let the run log once")
    if strict is not None and watch.unseen:
        raise InputError(f"--strict {strict!r}: in {log} {watch.unseen}")
    with writing(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, page(watch, folder.resolve().name))
