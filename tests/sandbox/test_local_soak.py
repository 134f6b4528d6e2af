"""A short soak; the long one is `python benchmarks/sandbox_soak.py`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.sandbox.local.machine import machine

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sandbox_soak.py"


@pytest.mark.timeout(1200)  # seconds on a busy machine; a quiet one takes 15
def test_hundreds_of_mixed_runs_leave_nothing_and_judge_no_honest_program_wrong() -> None:
    if machine().modes[0] not in "AB":
        pytest.skip("the honest programs of the soak write files and start processes")
    # Tests beside this one start Docker daemons, which mount; the soak looks at the mounts of a namespace of its own.
    apart = ["unshare", "--mount"] if os.geteuid() == 0 and shutil.which("unshare") else []
    command = [*apart, sys.executable, "-P", str(SCRIPT), "--runs", "500"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 runs" in done.stdout
    assert "nothing left behind, nothing wrong" in done.stdout
