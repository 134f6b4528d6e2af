"""HumanEval tasks judged per second: ``CodeVerifier``, and the way most graders go, an interpreter per program.

    python -P benchmarks/code_verifier.py --data FOLDER [--rounds 3]

The peer writes program and tests into one file, runs ``python -I`` on it, and takes exit status 0 for success, with no
isolation and as many at a time as there are cores; ``hacks.py`` counts how many hacks fool it. Times are wall time
of a whole pass over the 164 canonical solutions, the best of the rounds; the ways take turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.environments.datasets import DataFile, load_rows
from assay.sandbox import Program, Sandbox, open_sandbox
from assay.verifiers import CodeVerifier, TestSuite


def subprocess_judge(programs: list[str]) -> int:
    """How many programs exit with status 0, each in a fresh interpreter, two at a time."""

    def run(program: str) -> bool:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(program)
            file.flush()
            done = subprocess.run([sys.executable, "-I", file.name], capture_output=True, timeout=30, check=False)
        return done.returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(run, programs))


def timed(action: Callable[[], int]) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds of this process and its children, and what the action returned."""
    cpu, wall = os.times(), time.perf_counter()
    result = action()
    now = os.times()
    return time.perf_counter() - wall, sum(now[:4]) - sum(cpu[:4]), result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = arguments.data and arguments.data / "humaneval"
    rows = load_rows(DataFile("humaneval/HumanEval.jsonl", ("prompt", "test")), folder).rows
    suites = [TestSuite.from_code(r["test"], entry_point=r["entry_point"], prompt=r["prompt"]) for r in rows]
    completions = [row["canonical_solution"] for row in rows]
    natives = [f"{r['prompt']}{r['canonical_solution']}\n{r['test']}\ncheck({r['entry_point']})\n" for r in rows]
    with open_sandbox() as sandbox:
        report(sandbox, CodeVerifier(sandbox), suites, completions, natives, arguments.rounds)


def report(
    sandbox: Sandbox,
    verifier: CodeVerifier,
    suites: list[TestSuite],
    completions: list[str],
    natives: list[str],
    rounds: int,
) -> None:
    """One line for each way."""
    ways: dict[str, Callable[[], int]] = {
        "CodeVerifier": lambda: sum(bool(result.score) for result in verifier.verify(completions, suites)),
        "sandbox alone, print(1)": lambda: len(sandbox.run([Program("print(1)")] * len(suites))),
        "subprocess, exit status": lambda: subprocess_judge(natives),
    }
    verifier.verify(completions, suites)  # plans are made once, slots started once
    best: dict[str, tuple[float, float, int]] = {}
    for _ in range(rounds):
        for name, action in ways.items():
            best[name] = min(best.get(name, (float("inf"), 0.0, 0)), timed(action))
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {len(suites)} tasks, best of {rounds}")
    for name, (wall, _, passed) in best.items():
        print(f"{name:26} {len(suites) / wall:7.0f} a second  {passed} passed")


if __name__ == "__main__":
    main()
