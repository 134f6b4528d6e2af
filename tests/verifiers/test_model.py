"""A learned reward: a tiny real classifier behind the verifier's API."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers import RewardModel, TextVerifier, Weighted

WORDS = ["good", "bad", "fine", "poor", "tea", "is", "very"]
TEMPLATE = "{% for m in messages %}{{ m['role'] + ' ' + m['content'] + ' ' }}{% endfor %}"


def build(folder: Path, *, labels: int = 1, template: str | None = None) -> str:
    """Save a classifier of random weights over a handful of words, and its tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForSequenceClassification, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    torch.manual_seed(3)
    vocabulary = {word: index for index, word in enumerate(["<pad>", "<unk>", *WORDS, "user", "assistant"])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<pad>", unk_token="<unk>")  # type: ignore[no-untyped-call]
    tokenizer.chat_template = template
    configuration = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_labels=labels,  # type: ignore[call-arg]
        pad_token_id=None,
    )
    LlamaForSequenceClassification(configuration).save_pretrained(folder)  # type: ignore[no-untyped-call]
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build(tmp_path_factory.mktemp("reward"))


TEXTS = ["tea is good", "tea is very bad", "poor", "tea is very very very fine", "", "unknown words only"]


def scores(model: RewardModel, texts: list[str], **columns: list[Any]) -> list[float]:
    results = model.verify(texts, [None] * len(texts), **columns)
    assert [result.verdict for result in results] == [Verdict.SHAPING] * len(texts), results
    return [result.score or 0.0 for result in results]


def test_a_score_is_the_sigmoid_of_the_logit_and_says_nothing_of_right_or_wrong(folder: str) -> None:
    result = RewardModel(folder, offset=0.1, scale=0.5).verify(["tea is good"], [None])[0]
    assert result.is_correct is None
    assert result.score == pytest.approx(1 / (1 + math.exp(-(result.details["logit"] - 0.1) / 0.5)))


def test_scores_do_not_depend_on_the_batch(folder: str) -> None:
    alone = [scores(RewardModel(folder), [text])[0] for text in TEXTS]
    for size in (1, 2, 16):
        model = RewardModel(folder, batch_size=size)
        assert scores(model, TEXTS) == pytest.approx(alone, abs=1e-5)
        assert scores(model, TEXTS[::-1]) == pytest.approx(alone[::-1], abs=1e-5)


def test_the_prompt_is_read_where_there_is_one(folder: str) -> None:
    model = RewardModel(folder)
    assert model.render("good", "tea is") == "tea is\ngood"
    assert model.render("good") == "good"
    plain = scores(model, ["good"])
    assert scores(model, ["good"], prompts=["tea is very"]) != plain
    messages = [{"role": "user", "content": "tea is very"}]
    assert scores(model, ["good"], prompt=[messages]) == scores(model, ["good"], prompts=["tea is very"])


def test_a_chat_template_renders_the_conversation(tmp_path: Path) -> None:
    model = RewardModel(build(tmp_path, template=TEMPLATE))
    assert model.render("good", "tea is") == "user tea is assistant good "
    messages = [{"role": "user", "content": "tea is"}]
    assert model.render("good", messages) == "user tea is assistant good "


def test_long_text_is_cut_at_its_start(folder: str) -> None:
    model = RewardModel(folder, max_length=3)
    assert scores(model, ["bad " * 50 + "tea is good"]) == pytest.approx(scores(model, ["tea is good"]), abs=1e-6)


def test_calibration_puts_the_sample_over_the_range(folder: str) -> None:
    texts = [f"{a} {b} {c}" for a in WORDS for b in WORDS for c in WORDS]
    model = RewardModel(folder).calibrate(texts)
    found = sorted(scores(model, texts))
    assert found[len(found) // 2] == pytest.approx(0.5, abs=0.02)
    low, high = found[round(0.05 * (len(found) - 1))], found[round(0.95 * (len(found) - 1))]
    assert math.log(high / (1 - high)) - math.log(low / (1 - low)) == pytest.approx(2 * math.log(19), rel=0.05)
    raw = scores(RewardModel(folder), texts)
    order = sorted(range(len(texts)), key=raw.__getitem__)
    assert [model.verify([texts[i]], [None])[0].score for i in order[:3]] == sorted(
        model.verify([texts[i]], [None])[0].score or 0.0 for i in order[:3]
    )


def test_calibration_of_nothing_is_refused(folder: str) -> None:
    with pytest.raises(InputError, match="calibrate got 1 texts"):
        RewardModel(folder).calibrate(["tea"])
    with pytest.raises(InputError, match="different finite logits"):
        RewardModel(folder).calibrate(["tea", "tea"])


def test_several_labels_give_the_probability_of_one(tmp_path: Path) -> None:
    path = build(tmp_path, labels=3)
    parts = [scores(RewardModel(path, label=label), ["tea is good"])[0] for label in range(3)]
    assert sum(parts) == pytest.approx(1.0)
    result = RewardModel(path, label=3).verify(["tea"], [None])[0]
    assert (result.verdict, result.reason) == (Verdict.ERROR, "label is 3, and the model has 3 labels")


def test_outputs_that_are_no_numbers_are_our_failure(folder: str) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    loaded = AutoModelForSequenceClassification.from_pretrained(folder)
    with torch.no_grad():
        loaded.score.weight.fill_(float("nan"))
    model = RewardModel(loaded, AutoTokenizer.from_pretrained(folder))
    result = model.verify(["tea"], [None])[0]
    assert result.verdict is Verdict.ERROR
    assert "expected finite numbers" in result.reason


@pytest.mark.parametrize("text", ["\ud800", "\x00", "<pad>" * 50, "tea " * 5000, " "])
def test_hostile_text_is_scored(folder: str, text: str) -> None:
    assert 0.0 <= scores(RewardModel(folder, max_length=64), [text])[0] <= 1.0


def test_it_survives_pickling_and_works_from_threads(folder: str) -> None:
    model = RewardModel(folder)
    wanted = scores(model, TEXTS)
    assert scores(pickle.loads(pickle.dumps(model)), TEXTS) == pytest.approx(wanted, abs=1e-6)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: scores(model, TEXTS), range(8)):
            assert found == pytest.approx(wanted, abs=1e-6)
    assert model.verify([], []) == []


def test_behind_a_rule_it_moves_the_score_and_not_correctness(folder: str) -> None:
    both = Weighted({"text": (TextVerifier(), 0.8), "learned": (RewardModel(folder), 0.2)})
    right, wrong = both.verify(["good", "bad"], ["good", "good"])
    assert (right.is_correct, wrong.is_correct) == (True, False)
    assert 0.8 < (right.score or 0) < 1.0
    assert 0.0 < (wrong.score or 0) < 0.2


def test_a_model_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    result = RewardModel(str(tmp_path / "nowhere")).verify(["x"], [None])[0]
    assert result.verdict is Verdict.ERROR
    assert result.score is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"batch_size": 0}, "batch_size is 0"),
        ({"max_length": 1}, "max_length 1; expected at least 1 and at least 2"),
        ({"scale": 0.0}, "scale 0.0; expected a finite and a positive number"),
        ({"offset": math.nan}, "offset is nan"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        RewardModel("x", **options)
    with pytest.raises(InputError, match="without a tokenizer"):
        RewardModel(object())


def test_shaping_results_keep_the_bounds_of_scores() -> None:
    assert Result.shaping(0.0).score == 0.0
    assert replace(Result.shaping(1.0), seconds=0.0).is_correct is None
    with pytest.raises(InputError, match=r"score is 1\.5"):
        Result.shaping(1.5)
