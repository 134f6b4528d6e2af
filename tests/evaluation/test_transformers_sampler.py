"""The transformers sampler: one random stream a row, whatever the batch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.environments.base import Prompt
from assay.errors import InputError, MissingExtra
from assay.evaluation.samplers.transformers import TransformersSampler, weights_fingerprint

PROMPTS: list[Prompt] = [
    "say a",
    [{"role": "user", "content": "say abcdef"}],
    "abc",
    [{"role": "user", "content": "b"}],
] * 4
SEEDS = list(range(100, 116))


def sampler(tiny: tuple[Any, Any], **settings: Any) -> TransformersSampler:
    return TransformersSampler(*tiny, **{"max_new_tokens": 12, **settings})


def test_a_row_is_the_same_alone_in_a_batch_and_in_any_order(tiny: tuple[Any, Any]) -> None:
    whole = sampler(tiny).sample(PROMPTS, SEEDS)
    alone = [sampler(tiny).sample([prompt], [seed])[0] for prompt, seed in zip(PROMPTS, SEEDS, strict=True)]
    turned = sampler(tiny).sample(PROMPTS[::-1], SEEDS[::-1])[::-1]
    assert whole == alone == turned
    assert len({completion.text for completion in whole}) > 8


def test_other_seeds_give_other_completions(tiny: tuple[Any, Any]) -> None:
    first = sampler(tiny).sample(PROMPTS, SEEDS)
    second = sampler(tiny).sample(PROMPTS, [seed + 1000 for seed in SEEDS])
    assert sum(a.text != b.text for a, b in zip(first, second, strict=True)) > 8


def test_no_global_generator_is_touched(tiny: tuple[Any, Any]) -> None:
    import torch

    before = torch.get_rng_state()
    sampler(tiny).sample(PROMPTS, SEEDS)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.7, 1.0), (1.0, 0.6)])
def test_the_first_token_is_drawn_from_the_models_distribution(
    tiny: tuple[Any, Any], temperature: float, top_p: float
) -> None:
    import torch

    model, tokenizer = tiny
    ids = torch.tensor([tokenizer("say a")["input_ids"]])
    with torch.inference_mode():
        weights = torch.softmax(model(ids).logits[0, -1].double() / temperature, -1)
    ranked = weights.sort(descending=True)
    kept = ranked.values.cumsum(0) - ranked.values < top_p
    want = torch.zeros_like(weights).scatter(0, ranked.indices, ranked.values * kept)
    want /= want.sum()
    draws = 6000
    found = sampler(tiny, temperature=temperature, top_p=top_p, max_new_tokens=1).sample(
        ["say a"] * draws, range(draws)
    )
    counts = np.zeros(len(want))
    for completion in found:
        token = tokenizer(completion.text)["input_ids"] if completion.tokens else [tokenizer.eos_token_id]
        # special tokens other than the end are left out of the text
        counts[token[0] if token else 0] += 1
    visible = np.array([index > 2 or index == tokenizer.eos_token_id for index in range(len(want))])
    expected = want.numpy() * draws
    assert counts[visible & (expected == 0)].sum() == 0
    error = (counts - expected)[visible] / np.sqrt(np.maximum(expected[visible], 1.0))
    assert np.abs(error).max() < 4.5


def test_greedy_is_generates_greedy(tiny: tuple[Any, Any]) -> None:
    import torch

    model, tokenizer = tiny
    ids = torch.tensor([tokenizer("say abc")["input_ids"]])
    out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12)
    want = tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
    found = sampler(tiny, temperature=0.0).sample(["say abc"] * 2, [1, 2])
    assert found[0].text == found[1].text == want


def test_length_and_truncation_are_told(tiny: tuple[Any, Any]) -> None:
    found = sampler(tiny, max_new_tokens=40).sample(PROMPTS, SEEDS)
    assert {completion.truncated for completion in found} == {True, False}
    assert all((completion.tokens == 40) is completion.truncated for completion in found)


def test_a_folder_gives_what_the_loaded_model_gives(tiny: tuple[Any, Any], tiny_folder: Path) -> None:
    loaded = TransformersSampler(str(tiny_folder), max_new_tokens=12, device="cpu")
    assert loaded.sample(PROMPTS, SEEDS) == sampler(tiny).sample(PROMPTS, SEEDS)
    assert loaded.settings["weights"] == sampler(tiny).settings["weights"]
    assert loaded.settings["model"] == str(tiny_folder)


def test_a_changed_weight_changes_the_settings(tiny: tuple[Any, Any]) -> None:
    from copy import deepcopy

    other = deepcopy(tiny[0])
    assert weights_fingerprint(other) == weights_fingerprint(tiny[0])
    other.model.layers[1].mlp.up_proj.weight.data.mul_(1.001)
    assert weights_fingerprint(other) != weights_fingerprint(tiny[0])


def test_a_model_in_training_stays_in_training(tiny: tuple[Any, Any]) -> None:
    model = tiny[0]
    model.train()
    try:
        sampler(tiny).sample(PROMPTS[:1], SEEDS[:1])
        assert model.training
    finally:
        model.eval()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": -0.1}, "the temperature is -0.1; expected 0 (greedy) or more"),
        ({"top_p": 0.0}, "top_p is 0.0; expected a share in (0, 1]"),
        ({"max_new_tokens": 0}, "max_new_tokens is 0; expected a whole number of at least 1"),
        ({"batch_size": 0}, "batch_size is 0; expected a whole number of at least 1"),
    ],
)
def test_settings_out_of_range_are_refused(tiny: tuple[Any, Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        sampler(tiny, **settings)
    assert message in str(caught.value)


def test_the_models_own_sampling_defaults_have_no_say(tiny: tuple[Any, Any]) -> None:
    want = sampler(tiny).sample(PROMPTS, SEEDS)
    own = tiny[0].generation_config
    own.repetition_penalty, own.top_k, own.temperature = 5.0, 1, 0.1
    try:
        assert sampler(tiny).sample(PROMPTS, SEEDS) == want
        assert tiny[0].generation_config is own
    finally:
        own.repetition_penalty = own.top_k = own.temperature = None


def test_too_little_memory_is_one_clear_error(tiny: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def full(**arguments: Any) -> None:
        raise torch.OutOfMemoryError("no memory")

    monkeypatch.setattr(tiny[0], "generate", full)
    with pytest.raises(InputError, match="16 rows at once do not fit into memory; lower the batch size from 256"):
        sampler(tiny).sample(PROMPTS, SEEDS)
    assert not tiny[0].training


def test_a_loaded_model_needs_its_tokenizer(tiny: tuple[Any, Any]) -> None:
    with pytest.raises(InputError, match="a loaded model needs its tokenizer"):
        TransformersSampler(tiny[0])


def test_a_folder_that_holds_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        TransformersSampler(tmp_path)
    assert f"the model {str(tmp_path)!r} could not be loaded" in str(caught.value)
    assert "config.json, weights and a tokenizer" in str(caught.value)


def test_messages_need_a_chat_template(tiny: tuple[Any, Any]) -> None:
    from copy import deepcopy

    bare = deepcopy(tiny[1])
    bare.chat_template = None
    with pytest.raises(InputError, match="the prompt is chat messages and the tokenizer"):
        TransformersSampler(tiny[0], bare).sample(PROMPTS, SEEDS)


def test_a_tokenizer_without_padding_pads_with_its_end_and_without_both_is_refused(tiny: tuple[Any, Any]) -> None:
    from copy import deepcopy

    bare = deepcopy(tiny[1])
    bare.pad_token = None
    found = TransformersSampler(tiny[0], bare, max_new_tokens=12).sample(PROMPTS, SEEDS)
    assert found == sampler(tiny).sample(PROMPTS, SEEDS)
    bare.eos_token = None
    with pytest.raises(InputError, match="neither a padding nor an end token"):
        TransformersSampler(tiny[0], bare)


def test_without_torch_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra) as caught:
        TransformersSampler("anything")
    assert "pip install 'assay[trl]'" in str(caught.value)
