"""``RewardModel``: a learned reward, for shaping, behind the same API as the verifiers by rule."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, MissingExtra
from .base import Result, Verifier


class RewardModel(Verifier[Any]):
    """Scores completions with a sequence-classification model of transformers.

    GRPO does without a critic, not without a reward model: where no rule can judge, a learned score shapes. It says
    nothing about right or wrong, so the verdict is SHAPING and correctness stays None; filters, curricula and
    evaluation do not see it. Put it behind a rule with ``Weighted``, rule first.

    **Calibration to [0, 1].** A model with one label gives a logit z, and the score is
    ``sigmoid((z - offset) / scale)``: for a Bradley-Terry model the probability that the completion beats one whose
    logit is ``offset``. A model with several labels gives the softmax probability of ``label``.
    ``RewardModel.calibrate`` chooses ``offset`` and ``scale``.

    The text that is scored is the chat template's rendering of prompt and completion where the tokenizer has a
    template, else prompt and completion joined by a newline. The prompt comes from the column ``prompts`` or
    ``prompt``, a text or messages; without the column the completion is scored alone. Text over the model's length is
    cut at its **start**, so that the end of the completion is always read.

    The model is loaded when the first batch comes, in the process that judges; copies through pickle load their own.
    One batch is scored at a time.

    Args:
        model: A folder, a name on the hub, or a loaded model (then ``tokenizer`` is needed).
        tokenizer: A folder, a name or a loaded tokenizer; by default that of ``model``.
        batch_size: How many texts are scored at once, at least 1.
        max_length: The most tokens of one text, at least 2.
        device: As in torch; None: the model's own for a loaded one, else the first GPU if there is one, else the CPU.
        offset: Subtracted from the logit; any finite number.
        scale: Divides the logit; positive.
        label: Which label's probability is the score, for models with several labels.

    Raises:
        InputError: A number is out of range, or a loaded model comes without a tokenizer.
        MissingExtra: transformers or torch is not installed (when the first batch comes).
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any = None,
        *,
        batch_size: int = 16,
        max_length: int = 2048,
        device: str | None = None,
        offset: float = 0.0,
        scale: float = 1.0,
        label: int = 1,
    ) -> None:
        if batch_size < 1 or max_length < 2:
            raise InputError(
                f"batch_size is {batch_size} and max_length {max_length}; expected at least 1 and at least 2"
            )
        if not math.isfinite(offset) or not (math.isfinite(scale) and scale > 0.0):
            raise InputError(f"offset is {offset!r} and scale {scale!r}; expected a finite and a positive number")
        if not isinstance(model, str) and not hasattr(model, "__fspath__") and tokenizer is None:
            raise InputError("a loaded model was given without a tokenizer; give tokenizer= as well")
        self.model = model
        self.tokenizer = model if tokenizer is None else tokenizer
        self.batch_size = batch_size
        self.max_length = max_length
        self.device = device
        self.offset = float(offset)
        self.scale = float(scale)
        self.label = label
        self._lock = threading.RLock()
        self._loaded: tuple[Any, Any] | None = None

    def logits(self, texts: Sequence[str]) -> list[list[float]]:
        """The model's raw outputs: n texts, n lists with one number for each label.

        Equal texts give equal numbers however the batch is cut, up to the rounding of the device's arithmetic.
        """
        with self._lock:
            model, tokenizer = self._load()
            import torch  # here: what is missing is named by _load

            order = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # little padding in each batch
            found: list[list[float]] = [[] for _ in texts]
            for start in range(0, len(order), self.batch_size):
                rows = order[start : start + self.batch_size]
                encoded = self._encoded([texts[row] for row in rows], tokenizer)
                with torch.inference_mode():
                    outputs = model(**encoded.to(model.device)).logits
                for row, values in zip(rows, outputs.float().cpu().tolist(), strict=True):
                    found[row] = values
        return found

    def calibrate(self, texts: Sequence[str], *, low: float = 0.05, high: float = 0.95) -> RewardModel:
        """A copy whose ``offset`` is the median logit of ``texts`` and whose ``scale`` spreads them over the scores.

        ``scale`` is chosen so that the logits at the quantiles ``low`` and ``high`` are as far apart as the scores
        ``low`` and ``high``: the sample then fills the range without saturating at its ends.

        Args:
            texts: At least two rendered texts (see ``render``), typical of what will be scored.
            low: The lower quantile, in (0, 0.5).
            high: The upper quantile, in (0.5, 1).

        Raises:
            InputError: Too few texts, quantiles out of range, a model with several labels, or all logits equal.
        """
        if len(texts) < 2 or not 0.0 < low < 0.5 < high < 1.0:
            raise InputError(
                f"calibrate got {len(texts)} texts, low={low}, high={high}; expected 2 or more, low < 0.5 < high"
            )
        values = sorted(row[0] for row in self.logits(texts) if len(row) == 1 and math.isfinite(row[0]))
        if len(values) < 2 or values[0] == values[-1]:
            raise InputError("calibrate needs different finite logits of a model with one label")
        spread = _quantile(values, high) - _quantile(values, low)
        wanted = _logit(high) - _logit(low)
        return RewardModel(
            self.model,
            self.tokenizer,
            batch_size=self.batch_size,
            max_length=self.max_length,
            device=self.device,
            offset=_quantile(values, 0.5),
            scale=(spread or values[-1] - values[0]) / wanted,
            label=self.label,
        )

    def render(self, completion: str, prompt: Any = None) -> str:
        """The text that is scored for a completion of a prompt (text, messages, or None)."""
        if prompt is None:
            return completion
        _, tokenizer = self._load()
        if not tokenizer.chat_template:
            return f"{_plain(prompt)}\n{completion}"
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        return str(
            tokenizer.apply_chat_template([*messages, {"role": "assistant", "content": completion}], tokenize=False)
        )

    def _verify_batch(
        self, completions: list[str], references: list[Any], columns: dict[str, list[Any]]
    ) -> Sequence[Result]:
        if not completions:
            return []
        prompts = columns.get("prompts", columns.get("prompt", [None] * len(completions)))
        texts = [
            _printable(self.render(completion, prompt)) for completion, prompt in zip(completions, prompts, strict=True)
        ]
        return [self._result(values) for values in self.logits(texts)]

    def _result(self, values: list[float]) -> Result:
        """A score from the model's outputs; outputs that are no numbers are a failure of the model, so ours."""
        if not values or not all(map(math.isfinite, values)):
            return Result.error(f"the model's outputs are {values[:5]}; expected finite numbers")
        if len(values) == 1:
            return Result.shaping(_sigmoid((values[0] - self.offset) / self.scale), details={"logit": values[0]})
        if not 0 <= self.label < len(values):
            return Result.error(f"label is {self.label}, and the model has {len(values)} labels")
        highest = max(values)
        weights = [math.exp(value - highest) for value in values]
        return Result.shaping(weights[self.label] / sum(weights), details={"logits": values})

    def _encoded(self, texts: list[str], tokenizer: Any) -> Any:
        """Padded token ids; a text without a token becomes one padding token, so that it has a score too."""
        ids = tokenizer(texts, truncation=True, max_length=self.max_length)["input_ids"]
        filled = [row or [tokenizer.pad_token_id] for row in ids]
        rows = {"input_ids": filled, "attention_mask": [[1] * len(row) for row in filled]}
        return tokenizer.pad(rows, padding=True, return_tensors="pt")

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self.model, self.tokenizer, self.device)
            return self._loaded

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_lock", "_loaded")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock(), _loaded=None)


def _load(model: Any, tokenizer: Any, device: str | None) -> tuple[Any, Any]:
    """The model on its device, ready to infer, and the tokenizer with what batching needs."""
    try:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
    except ImportError as error:
        raise MissingExtra(str(error.name), "trl") from error
    if _is_path(tokenizer):
        tokenizer = AutoTokenizer.from_pretrained(tokenizer)
    if _is_path(model):
        model = AutoModelForSequenceClassification.from_pretrained(model)
        model.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    elif device is not None:
        model.to(device)
    model.eval()
    tokenizer.padding_side = "right"
    tokenizer.truncation_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    return model, tokenizer


def _is_path(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "__fspath__")


def _plain(prompt: Any) -> str:
    """A prompt as text: the contents of its messages, one a line."""
    if isinstance(prompt, str):
        return prompt
    contents = [message.get("content", "") for message in prompt if isinstance(message, Mapping)]
    return "\n".join(content for content in contents if isinstance(content, str))


def _printable(text: str) -> str:
    """Without lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0.0 else math.exp(value) / (1.0 + math.exp(value))


def _logit(probability: float) -> float:
    return math.log(probability / (1.0 - probability))


def _quantile(values: Sequence[float], share: float) -> float:
    """The quantile of sorted values by linear interpolation."""
    place = share * (len(values) - 1)
    low = min(int(place), len(values) - 2)
    return values[low] + (place - low) * (values[low + 1] - values[low])
