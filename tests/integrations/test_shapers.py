"""Shaping: the formulas of their papers, and the reward functions made of them."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verifier
from assay.errors import InputError
from assay.integrations.trl.shapers import (
    CosineLengthReward,
    OverlongPenalty,
    PartialCreditReward,
    RepetitionPenalty,
    ScriptConsistency,
)
from assay.verifiers.shaping import cosine_length, partial_credit, repetition, script_consistency, soft_overlong


class Half(Verifier[str]):
    """A number is the score."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        score = float(completion)
        if score in (0.0, 1.0):
            return Result.correct() if score else Result.incorrect()
        return Result.partial(score)


@pytest.mark.parametrize(
    ("length", "penalty"), [(0, 0.0), (80, 0.0), (81, -0.05), (90, -0.5), (100, -1.0), (999, -1.0)]
)
def test_overlong_punishment_is_dapos(length: int, penalty: float) -> None:
    assert soft_overlong(length, longest=100, cache=20) == pytest.approx(penalty)


def test_an_impossible_cache_is_refused() -> None:
    for cache in (0, 101):
        with pytest.raises(InputError, match=rf"cache is {cache}; expected 1 to longest=100"):
            OverlongPenalty(100, cache)


def test_cosine_length_prefers_short_right_and_long_wrong_answers() -> None:
    right = [cosine_length(n, True, longest=100) for n in range(100)]
    wrong = [cosine_length(n, False, longest=100) for n in range(100)]
    assert right == sorted(right, reverse=True)
    assert wrong == sorted(wrong)
    assert (right[0], wrong[0]) == (1.0, -1.0)
    assert right[50] == pytest.approx(0.5 + 0.25 * (1 + math.cos(math.pi / 2)))
    assert min(right) > max(wrong)
    assert cosine_length(100, True, longest=100) == cosine_length(100, False, longest=100) == -1.0


@pytest.mark.parametrize(
    ("text", "penalty"), [("", 0.0), ("a b", 0.0), ("a b c d", 0.0), ("a b c A B C", -0.25), ("no " * 100, -97 / 98)]
)
def test_repetition_is_the_share_of_repeated_trigrams(text: str, penalty: float) -> None:
    assert repetition(text) == pytest.approx(penalty)


def test_impossible_repetition_options_are_refused() -> None:
    with pytest.raises(InputError, match=r"size is 0 and worst -1\.0; expected 1 or more, and 0 or less"):
        RepetitionPenalty(size=0)


def test_script_consistency_counts_letters_alone() -> None:
    assert script_consistency("x = 3; yes") == 1.0
    assert script_consistency("1 + 1 = 2") == 1.0
    assert script_consistency("ответ yes", "CYRILLIC") == pytest.approx(5 / 8)
    assert script_consistency("因为", "CJK") == 1.0


def test_partial_credit_counts_only_where_nothing_is_correct() -> None:
    scores = [1.0, 0.6, 0.0, 0.8, 0.4, None]
    correct = [True, False, False, False, False, None]
    assert partial_credit(scores, correct, [range(3), range(3, 6)]) == [1.0, 0.0, 0.0, 0.4, 0.2, None]
    with pytest.raises(InputError, match=r"coefficient is 2\.0; expected a number in \[0, 1\]"):
        PartialCreditReward(Half(), coefficient=2.0)


def test_shapers_are_reward_functions_by_keyword() -> None:
    given: dict[str, Any] = {
        "prompts": ["q"] * 2,
        "completion_ids": [[1] * 95, [1] * 10],
        "answer": ["", ""],
        "trainer_state": None,
    }
    completions = [[{"role": "assistant", "content": "да да да да да"}], [{"role": "assistant", "content": "yes"}]]
    assert OverlongPenalty(100, 10)(completions=completions, **given) == [-0.5, 0.0]
    assert RepetitionPenalty()(completions=completions, **given) == pytest.approx([-2 / 3, 0.0])
    assert ScriptConsistency()(completions=completions, **given) == [0.0, 1.0]
    assert OverlongPenalty(100, 10)(completions=completions) == [None, None]


def test_cosine_reward_bends_the_verdict_by_length() -> None:
    reward = CosineLengthReward(Half(), longest=100, name="cosine", weight=2.0)
    given: dict[str, Any] = {"answer": [""] * 4, "completion_ids": [[1] * 0, [1] * 50, [1] * 0, [1] * 100]}
    assert reward(completions=["1", "1", "0", "1"], **given) == pytest.approx([2.0, 1.5, -2.0, -2.0])
    assert reward(completions=["1", "x"], answer=["", ""], completion_ids=[[1], [1]])[1] is None
    with pytest.raises(InputError, match=r"longest is 0; expected 1 or more"):
        CosineLengthReward(Half(), longest=0)


def test_partial_credit_reward_looks_at_its_group() -> None:
    reward = PartialCreditReward(Half(), name="partial")
    completions = ["1", "0.5", "0.5", "0"]
    assert reward(completions=completions, answer=[""] * 4, task_id=list("aabb")) == [1.0, 0.0, 0.25, 0.0]
    assert reward(completions=completions, answer=[""] * 4, prompts=list("aaaa")) == [1.0, 0.0, 0.0, 0.0]
    assert reward(completions=["0.5", "x"], answer=["", ""]) == [0.25, None]


@pytest.mark.parametrize(
    "shaper",
    [
        OverlongPenalty(100, 10, name="mine"),
        RepetitionPenalty(name="mine"),
        ScriptConsistency(name="mine"),
        CosineLengthReward(Half(), longest=9, name="mine"),
        PartialCreditReward(Half(), name="mine"),
    ],
)
def test_shapers_travel_with_their_names(shaper: Any) -> None:
    assert pickle.loads(pickle.dumps(shaper)).__name__ == "mine"


def test_shaped_rewards_train_and_groups_are_still_judged_by_correctness(tmp_path: Path) -> None:
    from toy_trainer import ToyVerifier, make_config, make_dataset, make_model, make_tokenizer

    from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer

    tokenizer = make_tokenizer()
    trainer = CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(tmp_path),
        processing_class=tokenizer,
        train_dataset=make_dataset(kinds=["hard"]),
        reward_funcs=[CosineLengthReward(ToyVerifier(), longest=20, name="cosine"), OverlongPenalty(6, 3)],
        curriculum=CurriculumConfig(mode="resample", max_rounds=0),
    )
    trainer.train()
    entry: Any = trainer.state.log_history[0]
    assert entry["reward_std"] > 0.0
    assert entry["curriculum/raw_all_fail"] == 1.0
