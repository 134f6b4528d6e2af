"""Who is answered, and how much is taken on: real processes, real sockets."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from reward_server import wait_until

from assay.errors import InputError
from assay.integrations.server import ServerSettings
from assay.integrations.server.run import _listener

JUDGES = Path(__file__).parent / "some_judges.py"
TOKEN = "correct-horse-battery-staple"
BATCH = {"judge": "math", "completions": ["4"], "references": ["4"]}
App = Callable[..., Any]


def test_without_a_token_the_server_refuses_to_listen_for_other_machines() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(InputError, match=r"refusing to listen on .* without a token: other machines could"):
            ServerSettings(host=host)
    for host in ("127.0.0.1", "::1", "localhost"):
        assert ServerSettings(host=host).token is None
    assert ServerSettings(host="0.0.0.0", token=TOKEN).token == TOKEN


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"token": "short"}, "the token has 5 characters; expected at least 16"),
        ({"token": "with spaces in it, sixteen"}, "the token holds white space"),
        ({"batch": 0}, "batch is 0; expected a positive number"),
        ({"port": 70000}, "port is 70000; expected one from 1 to 65535"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ServerSettings(**settings)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Basic " + base64.b64encode(b"assay:wrong").decode()},
        {"Authorization": "Basic " + base64.b64encode(TOKEN.encode()).decode()},
        {"Authorization": TOKEN},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer ü".encode()},
    ],
)
def test_a_request_without_the_right_token_is_turned_away(application: App, headers: Any) -> None:
    app = application(token=TOKEN)
    for path, body in (("/verify", BATCH), ("/openrlhf/reward", {}), ("/metrics", None), ("/nowhere", None)):
        reply = app.ask(path, body, headers=headers)
        assert reply.status_code == 401, path
        assert "Authorization: Bearer TOKEN" in reply.json()["error"]
        assert reply.headers["www-authenticate"] == "Bearer"


def test_with_the_token_it_is_answered_and_signs_of_life_need_none(application: App) -> None:
    app = application(token=TOKEN)
    in_a_url = base64.b64encode(f"assay:{TOKEN}".encode()).decode()  # http://assay:TOKEN@host/
    for header in (f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Basic {in_a_url}"):
        assert app.ask("/verify", BATCH, headers={"authorization": header}).status_code == 200
    for path in ("/health", "/v1/ping", "/docs", "/openapi.json"):
        assert app.ask(path).status_code == 200
    text = app.ask("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    assert "assay_requests_total" in text


def test_what_is_sent_to_an_open_path_needs_the_token_too(application: App) -> None:
    app = application(token=TOKEN)  # a body takes one of the places, which belong to clients with the token
    for path in ("/health", "/ready", "/v1/ping", "/docs", "/openapi.json"):
        assert app.ask(path, {}).status_code == 401
        assert app.ask(path, {}, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 405


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_body_that_nobody_reads_ends_the_connection(serve: Any, method: str) -> None:
    started = serve("math")
    head = f"{method} /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    with socket.create_connection(("127.0.0.1", started.port), timeout=20) as connection:
        connection.sendall(head.encode())
        said = b"".join(iter(lambda: connection.recv(65536), b""))  # ends where the server closes
    assert b"connection: close" in said.lower()


def test_two_servers_cannot_share_an_address_before_either_serves() -> None:
    settings = ServerSettings(port=0)
    with _listener(settings) as first:
        port = first.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use; choose"):
            _listener(ServerSettings(port=port))


def test_a_web_page_cannot_reach_a_server_without_token_under_another_name(application: App) -> None:
    app = application()
    for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example"):
        reply = app.ask("/verify", BATCH, headers={"host": host})
        assert reply.status_code == 421
        assert "is another host" in reply.json()["error"]
    for host in ("localhost:8080", "127.0.0.1", "[::1]:8080"):
        assert app.ask("/verify", BATCH, headers={"host": host}).status_code == 200


def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_what_comes(server: Any, authorized: Any) -> None:
    big = b'{"completions": ["' + b"x" * (1 << 20) + b'"], "references": ["1"]}'

    def chunks() -> Any:
        yield from (big[start : start + 65536] for start in range(0, len(big), 65536))

    for content in (big, chunks()):
        reply = server.ask("/verify", content=content, headers=authorized | {"content-type": "application/json"})
        assert reply.status_code == 413
        assert "the body is larger than 1048576 bytes; send smaller batches" in reply.json()["error"]
    assert server.ask("/verify", BATCH, headers=authorized).status_code == 200


def test_heads_and_bodies_that_trickle_in_are_cut_off_and_the_server_lives(serve: Any) -> None:
    started = serve("math", header_seconds=0.4, body_seconds=0.4)
    head = b"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    unfinished = {
        "nothing at all": (b"", b""),
        "half a head": (head, b"X-A: b\r\n"),
        "half a body": (head + b"Content-Length: 99\r\n\r\n{", b" "),
        "half a second head": (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + head, b"X-A: b\r\n"),
    }
    for name, (first, more) in unfinished.items():
        with socket.create_connection(("127.0.0.1", started.port), timeout=20) as connection:
            connection.sendall(first)
            answer = b""
            connection.settimeout(0.1)
            for _ in range(100):
                try:
                    part = connection.recv(65536)
                    answer += part
                    if not part:
                        break
                    connection.sendall(more)
                except TimeoutError:
                    with contextlib.suppress(OSError):
                        connection.sendall(more)
                except OSError:  # it was closed while more was on its way
                    break
            else:
                pytest.fail(f"{name}: the connection was kept")
        assert b"408" in answer, name
        assert b"in time" in answer or b"did not arrive within" in answer, name
    assert started.ask("/verify", BATCH).status_code == 200


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_http_is_answered_with_400_and_the_server_lives(
    server: Any, authorized: Any, garbage: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(garbage)
        with contextlib.suppress(ConnectionResetError):
            answer = connection.recv(65536)
            assert answer == b"" or b" 400 " in answer.split(b"\r\n")[0] or b" 401 " in answer.split(b"\r\n")[0]
    assert server.ask("/health").status_code == 200


def test_beyond_the_bound_requests_are_told_to_come_again(serve: Any, tmp_path: Path) -> None:
    started = serve(f"held={JUDGES}:held", in_flight=2, threads=2)
    ready, batch = tmp_path / "ready", {"completions": [str(tmp_path / "ready")], "references": [""]}
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(started.ask, "/verify", batch) for _ in range(2)]
        wait_until(lambda: "assay_requests_in_flight 2.0" in started.ask("/metrics").text)
        reply = started.ask("/verify", batch)
        ready.touch()
        assert reply.status_code == 503
        assert reply.headers["retry-after"] == "1"
        assert "2 requests are under way; try again in a moment" in reply.json()["error"]
        assert all(future.result().status_code == 200 for future in running)
    assert started.ask("/verify", batch).status_code == 200


def test_a_client_that_goes_away_costs_nothing(server: Any, authorized: Any) -> None:
    body = b'{"judge": "nap", "completions": ["0.1"], "references": [""]}'
    head = f"POST /verify HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"

    def leave(part: bytes) -> None:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(part)

    threads = [threading.Thread(target=leave, args=(part,)) for part in (head.encode() + body, head.encode()) * 10]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until = time.monotonic() + 20
    while time.monotonic() < until:
        text = server.ask("/metrics", headers=authorized).text
        if "assay_requests_in_flight 0.0" in text:
            return
        time.sleep(0.05)
    pytest.fail("requests of clients that are gone are still under way")


def test_a_client_that_does_not_read_its_answers_is_let_go(serve: Any) -> None:
    started = serve("math", body_seconds=0.5)
    batch = json.dumps({"completions": ["x" * 1000] * 4000, "references": ["1"] * 4000}).encode()
    head = b"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    before = sockets_of(started.process.pid)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", started.port))
        wait_until(lambda: sockets_of(started.process.pid) > before)
        with contextlib.suppress(OSError):
            for _ in range(4):
                connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(batch) + batch)
        wait_until(lambda: sockets_of(started.process.pid) <= before)
    assert started.ask("/health").status_code == 200


def sockets_of(process: int) -> int:
    count = 0
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            count += os.readlink(link).startswith("socket:")
    return count


@pytest.mark.parametrize("kib", [31, 33, 60])
def test_a_head_that_is_too_large_is_refused_though_it_comes_in_one_packet(serve: Any, kib: int) -> None:
    started = serve("math")
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: " + b"a" * (kib << 10) + b"\r\n\r\n"
    with socket.create_connection(("127.0.0.1", started.port), timeout=20) as connection:
        connection.sendall(head)
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 200" if kib < 32 else b"HTTP/1.1 400"), answer


@pytest.mark.parametrize("item", ["[]", "{}", "1", '""'])
def test_a_body_of_very_many_values_is_refused_before_it_is_parsed(application: App, item: str) -> None:
    def body(count: int) -> bytes:
        values = ",".join([item] * count)
        return f'{{"judge": "math", "completions": ["4"], "references": [[{values}]]}}'.encode()

    app, headers = application(), {"Content-Type": "application/json"}
    refused = app.ask("/verify", content=body(1_000_001), headers=headers)
    assert refused.status_code == 413
    assert refused.json() == {"error": "the body has more than 1000000 values; send smaller batches"}
    assert app.ask("/verify", content=body(10_000), headers=headers).status_code == 200


def test_what_texts_hold_is_no_value(application: App) -> None:
    text = ",[{" * 400_000 + '\\"' + ',"'
    body = json.dumps({"judge": "math", "completions": [text], "references": ["4"]}).encode()
    assert application().ask("/verify", content=body, headers={"Content-Type": "application/json"}).status_code == 200
