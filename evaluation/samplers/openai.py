"""Sample from any server that speaks OpenAI's HTTP interface: vLLM, SGLang, llama.cpp, ``transformers serve``, ...

Only Python's standard library is used. Requests run in threads, a bounded number at once; what may pass by itself
(a full queue, a restart, a dropped connection) is tried again after a pause that grows and is jittered.
"""

from __future__ import annotations

import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from time import sleep
from typing import Any

from ...bounds import at_least
from ...environments.base import Prompt
from ...environments.hashing import hashed_fraction
from ...errors import InputError
from .base import Completion

# Wrong for every request alike: going on would only fill the disk with failures.
_HOPELESS = {401: "the key is missing or wrong", 403: "access is denied", 404: "no such path or model"}
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504}
_LONGEST_PAUSE_SECONDS = 60.0
# Tries of a connection that nobody ever took, before the run ends: a server that starts takes longer than any pause.
_FIRST_ATTEMPTS = 3


class OpenAISampler:
    """Samples from a server: prompts that are messages by ``/chat/completions``, texts by ``/completions``.

    The seed of each (task, sample) is sent along, in 31 bits; whether a server follows it is the server's affair.
    A request that keeps failing becomes a completion with a failure: it stays in the denominator and is shown. Where
    nobody ever answered at the address, ``sample`` raises after a few attempts: no request could fare better.

    Args:
        server: Up to and with the version: "http://localhost:8000/v1".
        model: Its name there.
        key: Sent as a bearer token; None takes OPENAI_API_KEY from the environment, if set.
        temperature: 0 is greedy.
        top_p: Share of probability that is kept, in (0, 1].
        max_new_tokens: Where completions are cut.
        seed: Of the whole run.
        concurrency: Requests at once.
        attempts: How often one request is tried.
        timeout_seconds: For one attempt.
        extra: Further fields of each request, such as ``{"top_k": 20}``.

    Raises:
        InputError: A setting is out of range.
    """

    def __init__(
        self,
        server: str,
        model: str,
        *,
        key: str | None = None,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_new_tokens: int = 512,
        seed: int = 0,
        concurrency: int = 32,
        attempts: int = 6,
        timeout_seconds: float = 600.0,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if not server.startswith(("http://", "https://")):
            raise InputError(f"the server is {server!r}; expected an address such as 'http://localhost:8000/v1'")
        at_least(1, concurrency=concurrency, attempts=attempts, max_new_tokens=max_new_tokens)
        self.server = server.rstrip("/")
        self.model = model
        self.seed = seed
        self.concurrency = concurrency
        self.attempts = attempts
        self.timeout_seconds = timeout_seconds
        self._answered = False
        self._key = key if key is not None else os.environ.get("OPENAI_API_KEY")
        self._fields = {"temperature": temperature, "top_p": top_p, "max_tokens": max_new_tokens, **(extra or {})}

    @property
    def batch_size(self) -> int:
        """Four requests for each that runs at once, so that one slow answer holds up little."""
        return 4 * self.concurrency

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model and sampling parameters, by the names that all samplers have for them.

        Not the address, which may change while a run is interrupted.
        """
        fields = {("max_new_tokens" if name == "max_tokens" else name): value for name, value in self._fields.items()}
        return {"kind": "openai", "model": self.model, **fields, "seed": self.seed}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        """One completion for each prompt.

        Raises:
            InputError: The server refuses in a way that holds for every request: wrong key, path or model. Or nobody
                has answered at this address so far.
        """
        with ThreadPoolExecutor(self.concurrency) as pool:
            running = [pool.submit(self._complete, p, s) for p, s in zip(prompts, seeds, strict=True)]
            try:
                return [future.result() for future in running]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _complete(self, prompt: Prompt, seed: int) -> Completion:
        chat = not isinstance(prompt, str)
        fields = {"model": self.model, **self._fields, "seed": seed >> 32}
        fields |= {"messages": list(prompt)} if chat else {"prompt": prompt}
        reason, pause = "", 0.0
        for attempt in range(self.attempts):
            sleep(pause)
            try:
                return _read(self._post("/chat/completions" if chat else "/completions", fields), chat=chat)
            except urllib.error.HTTPError as error:
                self._answered = True
                with error:
                    reason = f"status {error.code}: {error.read(500).decode('utf-8', errors='replace')}"
                if error.code in _HOPELESS:
                    raise InputError(
                        f"{self.server} refuses {self.model!r} with {reason} ({_HOPELESS[error.code]})"
                    ) from error
                if error.code not in _PASSING:
                    break
                pause = _pause(attempt, seed, error.headers.get("Retry-After"))
            except (OSError, HTTPException) as error:
                reason = f"{type(error).__name__}: {error}"
                if _is_nobody(error) and not self._answered and attempt + 1 >= min(self.attempts, _FIRST_ATTEMPTS):
                    raise InputError(
                        f"no server answers at {self.server} ({reason}): start it, or correct --server; the same call "
                        "goes on where this one ended"
                    ) from error
                pause = _pause(attempt, seed, None)
            except ValueError as error:
                reason = str(error)
                pause = _pause(attempt, seed, None)
        return Completion("", failure=f"{self.server}, {reason}"[:1000])

    def _post(self, path: str, fields: Mapping[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self.server + path, json.dumps(fields).encode(), headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=self.timeout_seconds) as reply:  # noqa: S310
            self._answered = True
            body: bytes = reply.read()
            return body


def _read(body: bytes, *, chat: bool) -> Completion:
    """The completion in a server's answer.

    Raises:
        ValueError: It holds none.
    """
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        text = choice["message"]["content"] if chat else choice["text"]
        tokens = (answer.get("usage") or {}).get("completion_tokens")
        return Completion(text or "", tokens=tokens, truncated=choice.get("finish_reason") == "length")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        form = '{"message": {"content": ...}}' if chat else '{"text": ...}'
        raise ValueError(
            f"it answered {body.decode('utf-8', errors='replace')[:200]!r}; expected JSON with "
            f'{{"choices": [{form}]}}. Is the address that of an OpenAI-compatible server, up to and with /v1?'
        ) from error


def _is_nobody(error: Exception) -> bool:
    """Whether no server was reached at all: the connection is refused, or the host has no address."""
    cause = getattr(error, "reason", error)
    return isinstance(cause, ConnectionRefusedError | socket.gaierror)


def _pause(attempt: int, seed: int, asked: str | None) -> float:
    """Seconds until the next attempt: what the server asks for, else up to 0.5 s doubled each time, jittered."""
    if asked is not None and asked.isdecimal():
        return min(_LONGEST_PAUSE_SECONDS, float(asked))
    longest = min(_LONGEST_PAUSE_SECONDS, 0.5 * float(2**attempt))
    return longest * (0.5 + 0.5 * hashed_fraction("pause", seed, attempt))
