"""Random texts over every verifier by rule: a score, in time, and the same one in any batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import Result
from assay.verifiers import (
    AllOf,
    ChoiceVerifier,
    InstructionVerifier,
    JSONFormat,
    MathVerifier,
    TagFormat,
    TextVerifier,
    Verifier,
)
from assay.verifiers.audit.fuzz import Target, fuzz, mutations
from assay.verifiers.format import BoxedFormat, CodeFence, LanguageFormat, LengthFormat, MarkdownFormat, PatternFormat

ROWS = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[2] / "data" / "format" / "instructions.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
INSTRUCTIONS = [{"instruction_id_list": [row["name"]], "kwargs": [row["arguments"]]} for row in ROWS]
SCHEMA = {"type": "object", "required": ["name"], "properties": {"age": {"type": "integer"}}}
TARGETS = {
    "tags": Target(TagFormat()),
    "choice": Target(ChoiceVerifier(), ("A", "B")),
    "text": Target(TextVerifier(), ("Paris", "21")),
    "f1": Target(TextVerifier("f1"), ("the blue whale",)),
    "JSON": Target(JSONFormat(SCHEMA, partial=True)),
    "pattern": Target(PatternFormat(r"[\s\S]*\d+")),
    "boxed": Target(BoxedFormat()),
    "fence": Target(CodeFence()),
    "Markdown": Target(MarkdownFormat(headings=1, bullets=1, levels_in_order=True)),
    "sentences": Target(LengthFormat("sentences", most=3)),
    "language": Target(LanguageFormat("en")),
    "instructions": Target(InstructionVerifier(), INSTRUCTIONS),
    "instructions, loose": Target(InstructionVerifier(loose=True), INSTRUCTIONS[::-1]),
    "all of": Target(AllOf({"tags": TagFormat(), "box": BoxedFormat()})),
}


@pytest.mark.parametrize("name", TARGETS)
def test_five_hundred_mutants_get_a_score_in_time_and_the_same_one_in_any_batch(name: str) -> None:
    assert fuzz([TARGETS[name]], list(mutations(500, seed=len(name)))) == []


def test_mutants_of_formulas_get_a_score_in_time_and_the_same_one_in_any_batch() -> None:
    assert fuzz([Target(MathVerifier(), ("4", r"\frac{1}{2}", "x^2+1"))], list(mutations(300, seed=11))) == []


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(st.text(st.characters(), max_size=200))
def test_any_unicode_text_gets_a_score_in_time_and_the_same_one_in_any_batch(text: str) -> None:
    cheap = [target for name, target in TARGETS.items() if name not in ("pattern", "language")]
    assert fuzz(cheap, [text, text + "\n"]) == []


def test_mutants_depend_on_the_seed_and_the_index_alone() -> None:
    texts = list(mutations(20, seed=3))
    assert list(mutations(10, seed=3, start=10)) == texts[10:]
    assert list(mutations(20, seed=4)) != texts
    assert len(set(texts)) > 15


class _Faulty(Verifier[Any]):
    """Raises, takes its time, or remembers."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        if completion == "raise":
            raise ValueError("no")
        if completion == "slow":
            return Result.correct(seconds=2.0)
        if completion in self.seen:
            return Result.incorrect()
        self.seen.add(completion)
        return Result.correct()


def test_what_breaks_the_contract_is_named() -> None:
    class Slow(_Faulty):
        def _guarded(self, *arguments: Any) -> list[Result]:
            return [Result.correct(seconds=2.0)]

    found = {failure.text: failure.why for failure in fuzz([Target(_Faulty())], ["raise", "memory"])}
    assert found["raise"].startswith("no score: _Faulty failed: ValueError: no")
    assert found["memory"] == "changed: correct None became incorrect None"
    assert fuzz([Target(Slow())], ["slow"])[0].why == "slow: 2.00 s"
