"""The remote sandbox against SandboxFusion's interface: what it sends, what it reads, and what it makes of failures."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, InputError, SandboxUnavailable
from assay.sandbox import Execution, Limits, Program, Status
from assay.sandbox.remote import RemoteSandbox
from assay.verifiers import CodeVerifier, TestSuite, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from fusion_double import Double, Handler

LIMITS = Limits(cpu_seconds=5, wall_seconds=30)


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    service = Double()
    yield service
    service.close()


@pytest.fixture
def sandbox(double: Double) -> Iterator[RemoteSandbox]:
    with RemoteSandbox(double.address, attempts=3, concurrency=8) as opened:
        double.requests.clear()
        yield opened


def run(sandbox: RemoteSandbox, source: str, limits: Limits = LIMITS, **parts: Any) -> Execution:
    [execution] = sandbox.run([Program(source, **parts)], limits)
    return execution


def test_a_python_program_gets_exact_bytes_arguments_and_files(sandbox: RemoteSandbox) -> None:
    source = "import sys\nprint(list(sys.stdin.buffer.read()), sys.argv[1:], open('in/a.txt').read())"
    execution = run(sandbox, source, stdin=b"\xff\x00", arguments=("one", "two words"), files={"in/a.txt": b"content"})
    assert execution.stdout == b"[255, 0] ['one', 'two words'] content\n", execution
    assert (execution.status, execution.exit_code, execution.backend) == (Status.OK, 0, "remote")
    assert execution.missing


def test_output_comes_back_byte_for_byte_however_much_it_is(sandbox: RemoteSandbox) -> None:
    execution = run(sandbox, r"import sys; sys.stdout.buffer.write(b'\xff\n' * 700_000); sys.stderr.write('end')")
    assert execution.status is Status.OK
    assert execution.stdout == b"\xff\n" * 700_000
    assert execution.stderr == b"end"


def test_the_channel_is_apart_from_the_output_and_there_only_when_asked_for(sandbox: RemoteSandbox) -> None:
    source = "import os\nprint('out')\nos.write(3, b'private')"
    asked, unasked = sandbox.run([Program(source, channel=True), Program(source)], LIMITS)
    assert (asked.status, asked.stdout, asked.result) == (Status.OK, b"out\n", b"private")
    assert (unasked.status, unasked.result) == (Status.NONZERO_EXIT, b"")
    assert b"Bad file descriptor" in unasked.stderr


@pytest.mark.parametrize(
    ("source", "status", "wanted"),
    [
        ("raise SystemExit(3)", Status.NONZERO_EXIT, {"exit_code": 3, "reason": "exit code 3"}),
        ("import sys; sys.exit('no')", Status.NONZERO_EXIT, {"exit_code": 1, "stderr": b"no\n"}),
        ("import os; os.abort()", Status.SIGNALLED, {"exit_code": None, "signal": 6}),
        ("while True: pass", Status.TIME_LIMIT, {"exit_code": None, "signal": None}),
        ("import time; time.sleep(60)", Status.TIME_LIMIT, {"reason": "it ran for more than 1 s"}),
        ("x = bytearray(3 << 30)", Status.MEMORY_LIMIT, {}),
        ("print('x' * 3000)", Status.OUTPUT_LIMIT, {"stdout": b"x" * 2000, "truncated": True}),
        ("import os\nfor n in range(300): os.dup(1)", Status.NONZERO_EXIT, {}),
        ("open('big', 'wb').write(bytes(2 << 20))", Status.DISK_LIMIT, {}),
        ("def f(:", Status.NONZERO_EXIT, {"exit_code": 1}),
        ("import atexit; atexit.register(print, 'last'); print('first')", Status.OK, {"stdout": b"first\nlast\n"}),
        ("import sys; print(sys.stdin.read()); input()", Status.NONZERO_EXIT, {"exit_code": 1}),
        ("print(__name__, __file__[-10:])", Status.OK, {"stdout": b"__main__ program.py\n"}),
    ],
)
def test_each_fate_has_its_status(sandbox: RemoteSandbox, source: str, status: Status, wanted: dict[str, Any]) -> None:
    late = status is Status.TIME_LIMIT
    limits = Limits(
        cpu_seconds=0.5 if late else 5,
        wall_seconds=1.0 if late else 30,
        stdout_bytes=2000,
        result_bytes=2000,
        scratch_bytes=1 << 20,
    )
    execution = run(sandbox, source, limits)
    assert execution.status is status, execution
    assert {name: getattr(execution, name) for name in wanted} == wanted


def test_a_traceback_shows_the_program_and_not_what_stands_in_front_of_it(sandbox: RemoteSandbox) -> None:
    execution = run(sandbox, "def f():\n    return 1 / 0\nf()")
    text = execution.stderr.decode()
    assert "line 2, in f\n    return 1 / 0" in text
    assert text.rstrip().endswith("ZeroDivisionError: division by zero")


def test_named_files_come_back_but_not_what_links_lead_to(sandbox: RemoteSandbox) -> None:
    source = "import os\nopen('a', 'w').write('text'); os.symlink('/etc/hostname', 'b'); os.mkdir('c')"
    execution = run(sandbox, source, collect=("a", "b", "c", "d"))
    assert execution.files == {"a": b"text"}


@pytest.mark.parametrize(
    "source",
    [
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
        "import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)",
        "import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(60)",
        "import os\nos.write(1, b'0' * 32 + b' {\"exit\": 0}'); os._exit(7)",
        "import os, glob\nfor name in glob.glob('*') + glob.glob('.*'): os.remove(name)\nos._exit(7)",
    ],
)
def test_a_program_that_turns_on_its_watcher_wins_no_missing_score(sandbox: RemoteSandbox, source: str) -> None:
    execution = run(sandbox, source, Limits(cpu_seconds=2, wall_seconds=1))
    assert execution.status in (Status.SIGNALLED, Status.NONZERO_EXIT, Status.TIME_LIMIT), execution
    assert len(sandbox_requests(sandbox)) == 1  # and none was tried again


def sandbox_requests(sandbox: RemoteSandbox) -> list[Any]:
    return [request for request in _DOUBLES[sandbox.address].requests if request[0] == "/run_code"]


_DOUBLES: dict[str, Double] = {}


@pytest.fixture(autouse=True)
def _known(double: Double) -> Iterator[None]:
    _DOUBLES[double.address] = double
    yield
    del _DOUBLES[double.address]


def forging(body: dict[str, Any], report: bytes) -> dict[str, Any]:
    """What comes back where a program could write in its watcher's name."""
    token = re.search(r'\{"token": "(\w+)"', body["stdin"])
    assert token is not None
    text = f"{token[1]} ready\n{token[1]} ".encode() + report + b"\n"
    result = {"status": "Finished", "execution_time": 0.1, "return_code": 0, "stdout": text.decode(), "stderr": ""}
    return {"status": "Success", "message": "", "run_result": result, "files": {}}


@pytest.mark.parametrize(
    "report",
    [b"", b"{}", b"[]", b"null", b"[" * 5000, b'{"outputs": 3}', b'{"outputs": [["!", 0], ["", 0], ["", 0]]}', b"NaN"],
)
def test_a_forged_report_is_the_programs_failure(double: Double, sandbox: RemoteSandbox, report: bytes) -> None:
    double.answer = lambda body: forging(body, report)
    assert run(sandbox, "print(1)").status is Status.SIGNALLED


def reply(run_result: Any, compile_result: Any = None, status: str = "Failed", message: str = "") -> dict[str, Any]:
    whole = {"status": status, "message": message, "compile_result": compile_result, "run_result": run_result}
    return whole | {"executor_pod_name": None, "files": {}}


def result(status: str = "Finished", code: int | None = 0, out: Any = "", error: str = "") -> dict[str, Any]:
    return {"status": status, "execution_time": 0.25, "return_code": code, "stdout": out, "stderr": error}


COMPILED = result()
TOO_LONG = "compiling it took too long"


@pytest.mark.parametrize(
    ("answer", "status", "wanted"),
    [
        (reply(result(out="5\n"), COMPILED, "Success"), Status.OK, {"stdout": b"5\n", "exit_code": 0}),
        (reply(result(code=3), COMPILED), Status.NONZERO_EXIT, {"exit_code": 3}),
        (reply(result(code=-11), COMPILED), Status.SIGNALLED, {"signal": 11, "exit_code": None}),
        (reply(result("TimeLimitExceeded", None, "so far"), COMPILED), Status.TIME_LIMIT, {"stdout": b"so far"}),
        (reply(result(code=1, error="std::bad_alloc"), COMPILED), Status.MEMORY_LIMIT, {}),
        (reply(None, result(code=1, error="error: x")), Status.COMPILE_ERROR, {"stderr": b"error: x"}),
        (reply(None, result("TimeLimitExceeded", None)), Status.COMPILE_ERROR, {"reason": TOO_LONG}),
        (reply(result(out="x" * (1 << 20)), COMPILED, "Success"), Status.OUTPUT_LIMIT, {"truncated": True}),
    ],
)
def test_replies_about_compiled_programs_are_read(
    double: Double, sandbox: RemoteSandbox, answer: Any, status: Status, wanted: dict[str, Any]
) -> None:
    double.answer = lambda body: answer
    execution = run(sandbox, "int main() {}", Limits(wall_seconds=7), language="c++", stdin=b"5")
    assert execution.status is status, execution
    assert {name: getattr(execution, name) for name in wanted} == wanted
    _, body, _ = double.requests[-1]
    assert (body["language"], body["stdin"], body["run_timeout"]) == ("cpp", "5", 7)


def fail_once(status: int, **headers: str) -> Any:
    def fault(handler: Handler) -> bool:
        handler.reply(status, {"error": "not now"}, **headers)
        return True

    return fault


def hang_up(handler: Handler) -> bool:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)
    return True


def sandbox_error(handler: Handler) -> bool:
    handler.reply(200, reply(result("Error", None, error="no space"), status="SandboxError", message="no space"))
    return True


def not_started(handler: Handler) -> bool:
    handler.reply(200, reply(result(code=127, error="python: command not found")))
    return True


@pytest.mark.parametrize(
    "fault",
    [fail_once(503, Retry_After="0"), fail_once(429), fail_once(500), fail_once(502), hang_up, not_started],
    ids=["503", "429", "500", "502", "hang up", "not started"],
)
def test_what_may_pass_by_itself_is_tried_again(double: Double, sandbox: RemoteSandbox, fault: Any) -> None:
    double.faults = [fault, fault]
    assert run(sandbox, "print(1)").stdout == b"1\n"
    assert len(double.requests) == 3


@pytest.mark.parametrize(
    ("fault", "tries", "message"),
    [
        (fail_once(503), 3, "failed 3 times or for too long: status 503"),
        (hang_up, 3, "failed 3 times or for too long: RemoteProtocolError"),
        (sandbox_error, 3, "no space"),
        (not_started, 3, "the service did not start the program: python: command not found"),
        (fail_once(401), 1, r"refused: status 401 (is the token right?)"),
        (fail_once(404), 1, r"refused: status 404 (is this SandboxFusion?)"),
        (fail_once(422), 1, "refused: status 422"),
        (lambda handler: handler.reply(200, b"<html>") or True, 1, "its answer to /run_code is no JSON"),
        (lambda handler: handler.reply(200, {"a": 1}) or True, 3, "expected one with a status of SandboxFusion's"),
        (lambda handler: handler.reply(200, reply({"status": "?"})) or True, 3, "the result of a command is"),
        (lambda handler: handler.reply(200, b"[" * 100_000) or True, 1, "its answer to /run_code nests too deep"),
        (lambda handler: handler.reply(200, reply(result(out={}))) or True, 3, "stdout of a command is {}; expected a"),
        (lambda handler: handler.reply(200, reply(result() | {"execution_time": 10**400})) or True, 3, "not start"),
        (lambda handler: handler.reply(302, b"", Location="http://127.0.0.1:9/") or True, 1, "refused: status 302"),
    ],
)
def test_a_failure_of_the_service_is_never_the_programs(
    double: Double, sandbox: RemoteSandbox, fault: Any, tries: int, message: str
) -> None:
    double.faults = [fault] * 9
    execution = run(sandbox, "print(1)")
    assert execution.status is Status.SANDBOX_ERROR
    assert message in execution.reason
    assert len(double.requests) == tries


@pytest.mark.parametrize(
    "answer",
    [
        reply(result(code=None), result()),
        reply({"status": "Finished"}, result(), "Success"),
        reply(result("Error", None), result()),
        reply(None, {"status": "Finished"}),
        reply(result() | {"return_code": "0"}, result()),
        reply(result() | {"return_code": False}, result()),
    ],
)
def test_an_answer_that_does_not_say_how_a_program_ended_is_no_score(
    double: Double, sandbox: RemoteSandbox, answer: Any
) -> None:
    double.answer = lambda body: answer
    execution = run(sandbox, "int main() {}", language="c++")
    assert execution.status is Status.SANDBOX_ERROR
    assert "no return code, so nothing says how it ended" in execution.reason


def test_an_answer_that_trickles_in_without_end_is_given_up(
    double: Double, sandbox: RemoteSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.sandbox.remote.service._QUEUE_SECONDS", -5.0)  # half a second is left of 5.5

    def trickle(handler: Handler) -> bool:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while True:  # until the client is gone
            handler.wfile.write(b" ")
            time.sleep(0.05)

    double.faults = [trickle] * 3
    execution = run(sandbox, "print(1)", Limits(wall_seconds=0.5))
    assert execution.status is Status.SANDBOX_ERROR
    assert "failed 3 times or for too long: its answer did not arrive within 0.5 s" in execution.reason


def test_an_answer_longer_than_any_program_can_make_it_is_refused(double: Double, sandbox: RemoteSandbox) -> None:
    double.faults = [lambda handler: handler.reply(200, b" " * (18 << 20)) or True]
    small = Limits(stdout_bytes=1, stderr_bytes=1, result_bytes=1, scratch_bytes=1 << 16)
    execution = run(sandbox, "print(1)", small)
    assert execution.status is Status.SANDBOX_ERROR
    assert "refused: its answer to /run_code is longer than 16 MiB, more than a program can say" in execution.reason


def test_one_programs_trouble_costs_the_others_nothing(sandbox: RemoteSandbox) -> None:
    good, bad = sandbox.run([Program("print(1)"), Program("", stdin="text")], LIMITS)  # type: ignore[arg-type]
    assert good.stdout == b"1\n"
    assert (bad.status, bad.reason[:18]) == (Status.SANDBOX_ERROR, "the client failed:")


def test_connections_are_kept_and_bounded(double: Double, sandbox: RemoteSandbox) -> None:
    double.answer = lambda body: forging(body, OK_REPORT)
    executions = sandbox.run([Program(f"print({n})") for n in range(100)], LIMITS)
    assert {execution.status for execution in executions} == {Status.OK}
    assert double.most <= 8
    assert double.connections <= 9  # one of them by the probe


OK_REPORT = (
    b'{"exit": 0, "signal": null, "killed": "", "cpu": 0, "wall": 0, "peak": 0, "files": {},'
    b' "outputs": [["", false], ["", false], ["", false]]}'
)


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


def slow(body: dict[str, Any]) -> dict[str, Any]:
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
        (("http://localhost",), {"attempts": 0}, "attempts is 0; expected a positive number"),
        (("http://localhost",), {"concurrency": 1.5}, "concurrency is 1.5; expected a positive number, and a whole"),
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


def test_suites_are_judged_here_and_what_is_expected_is_never_sent(double: Double, sandbox: RemoteSandbox) -> None:
    verifier = CodeVerifier(sandbox, limits=LIMITS)
    secret = "731946825"
    suites = [
        TestSuite.from_stdio([("3\n", f"{secret}\n")]),
        TestSuite.from_asserts(f"assert f(2) == {secret}", entry_point="f"),
        TestSuite.from_calls("f", [((2,), {}, int(secret))]),
    ]
    right = [f"print({secret})", f"def f(x): return {secret}", f"def f(x): return {secret}"]
    wrong = ["print(1)", "def f(x): return 1", "import os\nos._exit(0)"]
    assert [result.score for result in verifier.verify(right, suites)] == [1.0] * 3
    double.requests.clear()
    assert [result.score for result in verifier.verify(wrong, suites)] == [0.0] * 3
    assert double.requests
    assert all(secret not in str(body) and encoded(secret) not in str(body) for _, body, _ in double.requests)


def encoded(text: str) -> str:
    import base64

    return base64.b64encode(text.encode()).decode()[:8]


def test_tests_that_need_two_joined_programs_get_no_score_with_the_reason(sandbox: RemoteSandbox) -> None:
    suite = TestSuite.from_code("import random\ndef check(candidate):\n    assert candidate(1) == 2", entry_point="f")
    calls = TestSuite.from_calls("f", [((1,), {}, 2)])
    linked, plain = CodeVerifier(sandbox, limits=LIMITS).verify(["def f(x): return x + 1"] * 2, [suite, calls])
    assert (linked.verdict, linked.score) == (Verdict.ERROR, None)
    assert "runs one program for each request, and cannot join two" in linked.reason
    assert plain.score == 1.0


def test_a_service_that_is_gone_leaves_no_score(double: Double, sandbox: RemoteSandbox) -> None:
    double.faults = [hang_up] * 9
    [result] = CodeVerifier(sandbox).verify(["print(1)"], [TestSuite.from_stdio([("", "1")])])
    assert (result.verdict, result.score) == (Verdict.ERROR, None)
    assert "failed 3 times or for too long" in result.reason
