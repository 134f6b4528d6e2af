"""Two real processes over gloo: the same groups and the same tables on both, and no silent deadlock."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("gloo_worker.py")


def run(folder: Path, *scenarios: dict[str, Any]) -> list[Any]:
    """Start both, wait for both, and return what each printed with its exit status."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = json.dumps(scenarios)
    processes = []
    for rank in range(2):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
        here = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "ACCELERATE_USE_CPU": "true"}
        environment = {**os.environ, **place, **here, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, str(WORKER), str(folder), text]
        processes.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    results = []
    for process in processes:
        try:
            out, errors = process.communicate(timeout=240)
        finally:
            if process.poll() is None:
                process.kill()
        lines = [line for line in out.splitlines() if line.startswith('{"')]
        results.append({"status": process.returncode, "errors": errors, **(json.loads(lines[-1]) if lines else {})})
    return results


def scenario(curriculum: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """Three steps of two groups of eight, or four of four; a slow judge on process 1."""
    arguments = {"max_steps": 3, "per_device_train_batch_size": 8, "num_generations": 4, **settings}
    return {"arguments": arguments, "curriculum": {"mode": "resample", "max_rounds": 20, **curriculum}, "slow": 1}


def test_both_processes_draw_train_and_learn_the_same_though_one_is_slow(tmp_path: Path) -> None:
    first, second = run(
        tmp_path,
        scenario({"order": "informative"}),
        scenario({"order": "informative"}, per_device_train_batch_size=4, num_generations=8),
        scenario({"order": "stock"}),
        scenario({"mode": "mask", "order": "stock"}),
    )
    assert first["status"] == second["status"] == 0, first["errors"][-2000:] + second["errors"][-2000:]
    whole, split, stock, masked = first["runs"]
    for mine, theirs in zip(first["runs"], second["runs"], strict=True):
        assert mine == theirs | {"groups": mine["groups"]}
    assert whole["groups"][0] == 2  # whole groups on each process
    assert set(split["groups"]) == {1}  # one group split over both
    for filled in (whole, split, stock):
        assert [entry["curriculum/trained_dead"] for entry in filled["history"]] == [0.0] * 3
        assert [entry["frac_reward_zero_std"] for entry in filled["history"]] == [0.0] * 3
        assert filled["state"]["rates"]["counts"] != []
    assert masked["state"] is None


def test_a_judge_that_breaks_on_one_process_ends_both(tmp_path: Path) -> None:
    first, second = run(tmp_path, {**scenario({}), "raise": 1})
    assert second["status"] == 1
    assert second["error"] == "the judge of process 1 broke"
    assert first["status"] != 0
