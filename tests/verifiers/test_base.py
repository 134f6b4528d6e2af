"""Results, and the one boundary between a verifier's failures and its callers."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from assay import Result, Verdict, Verifier
from assay.errors import InputError


def dive() -> Result:
    """Recursion without an end, in the plainest function: CPython 3.13.0 never stops one that takes ``**columns``."""
    return dive()


class Exact(Verifier[str]):
    """Counts its calls; raises on demand."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        self.seen.append(completion)
        if completion == "boom":
            raise ZeroDivisionError("division by zero")
        if completion == "deep":
            return dive()
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


def test_each_named_constructor_makes_its_verdict() -> None:
    made = [
        Result.correct(answer="1"),
        Result.partial(0.5),
        Result.incorrect(),
        Result.no_answer("nothing boxed"),
        Result.limit_exceeded("over 5 s"),
        Result.shaping(0.25),
        Result.bad_reference("'x +' ends early"),
        Result.error("the disk is full"),
    ]
    assert [result.verdict for result in made] == list(Verdict)
    assert [result.score for result in made] == [1.0, 0.5, 0.0, 0.0, 0.0, 0.25, None, None]
    assert [result.is_correct for result in made] == [True, False, False, False, False, None, None, None]


@pytest.mark.parametrize("score", [0.0, 1.0, -0.1, math.nan])
def test_a_partial_score_lies_strictly_between_zero_and_one(score: float) -> None:
    with pytest.raises(InputError, match="expected one strictly between 0 and 1"):
        Result.partial(score)


@pytest.mark.parametrize(
    ("verdict", "score", "message"),
    [
        (Verdict.ERROR, 0.0, "a error result has the score 0.0; expected None"),
        (Verdict.CORRECT, None, "a correct result has the score None; expected a number in"),
        (Verdict.CORRECT, math.nan, "score is nan; expected a number in"),
        (Verdict.CORRECT, 1.5, "score is 1.5; expected a number in"),
    ],
)
def test_a_score_that_does_not_fit_its_verdict_is_refused(verdict: Verdict, score: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Result(verdict, score)


def test_a_part_outside_zero_and_one_is_refused() -> None:
    with pytest.raises(InputError, match=r"length is 2\.0; expected"):
        Result.correct(parts={"length": 2.0})


def test_results_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Result.correct().score = 0.0  # type: ignore[misc]


def test_identical_pairs_are_judged_once_and_answered_each() -> None:
    verifier = Exact()
    results = verifier.verify(["a", "b", "a", "a"], ["a", "a", "a", "b"])
    assert verifier.seen == ["a", "b", "a"]
    assert [result.is_correct for result in results] == [True, False, True, False]


def test_equal_but_different_references_are_not_mixed_up() -> None:
    class Kind(Verifier[Any]):
        def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
            return Result.correct(answer=repr(reference))

    assert [r.answer for r in Kind().verify(["x"] * 4, [1, True, 1.0, (1,)])] == ["1", "True", "1.0", "(1,)"]


def test_rows_that_differ_in_a_column_are_judged_apart() -> None:
    class Column(Verifier[Any]):
        def _verify_one(self, completion: str, reference: Any, *, level: Any = None, **columns: Any) -> Result:
            return Result.correct(answer=str(level))

    assert [r.answer for r in Column().verify(["x", "x"], ["r", "r"], level=[1, 2])] == ["1", "2"]


def test_unhashable_references_are_judged_each() -> None:
    class Sum(Verifier[list[int]]):
        def _verify_one(self, completion: str, reference: list[int], **columns: Any) -> Result:
            return Result.correct() if int(completion) == sum(reference) else Result.incorrect()

    assert [r.is_correct for r in Sum().verify(["3", "3"], [[1, 2], [1, 1]])] == [True, False]


def test_a_failure_of_the_verifier_is_an_error_without_a_score_and_spares_its_neighbours() -> None:
    results = Exact().verify(["a", "boom", "deep"], ["a", "a", "a"])
    assert results[0].is_correct
    assert results[1].verdict is Verdict.ERROR
    assert results[1].reason == "Exact failed: ZeroDivisionError: division by zero"
    assert results[2].verdict is Verdict.ERROR
    assert "RecursionError" in results[2].reason


def test_a_judge_that_exits_is_an_error_and_ends_nothing() -> None:
    class Leaves(Verifier[Any]):
        def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
            raise SystemExit(3)

    [result] = Leaves().verify(["x"], [0])
    assert result.verdict is Verdict.ERROR
    assert result.reason == "Leaves failed: SystemExit: 3"


def test_a_batch_hook_that_raises_or_miscounts_is_an_error_for_the_batch() -> None:
    class Pool(Verifier[Any]):
        def _verify_batch(self, completions: list[str], references: list[Any], columns: Any) -> list[Result]:
            if completions == ["raise"]:
                raise OSError("no space left on device")
            return []

    assert Pool().verify(["raise"], [0])[0].reason == "Pool failed: OSError: no space left on device"
    assert Pool().verify(["x"], [0])[0].reason == "Pool failed: InputError: Pool returned 0 results for 1 completions"


def test_a_verifier_without_a_hook_says_so() -> None:
    assert "defines neither _verify_one nor _verify_batch" in Verifier[Any]().verify(["x"], [0])[0].reason


@pytest.mark.parametrize(
    ("completions", "references", "message"),
    [
        ("4", "4", "completions is '4'; expected a list, with one value for each completion"),
        (["4"], "4", "references is '4'; expected a list"),
        (["4"], iter(["4"]), "references is <list_iterator"),
        (["4"], None, "references is None; expected a list"),
    ],
)
def test_what_is_no_list_is_refused_by_name(completions: Any, references: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Exact().verify(completions, references)


def test_a_verdict_that_is_only_its_word_is_refused() -> None:
    with pytest.raises(InputError, match=r"verdict is 'correct'; expected a Verdict, such as Verdict\.CORRECT"):
        Result(verdict="correct", score=1.0)  # type: ignore[arg-type]


def test_lengths_that_differ_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="2 completions came with 1 references; expected one for each"):
        Exact().verify(["a", "b"], ["a"])
    with pytest.raises(InputError, match="1 completions came with 2 level"):
        Exact().verify(["a"], ["a"], level=[1, 2])


def test_keyboard_interrupt_is_not_swallowed() -> None:
    class Interrupted(Verifier[Any]):
        def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Interrupted().verify(["x"], [0])


def test_every_result_carries_its_wall_time() -> None:
    assert all(result.seconds > 0 for result in Exact().verify(["a", "b"], ["a", "a"]))


@pytest.mark.parametrize("value", [1.0, True, None, "right"])
def test_what_is_no_result_is_said_and_costs_its_item_alone(value: object) -> None:
    class Loose(Verifier[str]):
        def _verify_one(self, completion: str, reference: str, **columns: Any) -> Any:
            return Result.correct() if completion == "good" else value

    class LooseBatch(Verifier[str]):
        def _verify_batch(self, completions: Any, references: Any, columns: Any) -> Any:
            return [Result.correct() if completion == "good" else value for completion in completions]

    for verifier in (Loose(), LooseBatch()):
        good, bad = verifier.verify(["good", "bad"], ["", ""])
        assert good.is_correct
        assert bad.verdict is Verdict.ERROR
        assert bad.reason == (
            f"{verifier.name} returned {value!r}; expected a Result, as Result.correct() or Result.partial(0.5)"
        )
