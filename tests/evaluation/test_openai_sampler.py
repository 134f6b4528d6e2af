"""The server sampler against a real HTTP server: a tiny model behind OpenAI's interface, and one that misbehaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assay.environments.base import Prompt
from assay.errors import InputError
from assay.evaluation import Completion, Sampler, evaluate
from assay.evaluation.samplers import openai
from assay.evaluation.samplers.openai import OpenAISampler
from assay.evaluation.samplers.transformers import TransformersSampler

Reply = Callable[[dict[str, Any], int], tuple[int, dict[str, Any] | bytes, dict[str, str]]]


class Server:
    """A server whose answers are given by ``reply(request, number of the request)``."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.running = self.most = 0
        self.lock = threading.Lock()
        self.reply: Reply = lambda request, number: (200, text_answer("fine"), {})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.handle(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.requests.append(request)
            self.headers.append(dict(handler.headers))
            self.paths.append(handler.path)
            number = len(self.requests)
            self.running += 1
            self.most = max(self.most, self.running)
        status, body, headers = self.reply(request, number)
        with self.lock:
            self.running -= 1
        if status == 0:  # hang up without an answer
            return
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())


def text_answer(text: str, finish: str = "stop") -> dict[str, Any]:
    choice = {"text": text, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"choices": [choice], "usage": {"completion_tokens": 7}}


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses are noted, not slept."""
    pauses: list[float] = []
    monkeypatch.setattr(openai, "sleep", pauses.append)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return pauses


PROMPTS: list[Prompt] = ["say a", [{"role": "user", "content": "say b"}]] * 6
SEEDS = [(1 << 62) + (i << 33) for i in range(12)]


def test_a_served_model_gives_what_the_same_model_gives_here(server: Server, tiny: tuple[Any, Any]) -> None:
    local = TransformersSampler(*tiny, max_new_tokens=9)
    lock = threading.Lock()

    def reply(request: dict[str, Any], number: int) -> tuple[int, dict[str, Any], dict[str, str]]:
        prompt = request.get("messages") or request["prompt"]
        with lock:
            [found] = local.sample([prompt], [request["seed"]])
        answer = text_answer(found.text, "length" if found.truncated else "stop")
        return 200, {**answer, "usage": {"completion_tokens": found.tokens}}, {}

    server.reply = reply
    remote = OpenAISampler(server.address, "tiny", max_new_tokens=9, concurrency=4)
    assert remote.sample(PROMPTS, SEEDS) == local.sample(PROMPTS, [seed >> 32 for seed in SEEDS])
    assert set(server.paths) == {"/v1/completions", "/v1/chat/completions"}


def test_what_is_asked_for_is_sent(server: Server) -> None:
    sampler = OpenAISampler(
        server.address + "/", "name", key="secret", temperature=0.5, max_new_tokens=9, extra={"top_k": 3}
    )
    [found] = sampler.sample([[{"role": "user", "content": "hi"}]], [5 << 32])
    assert found == Completion("fine", tokens=7)
    [request] = server.requests
    assert request == {
        "model": "name",
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0.5,
        "top_p": 1.0,
        "max_tokens": 9,
        "top_k": 3,
        "seed": 5,
    }
    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert sampler.settings["top_k"] == 3
    assert "secret" not in json.dumps(dict(sampler.settings))
    assert isinstance(sampler, Sampler)


def test_no_more_requests_run_at_once_than_allowed(server: Server) -> None:
    gate = threading.Barrier(3, timeout=120)

    def reply(request: dict[str, Any], number: int) -> tuple[int, dict[str, Any], dict[str, str]]:
        gate.wait()
        return 200, text_answer("x"), {}

    server.reply = reply
    OpenAISampler(server.address, "m", concurrency=3).sample(PROMPTS, SEEDS)
    assert server.most == 3


@pytest.mark.parametrize("trouble", [(429, b"busy"), (503, b"loading"), (0, b""), (200, b"not json"), (200, b"{}")])
def test_what_may_pass_is_tried_again(server: Server, no_waiting: list[float], trouble: tuple[int, bytes]) -> None:
    server.reply = lambda request, number: (*trouble, {}) if number < 3 else (200, text_answer("fine"), {})
    [found] = OpenAISampler(server.address, "m").sample(["p"], [1])
    assert found.text == "fine"
    waited = [pause for pause in no_waiting if pause]
    assert len(waited) == 2
    assert 0.25 <= waited[0] <= 0.5 <= waited[1] <= 1.0


def test_a_server_that_says_when_is_listened_to(server: Server, no_waiting: list[float]) -> None:
    server.reply = lambda request, number: (
        (429, b"", {"Retry-After": "7"}) if number == 1 else (200, text_answer("fine"), {})
    )
    OpenAISampler(server.address, "m").sample(["p"], [1])
    assert [pause for pause in no_waiting if pause] == [7.0]


def test_what_keeps_failing_is_a_failure_with_its_reason(server: Server) -> None:
    server.reply = lambda request, number: (500, b"out of memory", {})
    [found] = OpenAISampler(server.address, "m", attempts=3).sample(["p"], [1])
    assert len(server.requests) == 3
    assert found.failure == f"{server.address}, status 500: out of memory"


def test_a_request_that_is_refused_alone_fails_alone(server: Server) -> None:
    server.reply = lambda request, number: (
        (400, b"the prompt is too long", {}) if request["prompt"] == "long" else (200, text_answer("fine"), {})
    )
    bad, good = OpenAISampler(server.address, "m").sample(["long", "short"], [1, 2])
    assert "status 400: the prompt is too long" in bad.failure
    assert good.text == "fine"
    assert len(server.requests) == 2


@pytest.mark.parametrize(("status", "says"), [(401, "the key is missing or wrong"), (404, "no such path or model")])
def test_a_refusal_that_holds_for_all_ends_the_run(server: Server, status: int, says: str) -> None:
    server.reply = lambda request, number: (status, b"no", {})
    with pytest.raises(InputError) as caught:
        OpenAISampler(server.address, "m").sample(PROMPTS, SEEDS)
    assert f"refuses 'm' with status {status}: no ({says})" in str(caught.value)


def test_a_server_that_is_not_there_is_a_failure_not_an_exception() -> None:
    [found] = OpenAISampler("http://127.0.0.1:9/v1", "m", attempts=2).sample(["p"], [1])
    assert "URLError" in found.failure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"server": "localhost:8000"}, "expected an address such as 'http://localhost:8000/v1'"),
        ({"concurrency": 0}, "concurrency is 0; expected a whole number of at least 1"),
        ({"attempts": 0}, "attempts is 0; expected a whole number of at least 1"),
    ],
)
def test_settings_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        OpenAISampler(**{"server": "http://x/v1", "model": "m", **arguments})
    assert message in str(caught.value)


def test_a_run_that_is_called_again_tries_the_failures_once_more(server: Server, signs: Any, tmp_path: Path) -> None:
    server.reply = lambda request, number: (400, b"no", {}) if number % 2 else (200, text_answer("a"), {})
    sampler = OpenAISampler(server.address, "m", concurrency=1)
    first = evaluate(signs, sampler, samples=1, folder=tmp_path, progress=False)
    assert first.rates["failed"] == 0.5
    server.reply = lambda request, number: (200, text_answer("a"), {})
    asked = len(server.requests)
    second = evaluate(signs, sampler, samples=1, folder=tmp_path, progress=False)
    assert second.rates["failed"] == 0.0
    assert len(second.outcomes) == 12
    assert second.complete
    assert len(server.requests) - asked == 6
