"""Sample in this process with vLLM.

Written against the public interface of vLLM 0.33.0 (``LLM.chat``, ``LLM.generate``, ``SamplingParams``,
``RequestOutput``), as read in its source; ``tests/evaluation/test_vllm_sampler.py`` holds it to that.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...environments.base import Prompt
from ...errors import InputError, MissingExtra
from .base import Completion
from .settings import check_settings, template_digest

_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.gguf")
_BLOCK, _BLOCKS = 4096, 64


class VLLMSampler:
    """Samples with vLLM: prompts that are messages by ``LLM.chat``, texts by ``LLM.generate``.

    Every (task, sample) is a request of its own, with n = 1 and its own seed. One request with n = 16 would give the
    sixteen samples seeds that follow one another, and a resumed run could not ask for those that are missing; that the
    prompt comes sixteen times costs little, since vLLM keeps what it computed of a prefix.

    A completion follows from its prompt and its seed as far as the logits do: vLLM's kernels round differently in
    batches of different sizes unless it is told otherwise (``VLLM_BATCH_INVARIANT=1`` where the GPU allows it).

    Args:
        model: A folder, a hub name, or a loaded ``vllm.LLM``.
        temperature: 0 is greedy: every sample of a task is then the same.
        top_p: Share of probability that is kept, in (0, 1].
        max_new_tokens: Where completions are cut.
        batch_size: Requests handed over at once; vLLM schedules them itself.
        seed: Of the whole run.
        engine: Further arguments of ``vllm.LLM``, such as ``{"max_model_len": 4096, "tensor_parallel_size": 2}``.

    Raises:
        MissingExtra: vLLM is not installed.
        InputError: The model cannot be loaded, or a setting is out of range.
    """

    def __init__(
        self,
        model: Any,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 512,
        batch_size: int = 1024,
        seed: int = 0,
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        check_settings(temperature=temperature, top_p=top_p, max_new_tokens=max_new_tokens, batch_size=batch_size)
        self._package = _vllm()
        self.name, self._model = _load(self._package, model, dict(engine or {}))
        self.temperature = temperature
        self.top_p = top_p
        self.max_new_tokens = max_new_tokens
        self.batch_size = batch_size
        self.seed = seed
        self._weights = folder_fingerprint(self.name)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model, weights, chat template and sampling parameters."""
        return {
            "kind": "vllm",
            "model": self.name,
            "weights": self._weights,
            "dtype": str(self._model.llm_engine.model_config.dtype).removeprefix("torch."),
            "chat_template": template_digest(self._model.get_tokenizer()),
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_new_tokens": self.max_new_tokens,
            "seed": self.seed,
        }

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt.

        Raises:
            InputError: vLLM refuses a prompt: it is too long, or is messages and the model has no chat template.
        """
        found: dict[int, Completion] = {}
        for chat in (True, False):
            rows = [row for row, prompt in enumerate(prompts) if isinstance(prompt, str) != chat]
            if not rows:
                continue
            wanted = [prompts[row] if isinstance(prompts[row], str) else _messages(prompts[row]) for row in rows]
            complete = self._model.chat if chat else self._model.generate
            try:
                outputs = complete(wanted, [self._parameters(seeds[row]) for row in rows], use_tqdm=False)
            except ValueError as error:
                raise InputError(
                    f"vLLM refuses one of {len(rows)} prompts for {self.name!r}: {error}. Prompt and "
                    f"max_new_tokens={self.max_new_tokens} must fit into max_model_len, and chat needs a chat template"
                ) from error
            found.update(zip(rows, map(_completion, outputs), strict=True))
        return [found[row] for row in range(len(prompts))]

    def _parameters(self, seed: int) -> Any:
        """Given explicitly, so that vLLM does not sample by the defaults that a model ships with."""
        chosen = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_new_tokens}
        return self._package.SamplingParams(n=1, seed=seed, logprobs=None, **chosen)


def folder_fingerprint(model: str) -> str | None:
    """Sixteen hexadecimal digits that change when the weights in a folder do; None for what is no folder.

    Names, sizes and up to 64 evenly spaced blocks of every file of weights: cheap for any size of model.
    """
    if not Path(model).is_dir():
        return None
    digest = sha256()
    for file in sorted(file for pattern in _WEIGHTS for file in Path(model).glob(pattern)):
        size = file.stat().st_size
        digest.update(f"{file.name} {size}".encode())
        with file.open("rb") as opened:
            for place in range(0, size, max(_BLOCK, size // _BLOCKS)):
                opened.seek(place)
                digest.update(opened.read(_BLOCK))
    return digest.hexdigest()[:16]


def _messages(prompt: Prompt) -> list[dict[str, str]]:
    return [dict(message) for message in prompt if not isinstance(message, str)]


def _completion(output: Any) -> Completion:
    """What a request gave; one that vLLM gave up is a failure of ours."""
    found = output.outputs[0]
    tokens = len(found.token_ids)
    if found.finish_reason not in ("stop", "length"):
        return Completion("", failure=f"vLLM ended the request with {found.finish_reason!r} after {tokens} tokens")
    return Completion(found.text, tokens=tokens, truncated=found.finish_reason == "length")


def _load(package: Any, model: Any, engine: dict[str, Any]) -> tuple[str, Any]:
    if not isinstance(model, str | os.PathLike):
        if engine:
            raise InputError(f"the model is loaded already and takes no {', '.join(engine)}")
        return str(model.llm_engine.model_config.model), model
    name = os.fspath(model)
    try:
        return name, package.LLM(name, **engine)
    except Exception as error:
        given = f" with {engine}" if engine else ""
        raise InputError(
            f"vLLM could not load {name!r}{given}: {type(error).__name__}: {error}. It needs a folder or hub name of a "
            "causal language model and, for most builds, a GPU with room for it"
        ) from error


def _vllm() -> Any:
    try:
        return importlib.import_module("vllm")
    except ImportError as error:
        raise MissingExtra("vllm", "vllm") from error
