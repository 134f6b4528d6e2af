"""A stand-in for a real model: random weights, every byte a token. It shows that a script runs, and learns nothing.

Each example takes ``--model``, a hub name or a folder, and without it runs two small steps with this.
"""

from __future__ import annotations

import re
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

_SPECIAL = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>", "<|tool|>"]
_TEMPLATE = (
    "{%- for m in messages %}<|{{ m['role'] }}|>{{ m['content'] or '' }}"
    "{%- for call in m.get('tool_calls') or [] %}{{ call['function'] | tojson }}{%- endfor %}<|end|>{%- endfor %}"
    "{%- if add_generation_prompt %}<|assistant|>{%- endif %}"
)


def load(model: str | None, *, tool: str = "", argument: str = "") -> tuple[Any, Any]:
    """Model and tokenizer: the one named, or the stand-in.

    Args:
        model: A hub name or a folder; None for the stand-in.
        tool: For an example of several turns, the tool that the stand-in calls, since it could not by itself.
        argument: The name of the tool's argument, a number.
    """
    if model is not None:
        return AutoModelForCausalLM.from_pretrained(model), AutoTokenizer.from_pretrained(model)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokenizer = _tokenizer()
    if tool:
        tokenizer.response_template = "stand-in"
        body = {"tool": tool, "argument": argument, "parse_response": _call_first}
        tokenizer.__class__ = type("StandInWithTools", (type(tokenizer),), body)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    return Qwen2ForCausalLM(config), tokenizer


def settings(model: str | None, output: str, **options: Any) -> dict[str, Any]:
    """Arguments of a trainer's configuration: those given for a real model, small ones for the stand-in."""
    if model is not None:
        return {"output_dir": output, "logging_steps": 1, **options}
    return {
        "output_dir": output,
        "logging_steps": 1,
        "max_steps": 2,
        "per_device_train_batch_size": 4,
        "num_generations": 2,
        "max_completion_length": 16,
        "use_cpu": True,
        "bf16": False,
        "fp16": False,
        "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
        "report_to": "none",
        "save_strategy": "no",
        "disable_tqdm": True,
    }


def _tokenizer() -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({word: index for index, word in enumerate([*_SPECIAL, *alphabet])}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(_SPECIAL)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<|pad|>", eos_token="<|end|>", padding_side="left"
    )
    tokenizer.chat_template = _TEMPLATE
    return tokenizer


def _call_first(self: Any, ids: Any, prefix: Any = None, tools: Any = None) -> dict[str, Any]:
    """Read every answer to a person as a call of the tool, and every answer to the tool as the last one."""
    text = self.decode(ids, skip_special_tokens=True) or "?"
    if not tools or "<|tool|>" in self.decode(prefix if prefix is not None else []):
        return {"role": "assistant", "content": text}
    digits = re.sub(r"\D", "", str(len(text)))
    call = {"name": self.tool, "arguments": {self.argument: int(digits)}}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call}]}
