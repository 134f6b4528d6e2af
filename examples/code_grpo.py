"""GRPO on programs: MBPP, each completion run in the sandbox against hidden tests.

python examples/code_grpo.py --model Qwen/Qwen2.5-Coder-0.5B-Instruct
python examples/code_grpo.py --data FOLDER       # a folder with the files of MBPP; a stand-in for the model
"""

from __future__ import annotations

import click
import stand_in
from trl import GRPOConfig, GRPOTrainer

from assay import make
from assay.integrations.trl import RewardFunction
from assay.verifiers.format import CodeFence


@click.command()
@click.option("--model", help="A hub name or a folder.")
@click.option("--data", help="A folder with MBPP's files; without it the data comes from the hub.")
@click.option("--split", default="train", show_default=True)
@click.option("--output", default="runs/code", show_default=True)
def train(model: str | None, data: str | None, split: str, output: str) -> None:
    """Train on tests passed; whether there is one block of Python is logged beside, with weight 0."""
    environment = make("code/mbpp-v1", path=data) if data else make("code/mbpp-v1")
    policy, tokenizer = stand_in.load(model)
    arguments = stand_in.settings(
        model, output, per_device_train_batch_size=32, num_generations=8, max_completion_length=512, max_steps=300
    )
    parts = environment.trl(split, limit=None if model else 8)
    parts["reward_funcs"].append(RewardFunction(CodeFence("python"), reference=None, name="one_block", weight=0.0))
    trainer = GRPOTrainer(policy, args=GRPOConfig(**arguments), processing_class=tokenizer, **parts)
    trainer.train()
    logged = next(entry for entry in reversed(trainer.state.log_history) if "reward" in entry)
    click.echo(f"trained {trainer.state.global_step} steps; share of tests passed {logged['reward']:.2f}")


if __name__ == "__main__":
    train()
