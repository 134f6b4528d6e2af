"""A run in other forms, each read back by what reads that form."""

from __future__ import annotations

import csv
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.environments.base import Prompt
from assay.errors import InputError, MissingExtra
from assay.evaluation import Completion, evaluate
from assay.evaluation.export import export, sample_rows


class Odd:
    """Writes texts that tables find hard."""

    batch_size = 8
    settings = {"kind": "odd", "seed": 0, "model": "odd"}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        return [Completion('a,"b"\nc\udc80') for _ in prompts]


@pytest.fixture
def run(signs: Any, tmp_path: Path) -> Path:
    evaluate(signs, Odd(), samples=2, limit=3, folder=tmp_path / "run", progress=False)
    return tmp_path / "run"


def test_a_table_has_one_row_a_sample_with_its_task(run: Path) -> None:
    rows = sample_rows(run)
    assert len(rows) == 6
    assert json.loads(rows[0]["prompt"])[0]["content"].startswith("say")
    assert {row["model"] for row in rows} == {"odd"}


def test_csv_is_read_back_by_csv(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "deep/er.csv")
    with (tmp_path / "deep/er.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert rows[0]["completion"] == 'a,"b"\nc\\udc80'
    assert rows[0]["answer"] == "a"


def test_parquet_is_loaded_by_datasets(run: Path, tmp_path: Path) -> None:
    datasets = importlib.import_module("datasets")
    export(run, tmp_path / "rows.parquet")
    table = datasets.Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path / "cache"))
    assert table.num_rows == 6
    assert set(table["verdict"]) <= {"correct", "incorrect", "no_answer"}


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("md", b"# odd on"), ("json", b"{")]
)
def test_plots_and_reports_are_what_their_suffix_says(run: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
    export(run, tmp_path / f"file.{suffix}")
    assert (tmp_path / f"file.{suffix}").read_bytes().startswith(start)


def test_another_suffix_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'file.xlsx' has the suffix '.xlsx'; expected one of .html, .png"):
        export(run, tmp_path / "file.xlsx")


def test_without_pyarrow_the_pip_line_is_named(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[trl\]'"):
        export(run, tmp_path / "rows.parquet")


def test_the_command_makes_the_page_and_what_is_asked_for(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, made in (
        ([], [run / "report.html"]),
        (["--output", tmp_path / "a.csv", "--output", tmp_path / "b.svg"], [tmp_path / "a.csv", tmp_path / "b.svg"]),
    ):
        monkeypatch.setattr(sys, "argv", ["assay", "report", str(run), *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        assert not caught.value.code
        assert capsys.readouterr().out.split() == list(map(str, made))
        assert all(file.stat().st_size > 100 for file in made)


def test_a_run_whose_tasks_are_lost_says_so(run: Path) -> None:
    (run / "tasks.jsonl").unlink()
    with pytest.raises(InputError, match=r"tasks\.jsonl is missing or empty; put it back, or evaluate again into"):
        export(run, run / "report.html")


def test_a_plot_is_drawn_without_remarks_where_the_home_cannot_be_written(tmp_path: Path) -> None:
    code = "from assay.evaluation.plots import _figure; _figure((1, 1)).savefig('plot.svg')"
    kept = {key: value for key, value in os.environ.items() if key not in ("MPLCONFIGDIR", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=kept | {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "<svg" in (tmp_path / "plot.svg").read_text()
