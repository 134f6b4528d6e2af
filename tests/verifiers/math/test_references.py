"""The references of MATH-500, GSM8K and SVAMP: with themselves, with their solutions, with each other."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

from assay.verifiers import MathVerifier, Verdict

VERIFIER = MathVerifier()


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _scores(answers: list[str], references: list[str]) -> list[float | None]:
    return [result.score for result in VERIFIER.verify_answers(answers, references)]


def test_every_math500_reference_is_read_and_equals_itself_with_other_spacing(shared: Path) -> None:
    golds = [row["answer"] for row in _rows(shared / "data/math500/test.jsonl")]
    results = VERIFIER.verify_answers([f" {gold.replace('dfrac', 'frac')} ." for gold in golds], golds)
    assert [(gold, r.reason) for gold, r in zip(golds, results, strict=True) if r.verdict is not Verdict.CORRECT] == []


def test_every_math500_solution_ends_with_its_reference(shared: Path) -> None:
    rows = _rows(shared / "data/math500/test.jsonl")
    results = VERIFIER.verify([row["solution"] for row in rows], [row["answer"] for row in rows])
    wrong = [row["answer"] for row, result in zip(rows, results, strict=True) if result.score != 1.0]
    assert wrong == []


def test_different_math500_references_differ_except_for_values_that_are_equal(shared: Path) -> None:
    golds = sorted({row["answer"] for row in _rows(shared / "data/math500/test.jsonl")})
    pairs = list(combinations(golds, 2))
    scores = _scores([left for left, _ in pairs], [right for _, right in pairs])
    equal = {frozenset(pair) for pair, score in zip(pairs, scores, strict=True) if score == 1.0}
    assert equal == {frozenset(pair) for pair in EQUAL_REFERENCES}


def test_every_gsm8k_solution_ends_with_its_reference(shared: Path) -> None:
    solutions = [row["answer"] for row in _rows(shared / "data/gsm8k/test.jsonl")]
    golds = [solution.rsplit("####", 1)[1].strip() for solution in solutions]
    assert {result.score for result in VERIFIER.verify(solutions, golds)} == {1.0}


def test_different_gsm8k_references_differ(shared: Path) -> None:
    solutions = [row["answer"] for row in _rows(shared / "data/gsm8k/test.jsonl")]
    values = sorted({solution.rsplit("####", 1)[1].strip().replace(",", "") for solution in solutions}, key=float)
    pairs = [(left, right) for left, right in combinations(values[:200], 2) if float(left) != float(right)]
    assert set(_scores([left for left, _ in pairs], [right for _, right in pairs])) == {0.0}


def test_svamp_references_equal_themselves_as_integers_and_nothing_else(shared: Path) -> None:
    golds = sorted({str(row["Answer"]) for row in _rows(shared / "data/svamp/test.jsonl")}, key=float)
    integers = [gold.removesuffix(".0") for gold in golds]
    assert set(_scores(integers, golds)) == {1.0}
    assert set(_scores(integers[1:], golds[:-1])) == {0.0}


# Different texts that are equal, each with its reason.
EQUAL_REFERENCES = [
    ("-2,1", "1,-2"),  # comma lists are unordered
    ("10,\\!080", "10080"),  # thousands set apart
    ("120", "120^\\circ"),  # a degree sign may be left out, as any unit may
    ("15", "15\\mbox{ cm}^2"),
    ("30", "30^\\circ"),
    ("36", "36^\\circ"),
    ("90", "90^\\circ"),
    ("36", "\\$36"),
    ("2 \\sqrt{5}", "2\\sqrt{5}"),  # spacing
    ("\\frac14", "\\frac{1}{4}"),  # braces that LaTeX does not need
    ("5", "x=5"),  # an assignment is its value
    ("180^\\circ", "\\pi"),  # an angle in degrees and in radians
]
