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
from assay.evaluation import Completion, Sampler, compare, evaluate
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


def test_a_server_that_was_never_there_ends_the_run_after_the_attempts_of_one_sample(
    no_waiting: list[float], signs: Any, tmp_path: Path
) -> None:
    sampler = OpenAISampler("http://127.0.0.1:9/v1", "m", concurrency=1)
    with pytest.raises(InputError) as caught:
        evaluate(signs, sampler, samples=4, folder=tmp_path / "run", progress=False)
    assert "no server answers at http://127.0.0.1:9/v1 (URLError: " in str(caught.value)
    assert "start it, or correct --server; the same call goes on where this one ended" in str(caught.value)
    assert len(no_waiting) in (3, 6)  # of 48 samples a second one may have begun when the first one gave up
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="no server answers"):
        OpenAISampler("http://127.0.0.1:9/v1", "m", attempts=1).sample(["p"], [1])


def test_a_run_whose_server_is_away_later_keeps_what_it_has_and_goes_on(
    server: Server, signs: Any, tmp_path: Path
) -> None:
    server.reply = lambda request, number: (404, b"gone", {}) if number > 6 else (200, text_answer("a"), {})
    arguments: dict[str, Any] = {"samples": 1, "folder": tmp_path / "run", "progress": False}
    with pytest.raises(InputError, match="status 404: gone"):
        evaluate(signs, OpenAISampler(server.address, "m", concurrency=1), **arguments)
    kept = (tmp_path / "run/samples.jsonl").read_text().splitlines()
    assert len(kept) == 4
    with pytest.raises(InputError, match="no server answers"):
        evaluate(signs, OpenAISampler("http://127.0.0.1:9/v1", "m", concurrency=1), **arguments)
    assert (tmp_path / "run/samples.jsonl").read_text().splitlines() == kept
    server.reply = lambda request, number: (200, text_answer("a"), {})
    assert evaluate(signs, OpenAISampler(server.address, "m", concurrency=1), **arguments).complete


def test_a_server_that_answered_before_and_is_gone_is_a_failure_not_an_exception(server: Server) -> None:
    sampler = OpenAISampler(server.address, "m", attempts=2)
    assert sampler.sample(["p"], [1]) == [Completion("fine", tokens=7)]
    server.http.shutdown()
    server.http.server_close()
    [found] = sampler.sample(["p"], [1])
    assert "URLError" in found.failure


@pytest.mark.parametrize(
    ("body", "prompt", "says"),
    [
        (
            b"<html>hi</html>",
            "p",
            """it answered '<html>hi</html>'; expected JSON with {"choices": [{"text": ...}]}.""",
        ),
        (
            b'{"object": "x"}',
            "p",
            """it answered '{"object": "x"}'; expected JSON with {"choices": [{"text": ...}]}.""",
        ),
        (b"[]", [{"role": "user", "content": "p"}], 'it answered \'[]\'; expected JSON with {"choices": [{"message": '),
        (b'{"choices": []}', "p", "it answered '{\"choices\": []}'; expected"),
        (b"\xff" * 999, "p", "it answered '" + "\ufffd" * 200 + "'; expected"),
    ],
)
def test_an_answer_of_another_kind_is_shown_beside_what_was_expected(
    server: Server, body: bytes, prompt: Prompt, says: str
) -> None:
    server.reply = lambda request, number: (200, body, {})
    [found] = OpenAISampler(server.address, "m", attempts=2).sample([prompt], [1])
    assert says in found.failure
    assert found.failure.endswith("Is the address that of an OpenAI-compatible server, up to and with /v1?")
    assert "Error" not in found.failure


def test_a_run_that_was_refused_at_once_leaves_nothing_behind(server: Server, signs: Any, tmp_path: Path) -> None:
    server.reply = lambda request, number: (
        (404, b"no", {}) if request["model"] == "wrong" else (200, text_answer("a"), {})
    )
    folder = tmp_path / "run"
    with pytest.raises(InputError, match="refuses 'wrong'"):
        evaluate(signs, OpenAISampler(server.address, "wrong"), samples=1, folder=folder, progress=False)
    assert not folder.exists()
    folder.mkdir()
    (folder / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="refuses 'wrong'"):
        evaluate(signs, OpenAISampler(server.address, "wrong"), samples=1, folder=folder, progress=False)
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]
    assert evaluate(signs, OpenAISampler(server.address, "right"), samples=1, folder=folder, progress=False).complete


def test_one_setting_has_one_name_in_all_samplers_and_older_folders_are_read(
    server: Server, signs: Any, tiny: tuple[Any, Any], tmp_path: Path
) -> None:
    server.reply = lambda request, number: (200, text_answer("a"), {})
    sampler = OpenAISampler(server.address, "m", max_new_tokens=9)
    local = TransformersSampler(*tiny, max_new_tokens=9)
    assert sampler.settings["max_new_tokens"] == local.settings["max_new_tokens"] == 9
    assert "max_tokens" not in sampler.settings
    first = evaluate(signs, sampler, samples=1, folder=tmp_path / "served", progress=False)
    other = evaluate(signs, local, samples=1, folder=tmp_path / "local", progress=False)
    assert not any("tokens" in note for note in compare(first, other).change.notes if "differs" in note)
    file = tmp_path / "served/config.json"
    file.write_text(file.read_text().replace("max_new_tokens", "max_tokens"))  # as it was written once
    asked = len(server.requests)
    again = evaluate(signs, sampler, samples=1, folder=tmp_path / "served", progress=False)
    assert len(server.requests) == asked
    assert again.config["sampler"] == first.config["sampler"]


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
