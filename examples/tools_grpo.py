"""GRPO over several turns: the model asks a tool, reads the answer, and asks again.

python examples/tools_grpo.py --model Qwen/Qwen3-0.6B
python examples/tools_grpo.py                     # a stand-in that calls the tool
"""

from __future__ import annotations

import os

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import click
import stand_in
from trl import GRPOConfig, GRPOTrainer

from assay import make


@click.command()
@click.option("--model", help="A hub name or a folder, with a chat template that knows tools.")
@click.option("--output", default="runs/tools", show_default=True)
def train(model: str | None, output: str) -> None:
    """Train on guessing a number by asking; the episode itself gives the reward."""
    environment = make("games/guess-number-v1")
    policy, tokenizer = stand_in.load(model, tool="guess", argument="number")
    arguments = stand_in.settings(
        model, output, per_device_train_batch_size=16, num_generations=8, max_completion_length=512, max_steps=200
    )
    limit = 256 if model else 8
    config = GRPOConfig(**arguments, max_tool_calling_iterations=8 if model else 2)
    trainer = GRPOTrainer(policy, args=config, processing_class=tokenizer, **environment.trl("train", limit=limit))
    trainer.train()
    calls = [entry["tools/call_frequency"] for entry in trainer.state.log_history if "tools/call_frequency" in entry]
    click.echo(f"trained {trainer.state.global_step} steps; {calls[-1]:.1f} tool calls an answer in the last")


if __name__ == "__main__":
    train()
