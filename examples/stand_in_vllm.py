"""Stand-ins for what asynchronous GRPO needs beside a model: a vLLM server, its weights' way there, a Hopper GPU.

They show that a script runs where none of them is: TRL's trainer, its child process and its queues are the real ones.
Without ``--model``, ``async_grpo.py`` trains on sums with them.
"""

from __future__ import annotations

import json
import math
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import stand_in
import torch

#: Writes the tokens of a completion, given those of its prompt and dice that every request throws anew.
Write = Callable[[list[int], random.Random], list[int]]
#: How TRL's loop reads an answer of a tokenizer with the roles <|assistant|> and <|end|>.
ANSWER = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {"content": {"close_pattern": r"<\|end\|>", "content": "text"}},
}


class Policy(NamedTuple):
    """What an asynchronous trainer trains.

    Attributes:
        model: A hub name or a folder.
        server: The address at which vLLM serves it.
        rest: Further arguments of the trainer.
    """

    model: str
    server: str
    rest: dict[str, Any]


@contextmanager
def policy(model: str | None, server: str, output: str) -> Iterator[Policy]:
    """The model and the server named, or the stand-ins, of which the model lies in ``output``."""
    if model is not None:
        yield Policy(model, server, {})
        return
    made, tokenizer = stand_in.load(None)
    tokenizer.response_template = ANSWER
    folder = Path(output) / "stand-in"
    for part in (made, tokenizer):
        part.save_pretrained(folder)
    with without_hardware(), vllm_server(_adder(tokenizer)) as address:
        yield Policy(str(folder), address, {"processing_class": tokenizer, "weight_transfer": NoTransfer()})


def _adder(tokenizer: Any) -> Write:
    """A policy that knows all sums of one digit, none of six, and half of those between."""

    def write(prompt: list[int], dice: random.Random) -> list[int]:
        left, _, right = "".join(sign for sign in tokenizer.decode(prompt) if sign in "0123456789+").partition("+")
        digits = max(len(left.lstrip("0")), len(right.lstrip("0")))
        chance = {1: 1.0, 6: 0.0}.get(digits, 0.5)
        total = int(left) + int(right) + (dice.random() >= chance)
        return [*tokenizer.encode(f"<think></think><answer>{total}</answer>"), tokenizer.eos_token_id]

    return write


@contextmanager
def vllm_server(write: Write) -> Iterator[str]:
    """A server whose policy is ``write`` and never changes; gives its address.

    It answers ``POST /v1/completions`` as vLLM does where it is asked for token ids and log-probabilities.
    """

    class Completions(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            tokens = write(asked["prompt"], random.Random(asked["seed"]))[: asked["max_tokens"]]
            logprobs = {"token_logprobs": [-math.log(62)] * len(tokens)}
            body = json.dumps({"choices": [{"token_ids": tokens, "logprobs": logprobs}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *what: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Completions)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class NoTransfer:
    """The server's policy stays what it is, so that nothing is sent: every step of a transfer does nothing."""

    def _nothing(self, *given: Any) -> None:
        """Do nothing."""

    init_weight_transfer = pause = send_weights = resume = destroy = _nothing


class PlainAttention:
    """What the kernel for Hopper GPUs computes, row by row: causal, the last query beside the last key."""

    @staticmethod
    def flash_attn_varlen_func(
        q: Any, k: Any, v: Any, starts_q: Any, starts_k: Any, *lengths: Any, **given: Any
    ) -> Any:
        """What the kernel's function of this name returns; shapes (tokens, heads, width)."""
        out = []
        for i in range(len(starts_q) - 1):
            rows, columns = slice(*starts_q[i : i + 2]), slice(*starts_k[i : i + 2])
            keys, values = (x[columns].repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
            n, m = q[rows].shape[0], keys.shape[0]
            seen = torch.ones(n, m, dtype=torch.bool).tril(m - n)
            scores = torch.einsum("nhd,mhd->hnm", q[rows], keys) * given["softmax_scale"]
            weights = scores.masked_fill(~seen, -math.inf).softmax(dim=-1)
            out.append(torch.einsum("hnm,mhd->nhd", weights, values))
        return torch.cat(out)


@contextmanager
def without_hardware() -> Iterator[None]:
    """TRL's trainer takes a machine without vLLM, without the kernel and without CUDA."""
    from trl.experimental.async_grpo import async_grpo_trainer, async_rollout_worker, packing

    with (
        patch.object(async_rollout_worker, "is_vllm_available", lambda *given: True),
        patch.object(packing, "_flash_attn", lambda: PlainAttention),
        patch.object(async_grpo_trainer, "get_peak_flops_per_device", lambda *given: None),  # asks CUDA for its name
    ):
        yield
