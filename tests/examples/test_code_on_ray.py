"""The example of a Ray cluster runs as a user would start it, on two nodes of this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.sandbox.local.machine import machine

EXAMPLE = Path(__file__).parents[2] / "examples" / "code_on_ray.py"


@pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")
def test_both_ways_judge_alike_on_two_nodes(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    command = [sys.executable, "-P", str(EXAMPLE), "--data", str(shared / "data/mbpp"), "--limit", "10"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    ways = [line.rpartition(" in ")[0] for line in done.stdout.splitlines() if "travel" in line]
    judged = "10 correct, 10 no_answer of 20, on 2 nodes"
    assert ways == [f"completions travel: {judged}", f"programs travel: {judged}"]
