"""Composition: which part scores, which part decides, and what happens when a part fails."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay import Result, Verdict, Verifier
from assay.errors import ColumnError, InputError
from assay.verifiers import AllOf, Gate, MathVerifier, Route, TagFormat, Threshold, Weighted
from assay.verifiers.conformance import VerifierConformance


class Says(Verifier[Any]):
    """Gives the result that it was made with."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        return self.result


RIGHT, HALF, WRONG = Says(Result.correct(answer="4")), Says(Result.partial(0.5)), Says(Result.incorrect(reason="no"))
BROKEN, SILENT = Says(Result.error("the disk is full")), Says(Result.no_answer("nothing boxed"))


class Equal(Verifier[str]):
    """Completion and reference are the same text."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


class TestWeightedConforms(VerifierConformance):
    verifier = Weighted({"first": (TagFormat("a"), 0.8), "second": (TagFormat("b"), 0.2)})
    examples = [("<a>1</a>", None, Verdict.CORRECT), ("<b>1</b>", None, Verdict.INCORRECT)]


class TestRouteConforms(VerifierConformance):
    verifier = Route({"x": TagFormat("a")})
    columns = {"task": "x"}
    examples = [("<a>1</a>", None, Verdict.CORRECT), ("1", None, Verdict.INCORRECT)]

    def test_lengths_that_differ_are_refused(self) -> None:
        with pytest.raises(InputError, match="1 completions came with 0 references"):
            self.verifier.verify(["x"], [], task=["x"])


def judge(verifier: Verifier[Any]) -> Result:
    return verifier.verify(["x"], ["r"])[0]


def test_weighted_sums_scores_and_the_first_part_decides_correctness() -> None:
    result = judge(Weighted({"math": (WRONG, 0.8), "form": (RIGHT, 0.2)}))
    assert (result.verdict, result.score, result.reason) == (Verdict.INCORRECT, 0.2, "no")
    assert result.parts == {"math": 0.0, "form": 1.0}
    result = judge(Weighted({"math": (RIGHT, 0.8), "form": (HALF, 0.2)}))
    assert result.is_correct
    assert result.score == pytest.approx(0.9)


def test_weight_zero_only_logs_even_when_that_part_fails() -> None:
    result = judge(Weighted({"math": (RIGHT, 1.0), "judge": (BROKEN, 0.0)}))
    assert (result.score, result.parts) == (1.0, {"math": 1.0, "judge": None})


def test_a_negative_weight_is_a_penalty_and_the_sum_stays_in_range() -> None:
    assert judge(Weighted({"math": (RIGHT, 1.0), "long": (HALF, -0.5)})).score == 0.75
    assert judge(Weighted({"math": (WRONG, 1.0), "long": (RIGHT, -0.5)})).score == 0.0


def test_a_part_that_failed_takes_the_whole_score_with_it() -> None:
    result = judge(Weighted({"math": (RIGHT, 0.5), "form": (BROKEN, 0.5)}))
    assert (result.verdict, result.score, result.reason) == (Verdict.ERROR, None, "the disk is full")
    assert judge(AllOf({"a": WRONG, "b": BROKEN})).score is None
    assert judge(Gate(BROKEN, RIGHT)).score is None
    assert judge(Gate(WRONG, BROKEN)).score is None
    assert judge(Threshold(BROKEN, 0.5)).score is None
    assert judge(Weighted({"math": (BROKEN, 0.0), "form": (RIGHT, 1.0)})).score is None


def test_all_of_needs_every_part_and_names_the_first_that_is_missing() -> None:
    assert judge(AllOf({"form": Says(Result.correct(answer="4")), "math": RIGHT})).answer == "4"
    result = judge(AllOf({"form": RIGHT, "math": SILENT, "other": WRONG}))
    assert (result.verdict, result.score, result.reason) == (Verdict.NO_ANSWER, 0.0, "math: nothing boxed")
    assert judge(AllOf({"math": HALF})).verdict is Verdict.INCORRECT


def test_a_closed_gate_scores_zero_and_keeps_the_answer() -> None:
    assert judge(Gate(RIGHT, HALF)).score == 0.5
    result = judge(Gate(WRONG, RIGHT))
    assert (result.verdict, result.score, result.reason, result.answer) == (Verdict.INCORRECT, 0.0, "gate: no", "4")


def test_a_threshold_turns_a_graded_score_into_a_verdict() -> None:
    assert judge(Threshold(HALF, 0.5)).is_correct
    result = judge(Threshold(HALF, 0.6))
    assert (result.verdict, result.score, result.reason) == (Verdict.INCORRECT, 0.0, "0.5 is below 0.6")
    assert judge(Threshold(SILENT, 0.6)).verdict is Verdict.NO_ANSWER


def test_route_sends_each_row_to_its_verifier() -> None:
    results = Route({"a": Equal(), "b": WRONG}).verify(["1", "1", "1"], ["1", "1", "1"], task=["a", "b", "c"])
    assert [result.score for result in results] == [1.0, 0.0, None]
    assert results[2].reason == "task='c' has no verifier; known: ['a', 'b']"


def test_route_without_its_column_lists_those_given() -> None:
    with pytest.raises(ColumnError, match=r"Route needs the column 'task'; the columns given are \['level'\]"):
        Route({"a": Equal()}).verify(["1"], ["1"], level=[1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Weighted({}), "no weight in|given no parts"),
        (lambda: Weighted({"a": (RIGHT, math.nan)}), "the weight of 'a' is nan; expected a finite number"),
        (lambda: Weighted({"a": (RIGHT, 0.0)}), "no weight in .* is positive"),
        (lambda: Weighted({"a": RIGHT}), "expected a pair"),  # type: ignore[dict-item]
        (lambda: AllOf({"a": "exact"}), "expected a Verifier"),  # type: ignore[dict-item]
        (lambda: AllOf({}), "AllOf was given no parts"),
        (lambda: Threshold(RIGHT, 0.0), r"at is 0.0; expected a share in \(0, 1\]"),
        (lambda: Route({}), "Route was given no verifiers"),
        (
            lambda: Weighted([(RIGHT, 1.0)]),  # type: ignore[arg-type]
            r"Weighted was given \[\(.*a mapping of names to parts: Weighted\({'name': \(verifier, weight\), ...}\)",
        ),
        (
            lambda: AllOf([RIGHT, WRONG]),  # type: ignore[arg-type]
            r"AllOf was given \[.*expected a mapping of names to parts: AllOf\({'name': verifier, ...}\)",
        ),
        (lambda: Route(RIGHT), r"Route was given .*expected a mapping of names"),  # type: ignore[arg-type]
        (lambda: Route({"a": "exact"}), "part 'a' of Route is 'exact'; expected a Verifier"),  # type: ignore[dict-item]
    ],
)
def test_a_composition_that_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    "whole",
    [
        Weighted({"math": (MathVerifier(), 0.9), "form": (TagFormat("a"), 0.1)}),
        AllOf({"form": TagFormat("a"), "math": MathVerifier()}),
        Gate(TagFormat("a"), MathVerifier()),
        Threshold(MathVerifier(), 0.5),
    ],
    ids=lambda whole: type(whole).__name__,
)
def test_answers_vote_by_the_equivalence_of_the_part_that_answers(whole: Any) -> None:
    assert whole.canonical_key("0.5") == whole.canonical_key("1/2") is not None
    assert [r.is_correct for r in whole.verify_answers(["1/2", "1/3"], ["0.5", "0.5"])] == [True, False]


def test_answers_of_a_part_without_an_equivalence_vote_by_text() -> None:
    whole = Gate(TagFormat("a"), Equal())
    assert whole.canonical_key("1/2") is None
    assert [r.is_correct for r in whole.verify_answers(["1/2", "0.5"], ["0.5", "0.5"])] == [False, True]
