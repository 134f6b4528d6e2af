"""How the server ends: what is under way is finished, nothing new is taken, and a hung judge does not keep it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from reward_server import wait_until

JUDGES = Path(__file__).parent / "some_judges.py"
TOKEN = "correct-horse-battery-staple"
BATCH = {"judge": "math", "completions": ["4"], "references": ["4"]}
App = Callable[..., Any]


def test_sigterm_before_the_first_answer_is_heard() -> None:
    script = (
        "import asyncio, os, signal\n"
        "from assay.integrations.server import ServerSettings, create_app, read_judges, serve\n"
        "real = asyncio.run\n"
        "def early(work):\n    os.kill(os.getpid(), signal.SIGTERM)\n    return real(work)\n"
        "asyncio.run = early\n"
        "settings = ServerSettings(port=0)\n"
        "serve(create_app(read_judges([], ['math']), settings), settings)\n"
        "print('ended')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_sigterm_lets_what_is_under_way_finish_and_takes_nothing_new(serve: Any, tmp_path: Path) -> None:
    started = serve(f"held={JUDGES}:held", threads=8)
    ready, batch = tmp_path / "ready", {"completions": [str(tmp_path / "ready")], "references": [""]}
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(started.ask, "/verify", batch) for _ in range(4)]
        wait_until(lambda: "assay_requests_in_flight 4.0" in started.ask("/metrics").text)
        started.process.terminate()
        wait_until(lambda: not listens(started))
        assert not any(future.done() for future in running)
        ready.touch()
        assert [future.result().json()["results"][0]["score"] for future in running] == [1.0] * 4
    assert started.process.wait(timeout=60) == 0
    assert started.process.stdout.read() == "drained\n"


def listens(started: Any) -> bool:
    try:
        socket.create_connection(("127.0.0.1", started.port), timeout=20).close()
    except OSError:
        return False
    return True


def test_while_it_drains_every_answer_ends_its_connection(application: App) -> None:
    app = application()
    assert "connection" not in app.ask("/health").headers
    app.app.state.phase.draining = True
    ready = app.ask("/ready")
    assert (ready.status_code, ready.json()) == (503, {"status": "draining"})
    assert ready.headers["connection"] == "close"
    assert app.ask("/verify", BATCH).status_code == 200


def test_a_judge_that_hangs_does_not_keep_the_process(serve: Any) -> None:
    started = serve(f"nap={JUDGES}:nap", threads=1, request_seconds=0.2)
    [result] = started.ask("/verify", {"completions": ["3600"], "references": [""]}).json()["results"]
    assert result["score"] is None
    assert started.ask("/ready").json() == {"status": "stuck"}
    started.process.terminate()
    assert started.process.wait(timeout=20) == 0


def test_no_request_that_was_sent_is_lost_when_the_server_ends(serve: Any) -> None:
    started = serve("math")
    fates: list[str] = []
    body = json.dumps(BATCH).encode()
    head = b"POST /verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    def client() -> None:  # one connection for each request
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", started.port), timeout=20)
            except OSError:
                return
            with connection:
                try:
                    connection.sendall(request)
                    answer = connection.makefile("rb").read()
                except OSError as error:
                    answer = repr(error).encode()
            fates.append(answer[:12].decode("latin-1"))

    with ThreadPoolExecutor(16) as pool:
        running = [pool.submit(client) for _ in range(16)]
        wait_until(lambda: len(fates) > 50)
        started.process.terminate()
        for future in running:
            future.result()
    assert set(fates) == {"HTTP/1.1 200"}
    assert started.process.wait(timeout=60) == 0


def test_connections_that_send_nothing_do_not_keep_the_process(serve: Any) -> None:
    started = serve("math")
    with socket.create_connection(("127.0.0.1", started.port), timeout=20):
        started.process.terminate()
        assert started.process.wait(timeout=30) == 0
