"""Sample in this process with a Hugging Face transformers model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ...environments.base import Prompt
from ...errors import InputError
from .base import Completion
from .loading import load
from .settings import check_settings, template_digest

if TYPE_CHECKING:
    import torch


class TransformersSampler:
    """Samples by ``generate``: batched, left-padded, with the chat template for prompts that are messages.

    The random numbers of a row depend on its seed alone: each row has its own stream of uniform numbers, one for each
    token, and the token is drawn by inversion. So how the work is cut into batches changes nothing but the rounding of
    the logits, which on rare occasions tips a token: float32 on one CPU thread repeats exactly for equal batches, and
    a resumed evaluation forms the same batches again (docs/decisions/0041-a-random-stream-per-row.md).

    Args:
        model: A folder, a hub name, or a loaded causal language model.
        tokenizer: The tokenizer of a loaded model; None loads the one beside ``model``.
        temperature: 0 is greedy: every sample of a task is then the same.
        top_p: Share of probability that is kept, in (0, 1].
        max_new_tokens: Where completions are cut.
        batch_size: Rows per call of ``generate``.
        seed: Of the whole run.
        device: "cpu", "cuda", ...; None takes a GPU where there is one, and leaves a loaded model where it is.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: The model cannot be loaded, or a setting is out of range.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any = None,
        *,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 512,
        batch_size: int = 256,
        seed: int = 0,
        device: str | None = None,
    ) -> None:
        check_settings(temperature=temperature, top_p=top_p, max_new_tokens=max_new_tokens, batch_size=batch_size)
        self.name = os.fspath(model) if isinstance(model, str | os.PathLike) else _name_of(model)
        self._model, self._tokenizer = load(model, tokenizer, device)
        self._pad = _padding(self._tokenizer)
        self.temperature = temperature
        self.top_p = top_p
        self.max_new_tokens = max_new_tokens
        self.batch_size = batch_size
        self.seed = seed

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model, weights, chat template and sampling parameters."""
        return {
            "kind": "transformers",
            "model": self.name,
            "weights": weights_fingerprint(self._model),
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "chat_template": template_digest(self._tokenizer),
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_new_tokens": self.max_new_tokens,
            "seed": self.seed,
        }

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt.

        Raises:
            InputError: A prompt is messages and the tokenizer has no chat template.
        """
        import torch

        inputs = self._encode(prompts)
        streams = torch.from_numpy(_streams(seeds, self.max_new_tokens)).to(self._model.device)
        width = inputs["input_ids"].shape[1]
        draw = _inversion(streams, width, self.temperature, self.top_p)
        # generate() fills what we leave unset from the model's own defaults, a repetition penalty for instance: what is
        # evaluated here is the model's distribution under temperature and top_p, and nothing else.
        config = self._generation_config()
        was_training, own = self._model.training, self._model.generation_config
        self._model.eval()
        self._model.generation_config = config
        try:
            with torch.inference_mode():
                rows = self._model.generate(**inputs, generation_config=config, logits_processor=[draw])
        except torch.OutOfMemoryError as error:
            raise InputError(
                f"{len(prompts)} rows at once do not fit into memory; lower the batch size from {self.batch_size} "
                "and run again: what was sampled is kept"
            ) from error
        finally:
            self._model.generation_config = own
            self._model.train(was_training)
        return [self._completion(row[width:].tolist()) for row in rows.cpu()]

    def _encode(self, prompts: Sequence[Prompt]) -> Any:
        """Token ids of the prompts, padded on the left whatever the tokenizer would do."""
        import torch

        distinct = {repr(prompt): prompt for prompt in prompts}
        encoded = {key: self._tokens(prompt) for key, prompt in distinct.items()}
        rows = [encoded[repr(prompt)] for prompt in prompts]
        width = max(len(row) for row in rows)
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and width + self.max_new_tokens > context:
            raise InputError(
                f"a prompt of {width} tokens and max_new_tokens={self.max_new_tokens} do not fit into the {context} "
                f"positions of {self.name!r}; lower max_new_tokens or leave such tasks out"
            )
        ids = [[self._pad] * (width - len(row)) + row for row in rows]
        mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
        device = self._model.device
        return {"input_ids": torch.tensor(ids, device=device), "attention_mask": torch.tensor(mask, device=device)}

    def _tokens(self, prompt: Prompt) -> list[int]:
        if isinstance(prompt, str):
            return list(self._tokenizer(prompt)["input_ids"])
        if not getattr(self._tokenizer, "chat_template", None):
            raise InputError(
                f"the prompt is chat messages and the tokenizer of {self.name!r} has no chat template; give it one "
                "(tokenizer.chat_template = ...) or use an environment whose prompts are text"
            )
        text = self._tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _ends(self) -> list[int]:
        """The tokens that end a completion."""
        ends = self._model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        own = self._tokenizer.eos_token_id
        return sorted({end for end in [*ends, own] if end is not None})

    def _generation_config(self) -> Any:
        """Greedy over what ``_inversion`` leaves: exactly one token."""
        from transformers import GenerationConfig

        return GenerationConfig(  # type: ignore[no-untyped-call]
            do_sample=False,
            max_new_tokens=self.max_new_tokens,
            eos_token_id=self._ends(),
            pad_token_id=self._pad,
            bos_token_id=self._tokenizer.bos_token_id,
        )

    def _completion(self, tokens: list[int]) -> Completion:
        ends = set(self._ends())
        length = next((index for index, token in enumerate(tokens) if token in ends), None)
        kept = tokens if length is None else tokens[:length]
        text = self._tokenizer.decode(kept, skip_special_tokens=True)
        return Completion(text, tokens=len(kept), truncated=length is None)


def weights_fingerprint(model: Any) -> str:
    """Sixteen hexadecimal digits that change when training changes the weights.

    Shapes, names and up to 256 evenly spaced values of every parameter: cheap for any size of model.
    """
    digest = sha256()
    for name, parameter in model.named_parameters():
        flat = parameter.detach().reshape(-1)
        digest.update(f"{name}{tuple(parameter.shape)}".encode())
        digest.update(flat[:: max(1, flat.numel() // 256)].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def _inversion(streams: torch.Tensor, width: int, temperature: float, top_p: float) -> Any:
    """A logits processor that draws one token per row by inversion and leaves no other possible."""
    import torch

    def draw(ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        if temperature == 0.0:
            return logits
        weights = torch.softmax(logits.float() / temperature, dim=-1)
        order = None
        if top_p < 1.0:
            weights, order = weights.sort(dim=-1, descending=True, stable=True)
            before = weights.cumsum(-1) - weights
            weights = weights.masked_fill(before >= top_p, 0.0)
        mass = weights.cumsum(-1, dtype=torch.float64)
        target = streams[:, ids.shape[1] - width, None] * mass[:, -1:]
        # right=True never lands on a token of weight zero: the first whose mass exceeds the target
        chosen = torch.searchsorted(mass, target, right=True).clamp_(max=mass.shape[1] - 1)
        chosen = chosen if order is None else order.gather(-1, chosen)
        return torch.full_like(logits, -torch.inf).scatter_(-1, chosen, 0.0)

    return draw


def _streams(seeds: Sequence[int], length: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Uniform numbers in [0, 1), shape (rows, length): row i depends on seed i alone."""
    rows = [np.random.Generator(np.random.Philox(key=seed)).random(length) for seed in seeds]
    return np.stack(rows)


def _padding(tokenizer: Any) -> int:
    """The padding token; the end token pads where none is set."""
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise InputError("the tokenizer has neither a padding nor an end token; set tokenizer.pad_token")


def _name_of(model: Any) -> str:
    return str(getattr(model.config, "_name_or_path", "") or type(model).__name__)
