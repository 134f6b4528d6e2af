"""One of two real processes that train together on a CPU; see test_two_processes.py. Prints one line of JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

import torch
from toy_trainer import make_config, make_dataset, make_model, make_reward, make_tokenizer

from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer


def train(folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """One run; what it ended with on this process."""
    tokenizer = make_tokenizer()
    groups: list[int] = []

    def misbehave(completions: list[str], task_id: list[str], **columns: Any) -> list[float]:
        rank = trainer.accelerator.process_index
        groups.append(len(set(task_id)))
        if settings.get("slow") == rank:
            time.sleep(0.5)
        if settings.get("raise") == rank:
            raise RuntimeError(f"the judge of process {rank} broke")
        return [0.0] * len(completions)

    trainer = CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(folder, **settings["arguments"]),
        processing_class=tokenizer,
        train_dataset=make_dataset(),
        reward_funcs=[make_reward(), misbehave],
        curriculum=CurriculumConfig(**settings["curriculum"]),
    )
    trainer.train()
    trainer.accelerator.wait_for_everyone()  # gloo aborts a process whose partner has left already
    return {
        "state": None if trainer.curriculum is None else trainer.curriculum.state_dict(),
        "history": [
            {name: entry[name] for name in WANTED} for entry in trainer.state.log_history if WANTED[0] in entry
        ],
        "weights": sum(float(parameter.double().sum()) for parameter in trainer.model.parameters()),
        "groups": groups,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    try:
        runs = [train(sys.argv[1], settings) for settings in json.loads(sys.argv[2])]
    except RuntimeError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        sys.exit(1)
    print(json.dumps({"runs": runs}), flush=True)
    torch.distributed.destroy_process_group()


WANTED = ("curriculum/trained_dead", "curriculum/generated_groups", "curriculum/raw_dead", "frac_reward_zero_std")

if __name__ == "__main__":
    main()
