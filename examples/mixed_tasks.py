"""One training over a mixture of tasks, each judged by its own verifier.

python examples/mixed_tasks.py --model Qwen/Qwen2.5-0.5B-Instruct
python examples/mixed_tasks.py                    # a stand-in for the model
"""

from __future__ import annotations

import click
import stand_in
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from assay import make
from assay.integrations.trl import RewardFunction
from assay.verifiers import Route

NAMES = {"sums": "math/countdown-v1", "puzzles": "logic/knights-and-knaves-v1", "forms": "format/json-schema-v1"}


@click.command()
@click.option("--model", help="A hub name or a folder.")
@click.option("--output", default="runs/mixed", show_default=True)
def train(model: str | None, output: str) -> None:
    """Train on three environments at once; a column names the task of each row."""
    environments = {task: make(name) for task, name in NAMES.items()}
    rows = [
        {"prompt": task.prompt, "answer": task.reference, "task_id": task.id, "task": kind}
        for kind, environment in environments.items()
        for task in environment.tasks("train", limit=1000 if model else 4)
    ]
    verifier = Route({kind: environment.verifier for kind, environment in environments.items()})
    reward = RewardFunction(verifier, reference="answer", columns=["task"], name="mixture")
    policy, tokenizer = stand_in.load(model)
    arguments = stand_in.settings(
        model, output, per_device_train_batch_size=32, num_generations=8, max_completion_length=512, max_steps=300
    )
    trainer = GRPOTrainer(
        policy,
        args=GRPOConfig(**arguments),
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows).shuffle(seed=0),
        reward_funcs=[reward],
    )
    trainer.train()
    click.echo(f"trained {trainer.state.global_step} steps on {', '.join(NAMES)}")


if __name__ == "__main__":
    train()
