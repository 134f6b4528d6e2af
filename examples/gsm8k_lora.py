"""GRPO on GSM8K with LoRA adapters, on groups that teach.

python examples/gsm8k_lora.py --model Qwen/Qwen2.5-0.5B-Instruct
python examples/gsm8k_lora.py --data FOLDER      # a folder with gsm8k/train.jsonl; a stand-in for the model
"""

from __future__ import annotations

import click
import stand_in
from peft import LoraConfig
from trl import GRPOConfig

from assay import make
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, Monitor


@click.command()
@click.option("--model", help="A hub name or a folder.")
@click.option("--data", help="A folder with the file train.jsonl of GSM8K; without it the data comes from the hub.")
@click.option("--split", default="train", show_default=True)
@click.option("--output", default="runs/gsm8k-lora", show_default=True)
def train(model: str | None, data: str | None, split: str, output: str) -> None:
    """Train, and leave the adapters in the output folder."""
    environment = make("math/gsm8k-v1", path=data) if data else make("math/gsm8k-v1")
    policy, tokenizer = stand_in.load(model)
    arguments = stand_in.settings(
        model,
        output,
        per_device_train_batch_size=32,
        gradient_accumulation_steps=4,
        num_generations=8,
        max_completion_length=512,
        learning_rate=1e-5,
        max_steps=500,
        log_completions=True,
    )
    trainer = CurriculumGRPOTrainer(
        policy,
        args=GRPOConfig(**arguments),
        processing_class=tokenizer,
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"]),
        curriculum=CurriculumConfig(max_rounds=3 if model else 1),
        callbacks=[Monitor()],
        **environment.trl(split, limit=None if model else 8, processing_class=tokenizer),
    )
    trainer.train()
    trainer.save_model(output)
    click.echo(f"trained {trainer.state.global_step} steps; adapters and monitor.html are in {output}")


if __name__ == "__main__":
    train()
