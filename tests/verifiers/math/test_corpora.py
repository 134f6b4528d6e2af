"""Labelled cases: ours, the authored ones, the hostile ones, and the whole handed collection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.verifiers import MathVerifier, Result

DATA = Path(__file__).resolve().parents[2] / "data" / "math"
VERIFIER = MathVerifier()


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _judged(rows: Sequence[dict[str, Any]]) -> list[Result]:
    return VERIFIER.verify_answers([row["prediction"] for row in rows], [row["gold"] for row in rows])


def _text(row: dict[str, Any]) -> str:
    return str(row.get("prediction") or row["completion"])


def _wrong(rows: Sequence[dict[str, Any]], results: Sequence[Result]) -> list[str]:
    return [
        f"{row['kind']}: {row['gold'][:60]!r}, {_text(row)[-60:]!r}: {result.reason}"
        for row, result in zip(rows, results, strict=True)
        if row["expected"] is not None and (result.score == 1.0) != row["expected"]
    ]


def _by_kind(name: str) -> list[Any]:
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(DATA / name):
        kinds.setdefault(row["kind"], []).append(row)
    return [pytest.param(rows, id=kind) for kind, rows in kinds.items()]


@pytest.mark.parametrize("rows", _by_kind("kinds.jsonl"))
def test_every_case_of_our_own_is_judged_right(rows: list[dict[str, Any]]) -> None:
    assert _wrong(rows, _judged(rows)) == []


@pytest.mark.parametrize("rows", _by_kind("pairs.jsonl"))
def test_authored_pairs_are_judged_right(rows: list[dict[str, Any]]) -> None:
    assert _wrong(rows, _judged(rows)) == []


def test_completions_of_our_own_in_many_forms_and_languages_are_judged_right() -> None:
    rows = _rows(DATA / "statements.jsonl")
    results = VERIFIER.verify([row["completion"] for row in rows], [row["gold"] for row in rows])
    assert _wrong(rows, results) == []


def test_authored_completions_are_judged_right_but_for_one_garbled_formula() -> None:
    rows = [row for row in _rows(DATA / "completions.jsonl") if "completion" in row]
    results = VERIFIER.verify([row["completion"] for row in rows], [row["gold"] for row in rows])
    assert [entry for entry in _wrong(rows, results) if not entry.startswith("dollar_confusion")] == []


@pytest.mark.parametrize("rows", _by_kind("adversarial.jsonl"))
def test_hostile_answers_get_the_right_verdict_and_are_never_our_failure(rows: list[dict[str, Any]]) -> None:
    results = _judged(rows)
    assert _wrong(rows, results) == []
    assert [row["id"] for row, result in zip(rows, results, strict=True) if result.verdict.is_ours] == []


def test_hostile_completions_are_never_our_failure() -> None:
    rows = _rows(DATA / "adversarial.jsonl")
    results = VERIFIER.verify([row["prediction"] for row in rows], [row["gold"] for row in rows])
    assert [row["id"] for row, result in zip(rows, results, strict=True) if result.verdict.is_ours] == []


def test_nothing_that_an_answer_says_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    payloads = [
        "__import__('os').system('touch OWNED')",
        "\\boxed{__import__('os').system('touch OWNED')}",
        "open('OWNED','w')",
        "eval(\"open('OWNED','w')\")",
        "\\write18{touch OWNED}",
    ]
    VERIFIER.verify_answers(payloads, ["42"] * len(payloads))
    VERIFIER.verify(payloads, ["42"] * len(payloads))
    VERIFIER.verify_answers(["42"] * len(payloads), payloads)
    assert list(tmp_path.iterdir()) == []


def test_the_handed_pairs_stay_within_the_error_rates(shared: Path) -> None:
    rows = _rows(shared / "cases/math/pairs.jsonl")
    results = _judged(rows)
    accepted = [result.score == 1.0 for result in results]
    right = [row["expected"] for row in rows]
    positives = sum(got and not want for got, want in zip(accepted, right, strict=True))
    negatives = sum(want and not got for got, want in zip(accepted, right, strict=True))
    assert positives / right.count(False) <= 0.005
    assert negatives / right.count(True) <= 0.015
    assert (positives + negatives) / len(rows) <= 0.01


def test_at_least_98_percent_of_the_handed_completions_are_judged_right(shared: Path) -> None:
    rows = [row for row in _rows(shared / "cases/math/completions.jsonl") if "completion" in row]
    results = VERIFIER.verify([row["completion"] for row in rows], [row["gold"] for row in rows])
    assert len(_wrong(rows, results)) <= 0.02 * len(rows)
