"""What the trainer learns about tasks: it changes what is drawn, is saved, and goes on exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer

from assay.errors import InputError
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer

TIMES = ("_time", "runtime", "_per_second", "/seconds_")


def build(
    folder: Path, config: CurriculumConfig, *, dataset: Any = None, rewards: Any = (), **settings: Any
) -> CurriculumGRPOTrainer:
    tokenizer = make_tokenizer()
    return CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(folder, **settings),
        processing_class=tokenizer,
        train_dataset=make_dataset() if dataset is None else dataset,
        reward_funcs=[make_reward(), *rewards],
        curriculum=config,
    )


def history(trainer: Any, since: int = 0) -> list[dict[str, float]]:
    return [
        {name: value for name, value in entry.items() if not any(time in name for time in TIMES)}
        for entry in trainer.state.log_history
        if entry["step"] > since and "loss" in entry
    ]


def test_informative_tasks_are_found_without_labels(tmp_path: Path) -> None:
    dead = {}
    for order in ("uniform", "informative"):
        config = CurriculumConfig(mode="off", order=order)
        trainer = build(tmp_path, config, dataset=make_dataset(600), max_steps=20, per_device_train_batch_size=32)
        trainer.train()  # at most 160 of 600 tasks are seen
        dead[order] = sum(entry["curriculum/raw_dead"] for entry in history(trainer)[5:]) / 15
    assert dead["uniform"] > 0.6
    assert dead["informative"] < 0.5


@pytest.mark.parametrize("order", ["easy_to_hard", "given"])
def test_fixed_orders_are_kept(tmp_path: Path, order: str) -> None:
    levels = [float(number % 5) for number in range(60)]
    dataset = make_dataset().add_column("difficulty", levels)
    shown: list[str] = []

    def watch(task_id: list[str], **columns: Any) -> list[float]:
        shown.extend(task_id[::4])
        return [0.0] * len(task_id)

    trainer = build(tmp_path, CurriculumConfig(mode="off", order=order), dataset=dataset, rewards=[watch])
    trainer.train()
    expected = range(8) if order == "given" else range(0, 40, 5)
    assert shown == [f"row-{number}" for number in expected]


def test_a_learned_target_follows_success(tmp_path: Path) -> None:
    dataset = make_dataset(kinds=["easy"]).add_column("difficulty", [float(number) for number in range(60)])
    trainer = build(tmp_path, CurriculumConfig(mode="off", order="target"), dataset=dataset, max_steps=1)
    trainer.train()
    assert trainer.curriculum is not None
    assert trainer.curriculum.state_dict()["target"] == pytest.approx(0.5 * 59 * 0.7616, rel=1e-3)


@pytest.mark.parametrize("mode", ["resample", "off"])
def test_a_resumed_run_goes_on_exactly(tmp_path: Path, mode: str) -> None:
    config = CurriculumConfig(mode=mode, order="informative", max_rounds=5)
    settings: dict[str, Any] = {"max_steps": 6, "save_strategy": "steps", "save_steps": 3}
    whole = build(tmp_path / "whole", config, **settings)
    whole.train()
    again = build(tmp_path / "again", config, **settings)
    again.train(resume_from_checkpoint=str(tmp_path / "whole" / "checkpoint-3"))
    assert history(again, since=3) == history(whole, since=3)
    assert again.curriculum is not None
    assert whole.curriculum is not None
    assert again.curriculum.state_dict() == whole.curriculum.state_dict()


def test_resuming_inside_a_window_of_generations_generates_at_once_and_keeps_what_was_learned(tmp_path: Path) -> None:
    config = CurriculumConfig(mode="resample", order="informative", max_rounds=5)
    settings: dict[str, Any] = {
        "per_device_train_batch_size": 4,
        "steps_per_generation": 4,
        "save_strategy": "steps",
        "save_steps": 2,
        "max_steps": 8,
    }
    first = build(tmp_path / "first", config, **settings)
    first.train()
    checkpoint = tmp_path / "first" / "checkpoint-2"
    saved = json.loads((checkpoint / "curriculum_state.json").read_text())
    second = build(tmp_path / "second", config, **settings)
    second.train(resume_from_checkpoint=str(checkpoint))
    generations = [
        entry["step"] for entry in second.state.log_history if entry["step"] > 2 and "curriculum/rounds" in entry
    ]
    assert generations == [3, 7]  # stock TRL starts a new window as well
    assert second.generated_groups > saved["generated_groups"] > 0
    assert second.state.global_step == 8


def test_a_checkpoint_of_another_curriculum_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"max_steps": 1, "save_strategy": "steps", "save_steps": 1}
    build(tmp_path / "first", CurriculumConfig(mode="resample", order="uniform"), **settings).train()
    second = build(
        tmp_path / "second", CurriculumConfig(mode="resample", order="given"), **{**settings, "max_steps": 2}
    )
    with pytest.raises(InputError, match=r'the saved curriculum is .*"order": "uniform".*resume with the same order'):
        second.train(resume_from_checkpoint=str(tmp_path / "first" / "checkpoint-1"))


def test_a_checkpoint_without_a_curriculum_is_taken_as_it_is(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"max_steps": 1, "save_strategy": "steps", "save_steps": 1}
    build(tmp_path / "first", CurriculumConfig(mode="resample"), **settings).train()
    checkpoint = tmp_path / "first" / "checkpoint-1"
    (checkpoint / "curriculum_state.json").unlink()
    second = build(tmp_path / "second", CurriculumConfig(mode="resample"), **{**settings, "max_steps": 2})
    second.train(resume_from_checkpoint=str(checkpoint))
    assert second.state.global_step == 2


def test_prompts_stand_for_ids_where_there_are_none(tmp_path: Path) -> None:
    dataset = make_dataset(chat=True).remove_columns("task_id")
    trainer = build(tmp_path, CurriculumConfig(mode="resample"), dataset=dataset)
    trainer.train()
    assert trainer.curriculum is not None
    counts = trainer.curriculum.state_dict()["rates"]["counts"]
    assert all(json.loads(key)[0]["role"] == "user" for key, _, _ in counts)
