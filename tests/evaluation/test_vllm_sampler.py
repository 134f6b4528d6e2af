"""``VLLMSampler`` against the interface of vLLM 0.33.0, as its source has it, with a tiny real model behind it.

vLLM itself needs gigabytes and, in its usual builds, a GPU: neither is asked for here. The stand-in below takes exactly
the arguments of ``vllm/entrypoints/llm.py`` (lines 177, 417 and 616) and ``vllm/sampling_params.py`` (line 271) that
are used, by the same names and kinds, and gives what ``vllm/outputs.py`` describes. Where vLLM is installed, the last
test compares the two.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from assay.cli import main
from assay.errors import InputError, MissingExtra
from assay.evaluation import Sampler, evaluate
from assay.evaluation.samplers.transformers import TransformersSampler
from assay.evaluation.samplers.vllm import VLLMSampler, folder_fingerprint

INSTALLED = importlib.util.find_spec("vllm") is not None


@dataclass
class SamplingParams:
    n: int = 1
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    max_tokens: int | None = 16
    logprobs: int | None = None

    def __post_init__(self) -> None:
        assert (self.n, self.logprobs) == (1, None)
        assert isinstance(self.seed, int)
        assert 0 <= self.seed < 2**63


@dataclass
class CompletionOutput:
    index: int
    text: str
    token_ids: Sequence[int]
    cumulative_logprob: float | None
    logprobs: Any
    finish_reason: str | None = None


@dataclass
class RequestOutput:
    request_id: str
    prompt: str | None
    outputs: list[CompletionOutput] = field(default_factory=list)
    finished: bool = True


class LLM:
    """A tiny model that honours the seed of each request, and gives up on requests that it is told to."""

    given_up: frozenset[int] = frozenset()

    def __init__(
        self,
        model: str,
        *,
        tokenizer: str | None = None,
        tensor_parallel_size: int = 1,
        dtype: str = "auto",
        seed: int = 0,
        gpu_memory_utilization: float = 0.92,
        **kwargs: Any,
    ) -> None:
        if not Path(model, "config.json").is_file():
            raise OSError(f"{model} is not a local folder and is not a valid model identifier")
        if unknown := set(kwargs) - {"max_model_len"}:
            raise TypeError(f"EngineArgs.__init__() got an unexpected keyword argument {unknown.pop()!r}")
        self._inner = TransformersSampler(model, device="cpu")
        self._most = kwargs.get("max_model_len", 256)
        self.calls: list[tuple[str, int]] = []
        config = SimpleNamespace(model=model, dtype="torch.float32")
        self.llm_engine = SimpleNamespace(model_config=config)

    def get_tokenizer(self) -> Any:
        return self._inner._tokenizer

    def generate(
        self,
        prompts: Any,
        sampling_params: Any = None,
        *,
        use_tqdm: Any = True,
        lora_request: Any = None,
        priority: Any = None,
    ) -> list[RequestOutput]:
        self.calls.append(("generate", len(prompts)))
        assert all(isinstance(prompt, str) for prompt in prompts)
        return [self._one(*pair) for pair in zip(prompts, sampling_params, strict=True)]

    def chat(
        self,
        messages: Any,
        sampling_params: Any = None,
        use_tqdm: Any = True,
        lora_request: Any = None,
        priority: Any = None,
        chat_template: str | None = None,
        chat_template_content_format: str = "auto",
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
    ) -> list[RequestOutput]:
        self.calls.append(("chat", len(messages)))
        assert all(set(message) == {"role", "content"} for row in messages for message in row)
        return [self._one(*pair) for pair in zip(messages, sampling_params, strict=True)]

    def _one(self, prompt: Any, params: SamplingParams) -> RequestOutput:
        length = len(self._inner._tokens(prompt))
        if length > self._most:
            raise ValueError(f"The decoder prompt (length {length}) is longer than the maximum model length")
        assert params.seed is not None
        if params.seed % 5 in self.given_up:
            return RequestOutput("0", None, [CompletionOutput(0, "", [7, 7], None, None, "abort")])
        inner = self._inner
        inner.temperature, inner.top_p, inner.max_new_tokens = params.temperature, params.top_p, params.max_tokens or 16
        [found] = inner.sample([prompt], [params.seed])
        reason = "length" if found.truncated else "stop"
        return RequestOutput(
            "0", None, [CompletionOutput(0, found.text, [1] * (found.tokens or 0), None, None, reason)]
        )


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("vllm")
    vars(module).update(LLM=LLM, SamplingParams=SamplingParams)
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setattr(LLM, "given_up", frozenset())
    return module


@pytest.mark.parametrize("messages", [True, False])
def test_it_gives_what_the_same_seeds_give_in_transformers(
    vllm: ModuleType, tiny_folder: Path, signs: Any, tmp_path: Path, messages: bool
) -> None:
    signs.messages = messages
    options: dict[str, Any] = {"max_new_tokens": 6, "temperature": 0.8, "top_p": 0.9, "seed": 3}
    ours = VLLMSampler(tiny_folder, batch_size=20, **options)
    assert isinstance(ours, Sampler)
    reports = [
        evaluate(signs, sampler, samples=3, limit=8, folder=tmp_path / sampler.settings["kind"], progress=False)
        for sampler in (ours, TransformersSampler(tiny_folder, device="cpu", **options))
    ]
    assert reports[0].outcomes == reports[1].outcomes
    rows = [sorted((tmp_path / kind / "samples.jsonl").read_text().splitlines()) for kind in ("vllm", "transformers")]
    assert rows[0] == rows[1]
    assert [name for name, _ in ours._model.calls] == ["chat" if messages else "generate"] * 2


def test_an_interrupted_run_resumes_to_the_same_samples(
    vllm: ModuleType, tiny_folder: Path, signs: Any, tmp_path: Path
) -> None:
    whole = VLLMSampler(tiny_folder, max_new_tokens=6, batch_size=7)
    evaluate(signs, whole, samples=4, limit=6, folder=tmp_path / "whole", progress=False)
    text = (tmp_path / "whole/samples.jsonl").read_text()
    part = tmp_path / "part"
    evaluate(signs, VLLMSampler(tiny_folder, max_new_tokens=6), samples=4, limit=6, folder=part, progress=False)
    (part / "samples.jsonl").write_text("\n".join(text.splitlines()[:10]) + "\n")
    again = VLLMSampler(tiny_folder, max_new_tokens=6, batch_size=7)
    evaluate(signs, again, samples=4, limit=6, folder=part, progress=False)
    assert sorted((part / "samples.jsonl").read_text().splitlines()) == sorted(text.splitlines())
    assert sum(count for _, count in again._model.calls) == 17  # ten of 24 are there; their last batch is formed again


def test_a_request_that_vllm_gives_up_is_a_failure_and_tried_again(
    vllm: ModuleType, tiny_folder: Path, signs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = VLLMSampler(tiny_folder, max_new_tokens=6)
    monkeypatch.setattr(LLM, "given_up", frozenset({0, 1}))
    report = evaluate(signs, sampler, samples=4, limit=6, folder=tmp_path, progress=False)
    failures = sum(item.failures for item in report.outcomes)
    assert failures > 1
    assert any("vLLM ended the request with 'abort' after 2 tokens" in note for note in report.notes)
    monkeypatch.setattr(LLM, "given_up", frozenset())
    assert not any(item.failures for item in evaluate(
        signs, sampler, samples=4, limit=6, folder=tmp_path, progress=False).outcomes)  # fmt: skip


def test_mixed_prompts_come_back_in_their_order(vllm: ModuleType, tiny_folder: Path) -> None:
    sampler = VLLMSampler(tiny_folder, max_new_tokens=8)
    prompts: list[Any] = ["ab", [{"role": "user", "content": "cd"}], "ef", [{"role": "user", "content": "gh"}]]
    together = sampler.sample(prompts, [1, 2, 3, 4])
    assert together == [sampler.sample([prompt], [seed])[0] for prompt, seed in zip(prompts, [1, 2, 3, 4], strict=True)]
    assert len({completion.text for completion in together}) == 4


def test_what_cannot_be_sampled_is_said_in_words(vllm: ModuleType, tiny_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"vLLM could not load '/nowhere': OSError: /nowhere is not a local folder"):
        VLLMSampler("/nowhere")
    with pytest.raises(InputError, match=r"with {'max_len': 9}: TypeError: EngineArgs.* 'max_len'.* a GPU with room"):
        VLLMSampler(tiny_folder, engine={"max_len": 9})
    with pytest.raises(
        InputError, match=r"refuses one of 1 prompts .* is longer than .*\. Prompt and max_new_tokens=512"
    ):
        VLLMSampler(tiny_folder, engine={"max_model_len": 3}).sample(["abcdef"], [0])
    with pytest.raises(InputError, match=r"the temperature is -1; expected 0"):
        VLLMSampler(tiny_folder, temperature=-1)
    with pytest.raises(InputError, match="the model is loaded already and takes no max_model_len"):
        VLLMSampler(LLM(str(tiny_folder)), engine={"max_model_len": 3})


def test_a_loaded_engine_is_taken_and_other_weights_are_other_settings(
    vllm: ModuleType, tiny_folder: Path, tmp_path: Path
) -> None:
    settings = VLLMSampler(LLM(str(tiny_folder))).settings
    assert settings == VLLMSampler(tiny_folder).settings
    assert settings["weights"] == folder_fingerprint(str(tiny_folder))
    copy = tmp_path / "model.safetensors"
    content = bytearray((tiny_folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    copy.write_bytes(content)
    assert folder_fingerprint(str(tmp_path)) != settings["weights"]
    assert folder_fingerprint("owner/name") is None


def test_without_vllm_the_pip_line_is_named(monkeypatch: pytest.MonkeyPatch, tiny_folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtra, match=r"'vllm' is not installed\. Install it with: pip install 'assay\[vllm\]'"):
        VLLMSampler(tiny_folder)


def test_the_command_line_samples_with_it_and_refuses_what_does_not_fit(
    vllm: ModuleType, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    environment = f"{Path(__file__).parent / 'conftest.py'}:Signs"

    def run(*arguments: str) -> tuple[Any, str]:
        command = ["assay", "evaluate", "--model", str(tiny_folder), "--env", environment, "--samples", "2"]
        monkeypatch.setattr(sys, "argv", [*command, "--output", str(tmp_path / "run"), *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        return caught.value.code or 0, capsys.readouterr().err

    code, said = run("--backend", "vllm", "--engine", "max_model_len=200", "--limit", "3", "--max-new-tokens", "4")
    assert code == 0, said
    assert len((tmp_path / "run/samples.jsonl").read_text().splitlines()) == 6
    assert "--engine is for vLLM in this process" in run("--engine", "a=1")[1]
    assert "--device is for transformers; vLLM has its own way" in run("--backend", "vllm", "--device", "cpu")[1]
    assert "--device is for transformers; a server has its own way" in run("--server", "http://x", "--device", "cpu")[1]
    assert "--engine 'a' is not of the form NAME=VALUE" in run("--backend", "vllm", "--engine", "a")[1]


@pytest.mark.skipif(not INSTALLED, reason="vLLM is not installed: its interface was read in the source of 0.33.0")
def test_the_installed_vllm_has_the_interface_of_the_stand_in() -> None:
    real = __import__("vllm")
    for name in ("__init__", "generate", "chat"):
        ours = inspect.signature(getattr(LLM, name)).parameters
        theirs = inspect.signature(getattr(real.LLM, name)).parameters
        used = [name for name in ours if ours[name].kind is not inspect.Parameter.VAR_KEYWORD]
        assert all(theirs[name].kind is ours[name].kind for name in used)
    params = real.SamplingParams(n=1, temperature=0.5, top_p=0.9, max_tokens=3, seed=2**62, logprobs=None)
    assert (params.seed, params.max_tokens) == (2**62, 3)
