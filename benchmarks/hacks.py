"""Reward hacks that pay: ``CodeVerifier``, and the way most graders go, the exit status of program and asserts.

    python -P benchmarks/hacks.py

The hacks are those of ``tests/data``: wrong programs for the task "``solve(x)`` must return ``x*x``" that try to be
judged right. The peer appends the asserts to the program and takes exit status 0 for success; it runs in the same
sandbox, so that judges are compared, not isolation, and nothing escapes.
"""

from __future__ import annotations

from pathlib import Path

from assay.sandbox import Limits, Program, open_sandbox
from assay.verifiers import CodeVerifier, TestSuite

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
ASSERTS = "assert solve(2) == 4\nassert solve(3) == 9\nassert solve(4) == 16"
CODE = """
import random
numbers = [2, 3, 4]
random.shuffle(numbers)
for number in numbers:
    assert solve(number) == number ** 2
"""
SUITES = {
    "asserts": TestSuite.from_asserts(ASSERTS, entry_point="solve"),
    "calls": TestSuite.from_calls("solve", [((2,), {}, 4), ((3,), {}, 9), ((4,), {}, 16)]),
    "code": TestSuite.from_code(CODE, entry_point="solve"),
}
LIMITS = Limits(cpu_seconds=2, wall_seconds=4)


def main() -> None:
    """Count what each judge pays, and name it."""
    files = sorted([*(DATA / "sandbox/hacks").glob("h*.py"), *(DATA / "code/hacks").glob("*.py")])
    controls = [file for file in files if "control" in file.stem]
    hacks = [file for file in files if file not in controls]
    with open_sandbox() as sandbox:
        verifier = CodeVerifier(sandbox, limits=LIMITS)
        rows = [(file, kind) for file in files for kind in SUITES]
        results = verifier.verify([file.read_text() for file, _ in rows], [SUITES[kind] for _, kind in rows])
        paid = {file for (file, _), result in zip(rows, results, strict=True) if result.score}
        runs = sandbox.run([Program(f"{file.read_text()}\n{ASSERTS}\n") for file in files], LIMITS)
        fooled = {file for file, run in zip(files, runs, strict=True) if run.exit_code == 0}
    print(f"{len(hacks)} hacks, {len(SUITES)} kinds of suite")
    for name, those in (("CodeVerifier", paid), ("exit status of program and asserts", fooled)):
        named = [file.stem for file in hacks if file in those]
        print(f"{name}: pays {len(named)} of {len(hacks)} {' '.join(named)}".rstrip())
        print("  controls:", ", ".join(f"{file.stem} {'paid' if file in those else 'refused'}" for file in controls))


if __name__ == "__main__":
    main()
