"""How the remote sandbox is opened, called from threads and tasks, and closed."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, InputError, SandboxUnavailable
from assay.sandbox import Program, Status
from assay.sandbox.remote import RemoteSandbox
from assay.verifiers import CodeVerifier, TestSuite

sys.path.insert(0, str(Path(__file__).parent))
from fusion_double import LIMITS, Double, fail_once, reply, result, run


@pytest.fixture
def sandbox(double: Double) -> Iterator[RemoteSandbox]:
    with RemoteSandbox(double.address, attempts=3, concurrency=8) as opened:
        double.requests.clear()
        yield opened


def test_threads_share_one_sandbox_and_each_gets_its_own_answers(sandbox: RemoteSandbox) -> None:
    found: dict[int, bytes] = {}

    def ask(number: int) -> None:
        found[number] = run(sandbox, f"print({number})").stdout

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: b"%d\n" % number for number in range(12)}


def slow(body: dict[str, Any]) -> Any:
    time.sleep(1.5)
    return reply(result())


def test_the_batchs_deadline_holds_for_a_service_that_does_not_answer(double: Double, sandbox: RemoteSandbox) -> None:
    double.answer = slow
    started = time.monotonic()
    executions = sandbox.run([Program("print(1)")] * 20, LIMITS, deadline_seconds=0.3)
    assert time.monotonic() - started < 15
    assert {(e.status, e.reason) for e in executions} == {(Status.SANDBOX_ERROR, "the batch's deadline passed")}


def test_cancelling_the_task_drops_its_requests(double: Double, sandbox: RemoteSandbox) -> None:
    async def give_up() -> None:
        task = asyncio.ensure_future(sandbox.arun([Program("import time; time.sleep(2)")] * 30, LIMITS))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert len(double.requests) <= 8
    assert run(sandbox, "print(1)").stdout == b"1\n"


def test_closing_ends_what_is_under_way_in_other_threads(double: Double) -> None:
    sandbox = RemoteSandbox(double.address)
    failures: list[Exception] = []

    def ask() -> None:
        try:
            sandbox.run([Program("import time; time.sleep(1)")], LIMITS)
        except SandboxUnavailable as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    until = time.monotonic() + 20
    while not double.running and time.monotonic() < until:
        time.sleep(0.01)
    sandbox.close()
    sandbox.close()
    thread.join()
    assert [str(error) for error in failures] == ["this sandbox is closed; open another one with open_sandbox()"]
    with pytest.raises(AssayError, match="this sandbox is closed"):
        sandbox.run([Program("")])


def test_it_is_opened_by_name_with_address_and_token_of_the_environment(
    double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_REMOTE", double.address)
    monkeypatch.setenv("ASSAY_TOKEN", "a-token-of-some-length")
    with CodeVerifier("remote", limits=LIMITS) as verifier:
        assert verifier.verify(["print(7)"], [TestSuite.from_stdio([("", "7")])])[0].score == 1.0
    assert double.requests[-1][2]["Authorization"] == "Bearer a-token-of-some-length"


def test_a_forked_copy_of_the_process_connects_anew(sandbox: RemoteSandbox) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, run(sandbox, "print(5)").stdout)
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 10) == b"5\n"
    os.close(reader)
    os.waitpid(child, 0)
    assert run(sandbox, "print(6)").stdout == b"6\n"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "the remote sandbox's address is ''; expected one such as 'http://localhost:8080'"),
        (("localhost:80",), {}, "the remote sandbox's address is 'localhost:80'"),
        (("http://localhost:99999",), {}, "the remote sandbox's address is 'http://localhost:99999'"),
        (("http://local host",), {}, "the remote sandbox's address is 'http://local host'"),
        (("http://[::1",), {}, "the remote sandbox's address is 'http://[::1'"),
        (("http://",), {}, "the remote sandbox's address is 'http://'"),
        ((7,), {}, "the remote sandbox's address is 7"),
        (("http://localhost",), {"token": "tök"}, "the token holds characters that no HTTP header carries"),
        (("http://localhost",), {"attempts": 0}, "attempts is 0; expected a whole number of at least 1"),
        (("http://localhost",), {"concurrency": 1.5}, "concurrency is 1.5; expected a whole number of at least 1"),
        (("http://localhost",), {"patience_seconds": float("nan")}, "patience_seconds is nan; expected a positive"),
    ],
)
def test_an_address_or_a_number_that_cannot_be_is_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        RemoteSandbox(*arguments, **options)


def test_the_extra_that_is_not_installed_is_named() -> None:
    code = "import sys; sys.modules['tenacity'] = None; from assay.sandbox import open_sandbox; open_sandbox('remote')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "'tenacity' is not installed. Install it with: pip install 'assay[remote]'" in done.stderr


def test_a_service_that_cannot_run_programs_is_found_out_when_it_is_opened(double: Double) -> None:
    with pytest.raises(SandboxUnavailable, match=r"cannot run programs: .*ConnectError"):
        RemoteSandbox("http://127.0.0.1:9")
    double.faults = [fail_once(401)]
    with pytest.raises(SandboxUnavailable, match=r"status 401 .is the token right\?.*ASSAY_TOKEN"):
        RemoteSandbox(double.address)
    double.faults = [lambda handler: handler.reply(200, b"[" * 100_000) or True]
    with pytest.raises(SandboxUnavailable, match=r"cannot run programs: .*nests too deep"):
        RemoteSandbox(double.address)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (Program("", language="cobol"), "language is 'cobol'; expected one of python, c++"),
        (Program("", language="c++", arguments=("a",)), "a c++ program wants arguments, which the remote sandbox has"),
        (Program("", language="java", channel=True), "a java program wants a private channel"),
        (Program("", language="c", stdin=b"\xff"), "standard input of a c program is no UTF-8"),
        (Program("", files={"../x": b""}), "file name '../x' is not relative and plain"),
    ],
)
def test_what_the_interface_cannot_carry_is_refused(sandbox: RemoteSandbox, program: Program, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        sandbox.run([program])
