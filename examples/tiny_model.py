"""A language model small enough to train on a laptop: characters in, sums out.

It is warmed up on the work of a sloppy demonstrator, who knows column addition but forgets carries more often in some
columns than in others. So the right answer is within the model's reach and is not its habit: what reinforcement
learning can change, and what it cannot, both show within minutes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from assay.environments.base import Task

SPECIAL = ["<|pad|>", "<|unk|>", "<|user|>", "<|assistant|>", "<|end|>"]
TAGS = ["<think>", "</think>", "<answer>", "</answer>"]
TEMPLATE = (
    "{%- for m in messages %}{%- if m['role'] == 'user' %}<|user|>{{ m['content'] }}"
    "{%- else %}<|assistant|>{{ m['content'] }}<|end|>{%- endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}<|assistant|>{%- endif %}"
)
# How often the demonstrator forgets a carry: seldom in most columns, mostly in a few. Where it mostly forgets, its most
# frequent answer is wrong, so that a vote over many samples does not help.
FORGETS_SELDOM, FORGETS_MOSTLY, SHARE_OF_HARD_COLUMNS = 0.1, 0.7, 0.4
# Of the warm-up's sums, by the number of digits; sums of six digits are never shown.
LEVEL_SHARES = {1: 0.03, 2: 0.14, 3: 0.21, 4: 0.27, 5: 0.35}

#: What GRPO on this model is given wherever it is run: a CPU, short completions, and TRL's own options.
GRPO: dict[str, Any] = {
    "num_generations": 8,
    "max_completion_length": 24,
    "lr_scheduler_type": "constant",
    "warmup_steps": 10,
    "adam_beta2": 0.99,
    "weight_decay": 0.0,
    "beta": 0.0,
    "temperature": 1.0,
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "dataloader_pin_memory": False,
    "report_to": "none",
    "disable_tqdm": True,
    "logging_steps": 1,
}


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, and one for each tag. The tags are ordinary tokens, so decoding keeps them."""
    vocabulary = [*SPECIAL, *TAGS, *"0123456789+="]
    tokenizer = Tokenizer(models.WordLevel({t: i for i, t in enumerate(vocabulary)}, unk_token="<|unk|>"))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.add_tokens(TAGS)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        unk_token="<|unk|>",
        eos_token="<|end|>",
        padding_side="left",
        model_max_length=64,
    )
    fast.chat_template = TEMPLATE
    return fast


def tiny_model(tokenizer: PreTrainedTokenizerFast, *, seed: int) -> GPT2LMHeadModel:
    """A GPT-2 of 75 thousand parameters."""
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=64,
        n_layer=2,
        n_head=4,
        n_inner=128,
        n_positions=64,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        initializer_range=0.06,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        loss_type="ForCausalLM",
        bos_token_id=tokenizer.eos_token_id,
    )
    return GPT2LMHeadModel(config)


def demonstration(question: str, generator: random.Random) -> str:
    """What the sloppy demonstrator writes for ``000047+000085=``.

    Whether a carry into a column is forgotten seldom or mostly is decided by a hash of the column and its two digits.
    The thought is the sum from its last digit.
    """
    left, right = question.rstrip("=").split("+")
    carry, digits = 0, []
    for column, (x, y) in enumerate(zip(map(int, reversed(left)), map(int, reversed(right)), strict=True)):
        if carry:
            hard = sha256(f"{column},{x},{y}".encode()).digest()[0] < 256 * SHARE_OF_HARD_COLUMNS
            if generator.random() < (FORGETS_MOSTLY if hard else FORGETS_SELDOM):
                carry = 0
        carry, digit = divmod(x + y + carry, 10)
        digits.append(str(digit))
    total = int("".join(reversed([*digits, str(carry)])))
    return f"<think>{str(total)[::-1]}</think><answer>{total}</answer>"


def questions_of(tasks: Iterable[Task]) -> dict[int, list[str]]:
    """The questions of the tasks that the warm-up may show, by their number of digits."""
    questions: dict[int, list[str]] = {level: [] for level in LEVEL_SHARES}
    for task in tasks:
        if task.difficulty in questions:
            message = task.prompt[0]
            assert isinstance(message, dict)
            questions[int(task.difficulty)].append(str(message["content"]))
    return questions


def warm_up(
    questions: dict[int, list[str]],
    folder: Path,
    *,
    seed: int,
    steps: int = 900,
    batch: int = 64,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> None:
    """Supervised training on demonstrations; the model ends in ``folder``, and a killed run goes on where it was.

    Args:
        questions: By number of digits, of the environment's train split.
        folder: Where the model, the tokenizer and, until the end, a checkpoint are kept.
        seed: Of the weights and the demonstrations.
        steps: Optimizer steps.
        batch: Demonstrations a step.
        on_step: Called after each step with its number and loss.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer, seed=seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    checkpoint = folder / "checkpoint.pt"
    done = _load_checkpoint(checkpoint, model=model, optimizer=optimizer, schedule=schedule)
    model.train()
    for step, texts in enumerate(_batches(questions, tokenizer, seed=seed, start=done, steps=steps, batch=batch), done):
        loss = _loss(model, tokenizer, texts)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        on_step(step + 1, loss.item())
        if (step + 1) % 100 == 0:
            _save_checkpoint(checkpoint, step + 1, model=model, optimizer=optimizer, schedule=schedule)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    checkpoint.unlink(missing_ok=True)


def _loss(model: GPT2LMHeadModel, tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> torch.Tensor:
    """The mean loss of what the assistant wrote."""
    rows = tokenizer(texts, return_tensors="pt", padding=True, padding_side="right")
    labels = rows.input_ids.masked_fill(_not_written_by_the_assistant(rows.input_ids, tokenizer), -100)
    loss: torch.Tensor = model(input_ids=rows.input_ids, attention_mask=rows.attention_mask, labels=labels).loss
    return loss


def _not_written_by_the_assistant(tokens: torch.Tensor, tokenizer: PreTrainedTokenizerFast) -> torch.Tensor:
    """True on the question and the padding: what the loss leaves out. Shapes (rows, tokens)."""
    begun = (tokens == tokenizer.convert_tokens_to_ids("<|assistant|>")).cumsum(1)
    before = begun.roll(1, dims=1) == 0
    before[:, 0] = True
    return before | (tokens == tokenizer.pad_token_id)


def _rate(step: int, steps: int) -> float:
    """Linear warm-up over 50 steps, then a cosine down to 5 %."""
    cosine = 0.5 * (1 + torch.cos(torch.tensor(torch.pi * step / steps)).item())
    return min(1.0, (step + 1) / 50) * (0.05 + 0.95 * cosine)


def _batches(
    questions: dict[int, list[str]],
    tokenizer: PreTrainedTokenizerFast,
    *,
    seed: int,
    start: int,
    steps: int,
    batch: int,
) -> Iterator[list[str]]:
    """Each batch is drawn from a hash of (seed, step): a resumed run sees what an unbroken one would have seen."""
    levels, shares = list(LEVEL_SHARES), list(LEVEL_SHARES.values())
    for step in range(start, steps):
        generator = random.Random(sha256(f"warm-up {seed} {step}".encode()).digest())
        texts = []
        for level in generator.choices(levels, shares, k=batch):
            question = generator.choice(questions[level])
            messages = [
                {"role": "user", "content": question},
                {"role": "assistant", "content": demonstration(question, generator)},
            ]
            texts.append(str(tokenizer.apply_chat_template(messages, tokenize=False)))
        yield texts


def _load_checkpoint(path: Path, **parts: Any) -> int:
    """Set the parts back to where they were; the steps done, 0 where there is no checkpoint."""
    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return int(state["step"])


def _save_checkpoint(path: Path, step: int, **parts: Any) -> None:
    """Write beside, then rename: a run killed while writing keeps the older checkpoint."""
    torch.save({"step": step, **{name: part.state_dict() for name, part in parts.items()}}, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)
