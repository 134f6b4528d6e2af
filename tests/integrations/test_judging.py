"""The judge behind every trainer's adapter: found by name, fed with rows, and what its failures become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Result, make
from assay.errors import InputError, LoadFailed, UnknownName, VerifierFailed
from assay.integrations.completed import completion_in
from assay.integrations.judging import Judge, judge_of, measures, plain
from assay.verifiers import CodeVerifier, MathVerifier

MATH = "assay.verifiers:MathVerifier"
MINE = """
from assay import Result, Verifier
from assay.environments.base import Environment, Task

class Levels(Verifier):
    def _verify_one(self, completion, reference, level=None, **columns):
        return Result.correct(details={"level": level, "reference": reference})

class Mine(Environment):
    name = "test/levels-v1"
    splits = {"test": 1}
    columns = ("level",)
    verifier = Levels()

    def __init__(self, level=0):
        self.level = level

    def load(self, split):
        yield Task("?", "1")

def exact(completion, reference):
    return completion == reference

number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_a_judge_is_a_verifier_an_environment_or_the_name_of_either(file: Path) -> None:
    assert Judge(MATH).judge([r"\boxed{1/2}"], ["0.5"])[0].is_correct
    assert Judge(MathVerifier()).columns == ()
    arithmetic = Judge("math/arithmetic-v1", {"seed": 3})
    assert arithmetic.verifier.verify(["<answer>1</answer>"], ["1"])
    assert Judge(make("math/arithmetic")).verifier.name == Judge("math/arithmetic").verifier.name
    assert Judge(f"{file}:exact").judge(["a", "b"], ["a", "a"])[1].score == 0.0
    limited = Judge("assay.verifiers:CodeVerifier", {"all_or_nothing": True}).verifier
    assert isinstance(limited, CodeVerifier)
    assert limited.all_or_nothing


def test_columns_are_looked_up_in_the_rows_and_arrays_become_lists(file: Path) -> None:
    judge = Judge(f"{file}:Mine", {"level": 2})
    reference = np.array([{"a": np.int64(1)}], dtype=object)
    results = judge.judge(["x", "y"], [reference, "2"], [{"level": np.float64(3.0), "other": 1}, {}])
    assert [result.details for result in results] == [
        {"level": 3.0, "reference": [{"a": 1}]},
        {"level": None, "reference": "2"},
    ]
    assert type(plain(np.int64(3))) is int


@pytest.mark.parametrize(
    ("judge", "options", "kind", "message"),
    [
        ("math/gsm9k-v1", None, UnknownName, "no environment is called 'math/gsm9k-v1'; did you mean"),
        ("math", None, UnknownName, "no environment is called 'math'"),
        ("assay.verifiers:Nothing", None, LoadFailed, "judge 'assay.verifiers:Nothing' could not be loaded"),
        (MATH, {"tolerant": 1}, InputError, "cannot be made with {'tolerant': 1}: "),
        ("{file}:number", None, InputError, "the verifier is 3; expected a Verifier or a function"),
        (7, None, InputError, "the judge is 7; expected a verifier, an environment, or the name of one"),
    ],
)
def test_what_is_no_judge_is_refused(file: Path, judge: Any, options: Any, kind: type[Exception], message: str) -> None:
    name = judge.format(file=file) if isinstance(judge, str) else judge
    with pytest.raises(kind) as caught:
        Judge(name, options)
    assert message in str(caught.value)


def test_a_result_without_a_score_raises_or_becomes_the_number_that_was_chosen() -> None:
    failed = Result.error("the sandbox is gone")
    with pytest.raises(VerifierFailed, match=r"MathVerifier could not judge a completion: the sandbox is gone"):
        Judge(MATH).reward(failed)
    assert Judge(MATH, on_failure=0.25).reward(failed) == 0.25
    assert Judge(MATH, on_failure=0.25).reward(Result.correct()) == 1.0
    for wrong in ("none", None, True):
        with pytest.raises(InputError, match="expected 'raise' or the number that stands for no score"):
            Judge(MATH, on_failure=wrong)  # type: ignore[arg-type]


def test_equal_names_and_options_are_one_judge() -> None:
    assert judge_of(MATH, None, "raise") is judge_of(MATH, {}, "raise")
    assert judge_of(MATH, None, "raise") is not judge_of(MATH, None, 0.0)
    with pytest.raises(InputError, match="the options of '.*' are not JSON values"):
        judge_of(MATH, {"sandbox": object()}, "raise")


def test_measures_have_the_same_names_for_every_verdict() -> None:
    results = [
        Result.correct(),
        Result.partial(0.5),
        Result.no_answer("?"),
        Result.limit_exceeded("?"),
        Result.shaping(0.75),
        Result.bad_reference("?"),
        Result.error("?"),
    ]
    rows = [measures(result) for result in results]
    assert {tuple(row) for row in rows} == {("acc", "no_answer", "limit_exceeded", "judge_failed")}
    assert [row["acc"] for row in rows] == [1.0, 0.0, 0.0, 0.0, 0.75, 0.0, 0.0]
    assert [row["judge_failed"] for row in rows] == [0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("query", "prompt", "written"),
    [
        ("2+2? It is 4.", "2+2? ", "It is 4."),
        ("<|im_start|>q<|im_end|>a <b> c</s>\n<pad><pad>", "<|im_start|>q<|im_end|>", "a <b> c"),
        ("no prompt in it<|eot_id|>", "other", "no prompt in it"),
        ("q<｜end▁of▁sentence｜>", "q", ""),
    ],
)
def test_the_completion_is_what_follows_the_prompt_without_what_ends_the_turn(
    query: str, prompt: str, written: str
) -> None:
    assert completion_in(query, prompt) == written
