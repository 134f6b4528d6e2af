"""Mutated solutions: the verdict is the one of native execution (the large run is in docs/guide/code.md)."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from assay.sandbox import Limits, Sandbox

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "code_mutants.py"
# These mutants change a helper of the prompt that the tests use too; the judge keeps the prompt's own.
EXPLAINED = ("HumanEval/32 ", "HumanEval/38 ", "HumanEval/50 ")


@pytest.mark.filterwarnings("ignore")  # MBPP's solutions have invalid escapes
def test_mutants_are_judged_as_native_execution_judges_them(shared: Path, sandbox: Sandbox) -> None:
    script = runpy.run_path(str(SCRIPT))
    mutants = script["chosen"](shared / "data", 200)
    assert len({mutant.native for mutant in mutants}) == 200
    counts, differences = script["compare"](mutants, sandbox, Limits(cpu_seconds=1.0, wall_seconds=10.0))
    assert sum(counts.values()) == 200
    assert min(counts["correct / OK"], counts["incorrect / NONZERO_EXIT"]) > 40
    assert [d for d in differences if not d["mutant"].startswith(EXPLAINED)] == []
