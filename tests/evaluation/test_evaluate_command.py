"""``assay evaluate``, run as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = f"{Path(__file__).parent / 'conftest.py'}:Signs"


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay", "evaluate", *map(str, arguments)]
    variables = {**os.environ, "COLUMNS": "160", "OMP_NUM_THREADS": "1", "PYTHONSAFEPATH": "1"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables, check=False)


def test_a_model_is_evaluated_and_a_missed_threshold_is_status_1(tiny_folder: Path, tmp_path: Path) -> None:
    arguments = ["--model", tiny_folder, "--env", ENVIRONMENT, "--samples", "4", "--max-new-tokens", "3"]
    done = run(*arguments, "--limit", "6", "--k", "1", "--k", "3", "--fail-under", "pass@4=0", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "24/24" in done.stderr
    rows = [line.split("│")[1].strip() for line in done.stdout.splitlines() if line.startswith("│")]
    assert rows == ["1", "3"]
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name == f"{tiny_folder.name}-test-signs-v1-test"
    assert json.loads((folder / "report.json").read_text())["tasks"] == 6

    bounds = ["--fail-under", "maj@3=1.0", "--fail-under", "pass@1=0.0"]
    again = run(*arguments, "--limit", "6", *bounds, folder=tmp_path)
    assert again.returncode == 1, again.stderr
    assert "maj@3 is" in again.stdout
    assert "below the 1.0 that was asked for" in again.stdout
    assert "pass@1 is" not in again.stdout

    other = run(*arguments, "--limit", "6", "--temperature", "0.5", folder=tmp_path)
    assert other.returncode == 2
    assert "sampler.temperature: 1.0 there, 0.5 now" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--env", "math/gsm8k-v1", "--fail-under", "accuracy=1"], "is not of the form METRIC@K=VALUE"),
        (["--env", "math/gsm8k-v1", "--k", "8"], "K = 8 needs at least 8 samples of each task; --samples is 4"),
        (["--env", "math/gsm9k-v1"], "no environment is called 'math/gsm9k-v1'; did you mean 'math/gsm8k-v1'"),
        (["--env", ENVIRONMENT], "the model '/nowhere' could not be loaded"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = run("--model", "/nowhere", *arguments, folder=tmp_path)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("assay: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()
