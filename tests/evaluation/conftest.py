"""A tiny real model and a tiny environment that it sometimes solves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay import Result, Verifier
from assay.environments.base import Environment, Task

TEMPLATE = (
    "{% for message in messages %}<{{ message['role'][0] }}>{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<a>{% endif %}"
)


class FirstSign(Verifier[str]):
    """The first sign of a completion is its answer; right if it is among those of the reference."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        answer = completion[:1]
        if reference == "broken":
            return Result.bad_reference("this reference is broken on purpose")
        if not answer.isalnum():
            return Result.no_answer("the completion does not begin with a letter or digit")
        return Result.correct(answer=answer) if answer in reference else Result.incorrect(answer=answer)


class Signs(Environment):
    name = "test/signs-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"test": 12}

    def __init__(self, *, messages: bool = True) -> None:
        self.verifier = FirstSign()
        self.messages = messages

    def load(self, split: str) -> Iterator[Task]:
        for index in range(12):
            text = "say " + "abcdefghijkl"[: index + 1]
            prompt: Any = [{"role": "user", "content": text}] if self.messages else text
            yield Task(prompt, "0123456789abcdefghijkl"[: 2 * index])


def tiny_model(seed: int = 0) -> tuple[Any, Any]:
    """A random two-layer model over single characters, with its tokenizer."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    signs = ["<pad>", "<end>", "<unk>", *"0123456789abcdefghijklmnopqrstuvwxyz <>"]
    core = Tokenizer(models.WordLevel({sign: index for index, sign in enumerate(signs)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    core.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=core, pad_token="<pad>", eos_token="<end>", unk_token="<unk>", chat_template=TEMPLATE
    )
    config = LlamaConfig(
        vocab_size=len(signs),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=None,
        initializer_range=0.4,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model: Any = LlamaForCausalLM(config)
        return model.eval(), tokenizer


@pytest.fixture(scope="session")
def tiny() -> tuple[Any, Any]:
    return tiny_model()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory, tiny: tuple[Any, Any]) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    for part in tiny:
        part.save_pretrained(folder)
    return folder


@pytest.fixture
def signs() -> Signs:
    return Signs()
