"""Kinds of notation: for each reference what has to pass, and the near misses that must not.

The rows of ``tests/data/math/notations.jsonl`` were written for this test, by kind of answer.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from assay.verifiers import MathVerifier

ROWS: dict[str, list[dict[str, Any]]] = defaultdict(list)
for _line in (Path(__file__).parents[2] / "data/math/notations.jsonl").read_text(encoding="utf-8").splitlines():
    _row = json.loads(_line)
    ROWS[_row["kind"]].append(_row)

VERIFIER = MathVerifier()


def _verdicts(kind: str, field: str, score: float) -> list[tuple[str, str, str]]:
    """The pairs of one kind that are not judged with this score."""
    pairs = [(row["reference"], answer) for row in ROWS[kind] for answer in row[field]]
    results = VERIFIER.verify_answers([answer for _, answer in pairs], [reference for reference, _ in pairs])
    return [
        (*pair, result.reason)
        for pair, result in zip(pairs, results, strict=True)
        if (result.score == 1.0) != (score == 1.0)
    ]


@pytest.mark.parametrize("kind", ROWS)
def test_what_a_notation_means_passes(kind: str) -> None:
    assert _verdicts(kind, "equal", 1.0) == []


@pytest.mark.parametrize("kind", ROWS)
def test_near_misses_of_a_notation_do_not_pass(kind: str) -> None:
    assert _verdicts(kind, "different", 0.0) == []


@pytest.mark.parametrize("kind", ROWS)
def test_keys_agree_with_equality_wherever_both_have_one(kind: str) -> None:
    wrong = []
    for row in ROWS[kind]:
        reference = VERIFIER.canonical_key(row["reference"])
        for answer in (*row["equal"], *row["different"]):
            key = VERIFIER.canonical_key(answer)
            if None not in (reference, key) and (key == reference) != (answer in row["equal"]):
                wrong.append((row["reference"], answer, reference, key))
    assert wrong == []


def test_every_kind_has_answers_to_accept_and_to_refuse() -> None:
    assert len(ROWS) > 40
    assert [kind for kind, rows in ROWS.items() if not any(row["equal"] for row in rows)] == []
    assert [kind for kind, rows in ROWS.items() if not any(row["different"] for row in rows)] == []
