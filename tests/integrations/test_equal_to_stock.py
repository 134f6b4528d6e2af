"""When every group teaches, all that is logged equals stock TRL's: nothing of the generation step was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer
from trl import GRPOTrainer

from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "scale by batch": {"scale_rewards": "batch"},
    "window of four, two iterations": {
        "num_iterations": 2,
        "steps_per_generation": 4,
        "per_device_train_batch_size": 4,
        "max_steps": 16,
    },
    "chat with loss grpo": {"loss_type": "grpo"},
    "normalize then sum": {"multi_objective_aggregation": "normalize_then_sum", "log_completions": True},
    "accumulated gradients": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2},
}
TIMES = ("_time", "runtime", "_per_second", "/seconds_")


def history(trainer_class: type, folder: Path, *, chat: bool, settings: dict[str, Any], **extra: Any) -> list[Any]:
    tokenizer = make_tokenizer()
    trainer = trainer_class(
        make_model(tokenizer),
        args=make_config(folder, **{"max_steps": 4, "num_generations": 8, **settings}),
        processing_class=tokenizer,
        train_dataset=make_dataset(64, chat=chat, kinds=["odd"]),
        reward_funcs=[make_reward(), make_reward(name="second", weight=0.25)],
        **extra,
    )
    trainer.train()
    return [
        {name: value for name, value in entry.items() if not any(time in name for time in TIMES)}
        for entry in trainer.state.log_history
    ]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_logged_value_equals_stock(tmp_path: Path, name: str) -> None:
    chat = "chat" in name
    stock = history(GRPOTrainer, tmp_path / "stock", chat=chat, settings=SETTINGS[name])
    for mode in ("resample", "mask", "off"):
        config = CurriculumConfig(mode=mode, order="stock")
        ours = history(CurriculumGRPOTrainer, tmp_path / mode, chat=chat, settings=SETTINGS[name], curriculum=config)
        assert {entry["curriculum/raw_dead"] for entry in ours if "curriculum/raw_dead" in entry} == {0.0}
        bare = [{key: value for key, value in entry.items() if not key.startswith("curriculum/")} for entry in ours]
        assert bare == stock
