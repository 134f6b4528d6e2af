"""A reward of ours in TRL's other trainers that take reward functions: two real steps each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer

from assay.errors import VerifierFailed


class Watched:
    """Says what the trainer passed, and what it got."""

    def __init__(self, **options: Any) -> None:
        self.reward = make_reward(**options)
        self.__name__ = self.reward.name
        self.calls: list[dict[str, Any]] = []
        self.rewards: list[float | None] = []

    def __call__(self, **given: Any) -> list[float | None]:
        rewards: list[float | None] = self.reward(**given)
        self.calls.append(given)
        self.rewards += rewards
        return rewards


def common(folder: Path) -> dict[str, Any]:
    """What every trainer's arguments have."""
    wanted = (
        *("use_cpu", "bf16", "fp16", "report_to", "save_strategy", "disable_tqdm", "dataloader_pin_memory"),
        *("logging_steps", "learning_rate", "lr_scheduler_type", "max_steps", "seed", "gradient_checkpointing"),
    )
    given = make_config(folder).to_dict()
    return {"output_dir": str(folder), **{name: given[name] for name in wanted}}


def gmpo(folder: Path) -> Any:
    from trl.experimental.gmpo import GMPOConfig, GMPOTrainer

    sizes: dict[str, Any] = {"per_device_train_batch_size": 8, "num_generations": 4, "max_completion_length": 6}
    return GMPOTrainer, GMPOConfig(**common(folder), **sizes)


def online_dpo(folder: Path) -> Any:
    from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer

    sizes: dict[str, Any] = {"per_device_train_batch_size": 4, "max_new_tokens": 6, "max_length": 64}
    return OnlineDPOTrainer, OnlineDPOConfig(**common(folder), **sizes)


def sdpo(folder: Path) -> Any:
    from trl.experimental.sdpo import SDPOConfig, SDPOTrainer

    sizes: dict[str, Any] = {"per_device_train_batch_size": 8, "num_generations": 4, "max_completion_length": 6}
    return SDPOTrainer, SDPOConfig(**common(folder), **sizes)


def a2po(folder: Path) -> Any:
    from trl.experimental.a2po import A2POConfig, A2POTrainer

    sizes: dict[str, Any] = {"per_device_train_batch_size": 4, "max_completion_length": 6, "num_value_samples": 2}
    return A2POTrainer, A2POConfig(**common(folder), **sizes)


def train(make: Any, folder: Path, reward: Any, kinds: list[str]) -> Any:
    trainer_class, args = make(folder)
    tokenizer = make_tokenizer()
    make_model(tokenizer).save_pretrained(folder / "model")  # a teacher is read from where the model came from
    trainer = trainer_class(
        model=str(folder / "model"),
        reward_funcs=[reward],
        args=args,
        train_dataset=make_dataset(12, kinds=kinds),
        processing_class=tokenizer,
    )
    trainer.train()
    return trainer


@pytest.mark.parametrize("make", [gmpo, online_dpo, sdpo, a2po])
def test_a_reward_of_ours_trains(make: Any, tmp_path: Path) -> None:
    reward = Watched()
    trainer = train(make, tmp_path, reward, ["odd"])
    assert trainer.state.global_step == 2
    assert set(reward.rewards) == {0.0, 1.0}
    assert all("task_id" in call for call in reward.calls)


@pytest.mark.parametrize("make", [gmpo, online_dpo, sdpo])
def test_rows_that_could_not_be_judged_do_not_end_training(make: Any, tmp_path: Path) -> None:
    reward = Watched()
    trainer = train(make, tmp_path, reward, ["odd", "broken"])
    assert trainer.state.global_step == 2
    assert None in reward.rewards


def test_a2po_knows_no_missing_reward_so_that_a_failure_must_raise(tmp_path: Path) -> None:
    with pytest.raises(VerifierFailed, match="reward 'toy' could not judge"):
        train(a2po, tmp_path, Watched(on_failure="raise"), ["broken"])
