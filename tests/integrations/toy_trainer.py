"""A policy small enough to train for real in a test: 20,000 parameters, one token a character, no network."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig

from assay import Result, Verifier
from assay.integrations.trl import RewardFunction

torch.set_num_threads(1)  # threads of tests that run side by side would wait for each other, spinning

CHAT_TEMPLATE = (
    "{%- for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{%- endif %}"
)
ROLES = ["<|user|>", "<|assistant|>", "<|system|>", "<|tool|>"]


def make_tokenizer(*, chat_template: str | None = CHAT_TEMPLATE) -> PreTrainedTokenizerFast:
    """One token for each printable ASCII character."""
    words = ["<|pad|>", "<|unk|>", "<|end|>", *ROLES, *string.digits, *string.ascii_letters, *string.punctuation, " "]
    core = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<|unk|>"))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    core.decoder = decoders.Fuse()
    core.add_tokens(ROLES)
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=core, pad_token="<|pad|>", eos_token="<|end|>", unk_token="<|unk|>", padding_side="left"
    )
    tokenizer.chat_template = chat_template
    return tokenizer


def make_model(tokenizer: PreTrainedTokenizerFast, *, seed: int = 0) -> Qwen2ForCausalLM:
    """Two layers of width 32, random weights, the same for equal seeds; rotary positions, so padding is harmless."""
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return Qwen2ForCausalLM(config)


def make_dataset(rows: int = 60, *, chat: bool = False, kinds: Sequence[str] = ("easy", "mid", "hard")) -> Dataset:
    """Prompts of three kinds in turn: see ``ToyVerifier``."""
    data = []
    for index in range(rows):
        kind = kinds[index % len(kinds)]
        text = f"{kind} {index:03d}:"
        prompt: Any = [{"role": "user", "content": text}] if chat else text
        data.append({"prompt": prompt, "answer": kind, "task_id": f"row-{index}"})
    return Dataset.from_list(data)


class ToyVerifier(Verifier[str]):
    """An easy prompt is always passed, a hard one never, any other where the completion begins with a small letter.

    A random policy passes about a quarter of the rest, so that groups of four are often mixed.
    """

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        passed = reference == "easy" or (reference == "mid" and completion[:1] in string.ascii_lowercase[:24] + "0123")
        if reference == "odd":  # every group is mixed: the length decides nothing, the first code point does
            passed = sum(map(ord, completion)) % 2 == 1
        if reference == "broken":
            return Result.bad_reference("this reference is broken")
        return Result.correct(answer=completion[:1]) if passed else Result.incorrect(answer=completion[:1])


def make_reward(**options: Any) -> RewardFunction:
    """The toy's reward; options of ``RewardFunction``."""
    return RewardFunction(ToyVerifier(), **{"reference": "answer", "name": "toy", **options})


def make_config(folder: Any, **options: Any) -> GRPOConfig:
    """Arguments for real steps on a CPU, quickly and quietly: groups of four, four groups a step."""
    defaults: dict[str, Any] = {
        "output_dir": str(folder),
        "use_cpu": True,
        "bf16": False,
        "fp16": False,
        "gradient_checkpointing": False,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
        "dataloader_pin_memory": False,
        "logging_steps": 1,
        "per_device_train_batch_size": 16,
        "num_generations": 4,
        "max_completion_length": 6,
        "learning_rate": 1e-3,
        "lr_scheduler_type": "constant",
        "beta": 0.0,
        "max_steps": 2,
        "seed": 3,
    }
    return GRPOConfig(**{**defaults, **options})
