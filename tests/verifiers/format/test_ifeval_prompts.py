"""Hand-made responses to 46 prompts of IFEval, at least three for each of its 25 types, and a broken twin for each."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.verifiers import InstructionVerifier
from assay.verifiers.format.instructions.ifeval import IFEVAL
from assay.verifiers.format.instructions.ifeval_form import IFEVAL_FORM

DATA = Path(__file__).resolve().parents[2] / "data" / "format" / "ifeval_prompts.jsonl"
CASES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def prompts(shared: Path) -> dict[int, dict[str, Any]]:
    lines = (shared / "data" / "ifeval" / "input_data_540.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["key"]: row for row in map(json.loads, lines)}


def test_each_type_has_at_least_three_prompts() -> None:
    counts = Counter(name for case in CASES for name in case["broken"])
    assert set(counts) == {*IFEVAL.names(), *IFEVAL_FORM.names()}
    assert len(counts) == 25
    assert min(counts.values()) >= 3


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["key"]))
def test_the_response_keeps_its_prompt_and_each_broken_twin_breaks_its_constraint(
    case: dict[str, Any], prompts: dict[int, dict[str, Any]]
) -> None:
    row = prompts[case["key"]]
    assert set(case["broken"]) == set(row["instruction_id_list"])
    for verifier in (InstructionVerifier(), InstructionVerifier(loose=True)):
        assert verifier.verify([case["response"]], [row])[0].is_correct
    for name, twin in case["broken"].items():
        result = InstructionVerifier().verify([twin], [row])[0]
        assert not result.is_correct
        assert 0.0 in [score for part, score in result.parts.items() if part.partition("#")[0] == name]
