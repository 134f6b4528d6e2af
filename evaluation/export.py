"""A run's samples with their tasks as one table, and its report in other forms; the form goes by the file's suffix."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingExtra
from .files import write_text, writing
from .page import write_page
from .plots import report_figure, save_figure
from .report import load_report
from .samples import SampleFolder

Rows = list[dict[str, Any]]


def export(folder: str | os.PathLike[str], file: str | os.PathLike[str]) -> None:
    """Write a run as a page, a plot, a report or a table of its samples.

    Args:
        folder: Where ``evaluate`` wrote.
        file: ``.html`` (samples page), ``.png`` or ``.svg`` (plot), ``.md`` or ``.json`` (report), ``.csv`` or
            ``.parquet`` (one row a sample, with prompt, reference and difficulty of its task).

    Raises:
        InputError: The folder holds no run, the suffix is another one, or there is nothing to plot.
        MissingExtra: matplotlib or pyarrow is not installed.
        StorageFailed: The file cannot be written.
    """
    path = Path(file)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InputError(f"{path.name!r} has the suffix {path.suffix!r}; expected one of {', '.join(_WRITERS)}")
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    writer(Path(folder), path)


def sample_rows(folder: str | os.PathLike[str]) -> Rows:
    """One row for each sample: the columns of ``samples.jsonl``, and those of its task as texts.

    Raises:
        InputError: The folder holds no run.
    """
    store = SampleFolder(folder)
    config = store.config()
    tasks = {task["id"]: _task_columns(task) for task in store.tasks()}
    about = {"environment": config["environment"], "model": config["sampler"].get("model")}
    return [{**about, **tasks[sample.task], **sample.to_json()} for sample in store.samples()]


def _task_columns(task: Mapping[str, Any]) -> dict[str, Any]:
    """Prompt and reference as texts: JSON where they are not texts already, so that a column has one type."""
    texts = {
        name: task[name] if isinstance(task[name], str) else json.dumps(task[name], ensure_ascii=False)
        for name in ("prompt", "reference")
    }
    return {**texts, "difficulty": task.get("difficulty")}


def _csv(folder: Path, path: Path) -> None:
    rows = sample_rows(folder)
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_text(path, out.getvalue())


def _parquet(folder: Path, path: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "trl") from error
    rows = [{name: _storable(value) for name, value in row.items()} for row in sample_rows(folder)]
    with writing(path):
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def _storable(value: Any) -> Any:
    """Lone surrogates, which UTF-8 has no place for, as escapes."""
    return value.encode("utf-8", errors="backslashreplace").decode() if isinstance(value, str) else value


def _plot(folder: Path, path: Path) -> None:
    report = load_report(folder)
    if not report.measured:
        raise InputError(f"there is nothing to plot in {folder}: no sample could be judged. {' '.join(report.notes)}")
    save_figure(report_figure(report), path)


def _html(folder: Path, path: Path) -> None:
    write_page(folder, path)


def _markdown(folder: Path, path: Path) -> None:
    write_text(path, load_report(folder).to_markdown())


def _json(folder: Path, path: Path) -> None:
    write_text(path, json.dumps(load_report(folder).to_json(), indent=2, ensure_ascii=False) + "\n")


_WRITERS: Mapping[str, Callable[[Path, Path], None]] = {
    ".html": _html,
    ".png": _plot,
    ".svg": _plot,
    ".md": _markdown,
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
}
