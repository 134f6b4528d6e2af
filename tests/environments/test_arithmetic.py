"""The procedural sums: splits that cannot meet, levels in equal shares, and a judge that cannot be talked to."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
from collections import Counter

import pytest

from assay import Verdict, make
from assay.environments.base import Task
from assay.environments.math.arithmetic import LEVELS, Arithmetic, TaggedSum, split_of
from assay.errors import InputError

SPLITS = ("train", "validation", "test")


def operands(task: Task) -> tuple[int, int]:
    assert not isinstance(task.prompt, str)
    first, second = task.prompt[0]["content"].rstrip("=").split("+")
    return int(first), int(second)


def questions(seed: int, split: str, limit: int | None = None) -> set[frozenset[int]]:
    return {frozenset(operands(task)) for task in Arithmetic(seed=seed).tasks(split, limit=limit)}


def test_the_prompt_is_padded_and_the_reference_is_the_sum() -> None:
    for task in make("math/arithmetic-v1").tasks("test"):
        first, second = operands(task)
        assert task.prompt == [{"role": "user", "content": f"{first:06d}+{second:06d}="}]
        assert task.reference == str(first + second)
        assert task.difficulty == task.metadata["level"] == len(str(first)) == len(str(second))


@pytest.mark.parametrize(("split", "size"), [("validation", 120), ("test", 180)])
def test_a_small_split_has_its_size_equal_levels_and_no_question_twice(split: str, size: int) -> None:
    tasks = make("math/arithmetic-v1").tasks(split)
    assert Counter(task.difficulty for task in tasks) == {float(level): size // 6 for level in LEVELS}
    assert len({task.id for task in tasks}) == size == Arithmetic.splits[split]


def test_train_has_its_size_and_equal_levels() -> None:
    tasks = make("math/arithmetic-v1").tasks("train")
    assert Counter(task.difficulty for task in tasks) == {float(level): 10_000 for level in LEVELS}
    assert len(tasks) == Arithmetic.splits["train"]


def test_train_asks_every_question_of_the_two_small_levels_that_the_docstring_counts() -> None:
    small = [operands(task) for task in make("math/arithmetic-v1").tasks("train") if task.metadata["level"] <= 2]
    asked = Counter(len(str(first)) for first, _ in set(small))
    assert asked[1] == 34
    assert asked[2] == pytest.approx(3241, rel=0.06)  # 10,000 draws leave about one in twenty out
    assert len([pair for pair in itertools.product(range(10, 100), repeat=2) if split_of(*pair) == "train"]) == 3241


def test_no_question_is_in_two_splits_whatever_the_seeds_and_the_order_of_its_operands() -> None:
    drawn = {split: set().union(*(questions(seed, split, limit=6000) for seed in range(3))) for split in SPLITS}
    assert not drawn["train"] & drawn["test"]
    assert not drawn["train"] & drawn["validation"]
    assert not drawn["validation"] & drawn["test"]
    for split, found in drawn.items():
        assert {split_of(min(pair), max(pair)) for pair in found} == {split}


def test_a_question_and_its_mirror_image_share_their_split() -> None:
    for first, second in itertools.product(range(30), repeat=2):
        assert split_of(first, second) == split_of(second, first)


def test_other_seeds_draw_other_questions_where_the_space_allows() -> None:
    wide = [Arithmetic(seed=seed, levels=(5, 6)).tasks("train", limit=2000) for seed in (0, 1)]
    assert not {task.id for task in wide[0]} & {task.id for task in wide[1]}


def test_items_do_not_depend_on_the_process_that_makes_them() -> None:
    code = "from assay import make; print([t.id for t in make('math/arithmetic-v1').tasks('train', limit=40)])"
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert there.stdout.strip() == str([task.id for task in make("math/arithmetic-v1").tasks("train", limit=40)])


def test_some_levels_alone_keep_equal_shares() -> None:
    tasks = Arithmetic(levels=(2, 3)).tasks("test")
    assert Counter(task.difficulty for task in tasks) == {2.0: 30, 3.0: 30}


@pytest.mark.parametrize("levels", [(), (0,), (7,), (1, 1)])
def test_levels_that_are_not_there_are_refused(levels: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"levels is .*; expected some of 1, 2, 3, 4, 5, 6, each once"):
        Arithmetic(levels=levels)


@pytest.mark.parametrize(
    ("completion", "verdict", "answer"),
    [
        ("<think>231</think><answer>132</answer>", Verdict.CORRECT, "132"),
        ("<think></think><answer>0132</answer>", Verdict.CORRECT, "132"),
        ("<think>231</think><answer>133</answer>", Verdict.INCORRECT, "133"),
        ("<think>231</think><answer>-132</answer>", Verdict.INCORRECT, "-132"),
        ("<think>231</think><answer>132.0</answer>", Verdict.INCORRECT, "132.0"),
        ("<think>231</think><answer>١٣٢</answer>", Verdict.INCORRECT, "١٣٢"),
        ("<think>231</think><answer></answer>", Verdict.INCORRECT, ""),
        (f"<think>231</think><answer>{'9' * 100_000}</answer>", Verdict.INCORRECT, "9" * 100_000),
        ("<think>231</think><answer>132</answer>\n", Verdict.NO_ANSWER, None),
        (" <think>231</think><answer>132</answer>", Verdict.NO_ANSWER, None),
        ("<think>231</think> <answer>132</answer>", Verdict.NO_ANSWER, None),
        ("231</think><answer>132</answer>", Verdict.NO_ANSWER, None),
        ("<answer>132</answer>", Verdict.NO_ANSWER, None),
        ("132", Verdict.NO_ANSWER, None),
        ("", Verdict.NO_ANSWER, None),
        ("<think>231</think><answer>131</answer><answer>132</answer>", Verdict.NO_ANSWER, None),
        ("<think><think></think></think><answer>132</answer>", Verdict.NO_ANSWER, None),
    ],
)
def test_only_the_whole_form_with_the_right_number_is_correct(
    completion: str, verdict: Verdict, answer: str | None
) -> None:
    [result] = TaggedSum().verify([completion], ["132"])
    assert result.verdict is verdict
    assert result.answer == answer
    assert result.score == float(verdict is Verdict.CORRECT)


def test_answers_that_are_extracted_already_are_judged_alike() -> None:
    verdicts = [result.verdict for result in TaggedSum().verify_answers(["132", "0132", "x"], ["132"] * 3)]
    assert verdicts == [Verdict.CORRECT, Verdict.CORRECT, Verdict.INCORRECT]


def test_a_reference_that_is_no_number_has_no_score() -> None:
    for result in TaggedSum().verify(["<think>1</think><answer>1</answer>", "1"], ["one"] * 2):
        assert result.verdict is Verdict.BAD_REFERENCE
        assert result.reason == "the reference 'one' is not a whole number"


def test_the_environment_travels_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(Arithmetic(seed=3, levels=(1, 2))))
    assert copy.tasks("test") == Arithmetic(seed=3, levels=(1, 2)).tasks("test")
