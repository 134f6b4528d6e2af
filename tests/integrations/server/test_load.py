"""A short run of the load test; the long one is `python -P benchmarks/server.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "server.py"


def test_many_clients_at_once_get_their_own_answers() -> None:
    # So short a time is too little to see memory settle: that is the long run's question.
    command = [sys.executable, "-P", str(SCRIPT), "--clients", "30", "--seconds", "1.5", "--growth-mib", "200"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every reply belongs to its request; nothing was lost" in done.stdout
