"""Asynchronous GRPO on GSM8K: a vLLM server generates without end, and groups that teach nothing are dropped.

On one GPU the server, on another one, of the Hopper kind, the trainer::

    CUDA_VISIBLE_DEVICES=0 VLLM_SERVER_DEV_MODE=1 vllm serve Qwen/Qwen2.5-0.5B-Instruct --dtype bfloat16 \
        --logprobs-mode processed_logprobs --weight-transfer-config '{"backend": "nccl"}'
    CUDA_VISIBLE_DEVICES=1 python examples/async_grpo.py --model Qwen/Qwen2.5-0.5B-Instruct

python examples/async_grpo.py                    # stand-ins for model, server and GPU, on sums
"""

from __future__ import annotations

import os

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import click
import stand_in
import stand_in_vllm
from trl.experimental.async_grpo import AsyncGRPOConfig

from assay import make
from assay.integrations.trl import AsyncCurriculumGRPOTrainer, CurriculumConfig, Monitor


@click.command()
@click.option("--model", help="A hub name or a folder; the same one that the server has.")
@click.option("--server", default="http://localhost:8000", show_default=True, help="Where vLLM serves it.")
@click.option("--output", default="runs/async", show_default=True)
def train(model: str | None, server: str, output: str) -> None:
    """Train on groups that have both right and wrong answers."""
    environment = make("math/gsm8k-v1" if model else "math/arithmetic-v1")
    arguments = stand_in.settings(
        model,
        output,
        per_device_train_batch_size=16,
        gradient_accumulation_steps=4,
        num_generations=8,
        max_completion_length=512,
        learning_rate=1e-6,
        max_steps=500,
        dtype="bfloat16",  # as the server
    )
    if model is None:
        arguments |= {"max_completion_length": 64, "token_budget": 0}  # a budget is asked of a real server
    with stand_in_vllm.policy(model, server, output) as policy:
        trainer = AsyncCurriculumGRPOTrainer(
            policy.model,
            args=AsyncGRPOConfig(**arguments, vllm_server_base_url=policy.server),
            curriculum=CurriculumConfig(order="stock"),  # prompts come in the data set's order
            callbacks=[Monitor()],
            **policy.rest,
            **environment.trl("train", limit=None if model else 60),
        )
        trainer.train()
    dropped = len(trainer.dropped_groups)
    click.echo(f"trained {trainer.state.global_step} steps; {dropped} groups taught nothing and were dropped")


if __name__ == "__main__":
    train()
