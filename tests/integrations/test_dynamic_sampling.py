"""Groups that teach nothing are replaced, masked or kept as asked; what is trained on is what was judged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_trainer import ToyVerifier, make_config, make_dataset, make_model, make_reward, make_tokenizer
from trl import GRPOTrainer

from assay import Result, Verifier
from assay.errors import InputError, NoSignal
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, RewardFunction
from assay.integrations.trl.signals import GroupTest, Signal, judge_groups
from assay.verifiers import Weighted

NAN = math.nan


class Watched(CurriculumGRPOTrainer):
    """Keeps what each generation step hands to the loss."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.outputs: list[dict[str, Any]] = []
        super().__init__(*args, **kwargs)

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        output = super()._generate_and_score_completions(inputs)
        if self._phase is None:
            self.outputs.append({name: value.clone() for name, value in output.items() if hasattr(value, "clone")})
        return output


def train(
    folder: Path, config: CurriculumConfig, *, dataset: Any = None, rewards: Any = None, **settings: Any
) -> Watched:
    tokenizer = make_tokenizer()
    trainer = Watched(
        make_model(tokenizer),
        args=make_config(folder, **settings),
        processing_class=tokenizer,
        train_dataset=make_dataset() if dataset is None else dataset,
        reward_funcs=rewards or [make_reward()],
        curriculum=config,
    )
    trainer.train()
    return trainer


def logged(trainer: Any, name: str) -> list[float]:
    return [entry[name] for entry in trainer.state.log_history if name in entry]


def test_no_trained_group_is_dead_where_stock_has_half_or_more(tmp_path: Path) -> None:
    tokenizer = make_tokenizer()
    stock = GRPOTrainer(
        make_model(tokenizer),
        args=make_config(tmp_path, max_steps=10),
        processing_class=tokenizer,
        train_dataset=make_dataset(),
        reward_funcs=[make_reward()],
    )
    stock.train()
    assert min(logged(stock, "frac_reward_zero_std")) >= 0.5
    for order in ("stock", "informative"):
        trainer = train(tmp_path, CurriculumConfig(mode="resample", order=order, max_rounds=20), max_steps=10)
        assert logged(trainer, "frac_reward_zero_std") == [0.0] * 10
        assert logged(trainer, "curriculum/trained_dead") == [0.0] * 10
        assert sum(logged(trainer, "curriculum/generated_per_trained")[:3]) > 3.0  # more than was trained on


def test_what_reaches_the_loss_is_whole_groups_with_their_own_advantages(tmp_path: Path) -> None:
    trainer = train(tmp_path, CurriculumConfig(mode="resample", order="stock", max_rounds=20), max_steps=5)
    tokenizer = make_tokenizer()
    for output in trainer.outputs:
        prompts = tokenizer.batch_decode(output["prompt_ids"], skip_special_tokens=True)
        texts = tokenizer.batch_decode(output["completion_ids"], skip_special_tokens=True)
        kinds = [prompt.split()[0] for prompt in prompts]
        rewards = torch.tensor([result.score for result in ToyVerifier().verify(texts, kinds)]).view(4, 4)
        assert all(len(set(prompts[start : start + 4])) == 1 for start in range(0, 16, 4))
        expected = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        assert output["advantages"].tolist() == pytest.approx(expected.flatten().tolist(), abs=1e-5)
        assert output["num_items_in_batch"].item() == output["completion_mask"].sum().item()
        assert (output["completion_ids"] != tokenizer.pad_token_id).sum() <= output["completion_mask"].sum()


def test_nothing_is_drawn_twice_in_one_step_while_there_are_other_tasks(tmp_path: Path) -> None:
    trainer = train(
        tmp_path, CurriculumConfig(mode="resample", order="uniform", max_rounds=20), max_steps=5, log_completions=True
    )
    for output in trainer.outputs:
        prompts = make_tokenizer().batch_decode(output["prompt_ids"], skip_special_tokens=True)
        assert len(set(prompts)) == 4


@pytest.mark.parametrize(("policy", "dead"), [("keep", [1.0, 1.0]), ("duplicate", [1.0, 1.0])])
def test_where_nothing_teaches_the_batch_is_kept_as_it_is(tmp_path: Path, policy: str, dead: list[float]) -> None:
    config = CurriculumConfig(mode="resample", max_rounds=2, on_exhausted=policy)
    trainer = train(tmp_path, config, dataset=make_dataset(kinds=["hard"]))
    assert logged(trainer, "curriculum/trained_dead") == dead
    assert logged(trainer, "curriculum/rounds") == [2.0, 2.0]
    assert logged(trainer, "curriculum/raw_all_fail") == [1.0, 1.0]


def test_exhaustion_can_end_the_run_with_advice(tmp_path: Path) -> None:
    config = CurriculumConfig(mode="resample", max_rounds=1, on_exhausted="raise")
    message = (
        r"4 of 4 groups still teach nothing after 2 generations; choose easier or harder tasks, raise max_rounds, or"
    )
    with pytest.raises(NoSignal, match=message):
        train(tmp_path, config, dataset=make_dataset(kinds=["hard"]))


def test_good_groups_can_fill_the_batch_twice(tmp_path: Path) -> None:
    dataset = make_dataset(16, kinds=["odd", "hard", "hard", "hard"])
    trainer = train(
        tmp_path,
        CurriculumConfig(mode="resample", order="given", max_rounds=0, on_exhausted="duplicate"),
        dataset=dataset,
        num_generations=8,
        per_device_train_batch_size=32,
    )
    assert logged(trainer, "curriculum/raw_dead") == [0.75, 0.75]
    assert logged(trainer, "frac_reward_zero_std") == [0.0, 0.0]
    prompts = make_tokenizer().batch_decode(trainer.outputs[0]["prompt_ids"], skip_special_tokens=True)
    assert set(prompts) == {"odd 000:"}


def test_kept_dead_groups_come_last_and_fill_the_batch(tmp_path: Path) -> None:
    dataset = make_dataset(16, kinds=["hard", "odd", "hard", "hard"])
    trainer = train(
        tmp_path,
        CurriculumConfig(mode="resample", order="given", max_rounds=0),
        dataset=dataset,
        num_generations=8,
        per_device_train_batch_size=32,
    )
    prompts = make_tokenizer().batch_decode(trainer.outputs[0]["prompt_ids"], skip_special_tokens=True)
    assert prompts[::8] == ["odd 001:", "hard 000:", "hard 002:", "hard 003:"]


def test_oversampling_generates_more_in_fewer_rounds(tmp_path: Path) -> None:
    runs = {
        factor: train(
            tmp_path, CurriculumConfig(mode="resample", order="uniform", oversample=factor, max_rounds=20), max_steps=8
        )
        for factor in (1.0, 4.0)
    }
    rounds = {factor: sum(logged(trainer, "curriculum/rounds")) for factor, trainer in runs.items()}
    assert rounds[4.0] < rounds[1.0]
    assert logged(runs[4.0], "curriculum/trained_dead") == [0.0] * 8


def test_masked_groups_leave_the_loss_and_its_normaliser(tmp_path: Path) -> None:
    trainer = train(tmp_path, CurriculumConfig(mode="mask", order="stock"), max_steps=4)
    masked = 0
    for output in trainer.outputs:
        alive = output["advantages"].view(4, 4).ne(0).any(1).repeat_interleave(4)
        if alive.any():
            masked += int((~alive).sum())
            assert output["completion_mask"][~alive].sum() == 0
            assert (output["completion_mask"][alive].sum(1) > 0).all()
        assert output["num_items_in_batch"] == output["completion_mask"].sum()
    assert masked > 0


def test_a_batch_without_a_living_group_is_not_masked_away(tmp_path: Path) -> None:
    config = CurriculumConfig(mode="mask", order="stock")
    trainer = train(tmp_path, config, dataset=make_dataset(kinds=["hard"]), max_steps=1)
    assert trainer.outputs[0]["num_items_in_batch"] > 0
    assert logged(trainer, "loss") == [0.0]
    assert logged(trainer, "curriculum/trained_dead") == [1.0]


def test_correctness_decides_not_a_shaped_reward(tmp_path: Path) -> None:
    shaped = Weighted({"right": (ToyVerifier(), 0.8), "length": (Length(), 0.2)})
    rewards = [RewardFunction(shaped, name="shaped")]
    dataset = make_dataset(kinds=["hard", "easy"])
    settings: dict[str, Any] = {"dataset": dataset, "rewards": rewards, "max_steps": 3}
    blind = train(tmp_path, CurriculumConfig(mode="resample", signal="reward", max_rounds=0), **settings)
    sighted = train(tmp_path, CurriculumConfig(mode="resample", max_rounds=0), **settings)
    assert max(logged(blind, "curriculum/raw_dead")) < 1.0
    assert logged(sighted, "curriculum/raw_dead") == [1.0] * 3


class Length(Verifier[str]):
    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        share = sum(map(ord, completion)) % 7
        return Result.partial(share / 7) if share else Result.incorrect()


def test_a_reward_that_is_not_ours_is_judged_by_its_value(tmp_path: Path) -> None:
    def vowels(completions: list[str], **columns: Any) -> list[float]:
        return [float(any(letter in completion for letter in "aeiou")) for completion in completions]

    trainer = train(tmp_path, CurriculumConfig(mode="resample", max_rounds=20), rewards=[vowels], max_steps=3)
    assert logged(trainer, "frac_reward_zero_std") == [0.0] * 3


def test_rows_without_a_verdict_do_not_count_and_lone_ones_teach_nothing(tmp_path: Path) -> None:
    dataset = make_dataset(kinds=["broken", "odd"])
    trainer = train(
        tmp_path, CurriculumConfig(mode="resample", order="given", max_rounds=3), dataset=dataset, max_steps=3
    )
    assert logged(trainer, "curriculum/trained_dead") == [0.0] * 3
    assert all(share > 0.0 for share in logged(trainer, "curriculum/raw_dead"))


@pytest.mark.parametrize(
    ("values", "verdicts", "test", "alive"),
    [
        ([1, 0, 0, 0], True, GroupTest(), True),
        ([1, 1, 1, 1], True, GroupTest(), False),
        ([0, 0, 0, 0], True, GroupTest(), False),
        ([1, NAN, NAN, NAN], True, GroupTest(), False),
        ([1, 0, NAN, NAN], True, GroupTest(), True),
        ([NAN] * 4, True, GroupTest(), False),
        ([1, 0, 0, 0], True, GroupTest(window=(0.25, 0.75)), False),
        ([1, 1, 0, 0], True, GroupTest(window=(0.25, 0.75)), True),
        ([0.3, 0.3, 0.3, 0.3], False, GroupTest(), False),
        ([0.1 + 0.2, 0.3, 0.3, 0.3], False, GroupTest(), False),
        ([0.30001, 0.3, 0.3, 0.3], False, GroupTest(), True),
        ([0.2, 0.3, 0.4, 0.1], False, GroupTest(), True),
        ([0.9, 0.8, 0.9, 0.9], False, GroupTest(window=(0.0, 0.9)), False),
        ([0.3, 0.3, 0.3, 0.3], False, GroupTest(tolerance=0.0), False),
        ([2.0, -1.0, NAN, NAN], False, GroupTest(), True),
    ],
)
def test_a_group_is_judged_whole(values: list[float], verdicts: bool, test: GroupTest, alive: bool) -> None:
    groups = judge_groups(torch.tensor(values, dtype=torch.float64), 4, test, are_verdicts=verdicts)
    assert groups.alive == [alive]
    assert groups.judged == [sum(not math.isnan(value) for value in values)]


def test_all_pass_and_all_fail_are_counted() -> None:
    groups = judge_groups(torch.tensor([1.0, 1, 0, 0, 1, 0, NAN, 1]), 2, GroupTest(), are_verdicts=True)
    assert (groups.all_pass, groups.all_fail) == (1, 1)
    assert groups.passed == [2, 0, 1, 1]


def test_a_mixture_is_judged_by_whichever_of_our_rewards_judged_the_row() -> None:
    rewards = [make_reward(name="a"), len, make_reward(name="b")]
    signal = Signal(rewards, ["a", "len", "b"], None)
    logs = {"a/verdict": ["correct", "", "error", ""], "b/verdict": ["incorrect", "correct", "correct", ""]}
    correct = signal.local_correctness(logs, 4)
    assert correct is not None
    assert correct[:2] == [1.0, 1.0]
    assert [math.isnan(value) for value in correct] == [False, False, True, True]
    assert Signal(rewards, ["a", "len", "b"], "b").local_correctness(logs, 4) == pytest.approx(
        [0, 1, 1, NAN], nan_ok=True
    )
    assert Signal(rewards, ["a", "len", "b"], "len").local_correctness(logs, 4) is None


def test_a_signal_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"signal is 'math'; expected 'reward' or one of toy"):
        Signal([make_reward()], ["toy"], "math")
    with pytest.raises(
        InputError, match=r"groups are judged by the verdicts of 'toy'; create it with log_columns=True"
    ):
        Signal([make_reward(log_columns=False)], ["toy"], None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "filter"}, r"mode is 'filter'; expected one of resample, mask, off"),
        ({"on_exhausted": "wait"}, r"on_exhausted is 'wait'; expected one of keep, duplicate, raise"),
        ({"max_rounds": -1}, r"max_rounds is -1; expected 0 or more"),
        ({"oversample": 0.5}, r"oversample is 0\.5; expected 1 or more, or None"),
        ({"window": (0.5, 0.5)}, r"window is \(0\.5, 0\.5\); expected \(low, high\) with 0 <= low < high <= 1"),
        ({"tolerance": -1.0}, r"tolerance is -1\.0; expected 0 or more"),
        ({"order": "best"}, r"order is 'best'; expected one of stock, uniform, informative"),
    ],
)
def test_a_bad_option_says_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CurriculumConfig(**options)
