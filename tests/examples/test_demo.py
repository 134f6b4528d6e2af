"""The main job at a small size: it ends with its page, reuses what it made, and goes on where it was stopped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"
SMALL = ["--warm-up-steps", "120", "--grpo-steps", "2", "--samples", "4", "--limit", "12"]


def command(output: Path, *options: str) -> list[str]:
    return [sys.executable, str(DEMO), "--output", str(output), *options]


def run(output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "160"}
    return subprocess.run(command(output, *options), capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A whole small run that was killed once in its warm-up: not by SIGINT, which a shell's background jobs ignore."""
    output = tmp_path_factory.mktemp("demo") / "run"
    process = subprocess.Popen(command(output, *SMALL), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    checkpoint = output / "warmed-up" / "checkpoint.pt"
    while not checkpoint.is_file() and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert checkpoint.is_file()
    done = run(output, *SMALL)
    assert done.returncode == 0, done.stderr[-3000:]
    return output, done.stdout


def test_it_ends_with_a_table_and_a_page_to_open(finished: tuple[Path, str]) -> None:
    output, printed = finished
    assert "Train and test split share 0 questions" in printed
    assert "Pass@K in percent: 12 problems, 4 samples each" in printed
    assert "Maj@K in percent" in printed
    assert "As many optimizer steps, plain and on groups that teach" in printed
    assert re.search("EXPANSION|SHARPENING|COLLAPSE|NARROWING|INCONCLUSIVE", printed)
    page = output / "index.html"
    assert f"The page to open: {page}" in printed
    links = re.findall('(?:href|src)="([^"]+)"', page.read_text())
    assert len(links) == 9
    assert [link for link in links if not (output / link).is_file()] == []
    assert "<svg" in (output / "before_after.html").read_text()


def test_both_models_load_and_training_changed_the_weights(finished: tuple[Path, str]) -> None:
    from safetensors.torch import load_file

    output, _ = finished
    before, after = (load_file(output / name / "model.safetensors") for name in ("warmed-up", "plain/model"))
    assert before.keys() == after.keys()
    assert any(bool((before[name] != after[name]).any()) for name in before)


def test_a_second_run_reuses_everything_and_prints_the_same_table(finished: tuple[Path, str]) -> None:
    output, printed = finished
    kept = {path: path.stat().st_mtime_ns for path in output.rglob("*.safetensors")}
    again = run(output, *SMALL)
    assert again.returncode == 0, again.stderr[-3000:]
    assert "Warm-up: done before" in again.stdout
    assert "GRPO, plain: done before" in again.stdout
    assert "GRPO, curriculum: done before" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*.safetensors")} == kept
    table = printed[printed.index("Pass@K in percent") : printed.index("seconds. The page")].rsplit("\n", 1)[0]
    assert table in again.stdout


def test_other_settings_in_the_same_folder_are_refused(finished: tuple[Path, str]) -> None:
    output, _ = finished
    done = run(output, "--seed", "5")
    assert done.returncode == 1
    assert "Name another folder by --output, or delete it" in done.stderr
