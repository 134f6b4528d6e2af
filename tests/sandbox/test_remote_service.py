"""The remote sandbox where the service fails, answers nonsense or never ends: ours, tried again, or no score."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox import Limits, Program, Status
from assay.sandbox.remote import RemoteSandbox

sys.path.insert(0, str(Path(__file__).parent))
from fusion_double import LIMITS, OK_REPORT, Double, Handler, fail_once, forging, hang_up, reply, result, run


@pytest.fixture
def sandbox(double: Double) -> Iterator[RemoteSandbox]:
    with RemoteSandbox(double.address, attempts=3, concurrency=8) as opened:
        double.requests.clear()
        yield opened


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
    class Broken(dict[str, bytes]):
        """Files that can be listed once, when they are checked, and not when they are sent."""

        listed = False

        def items(self) -> Any:
            if self.listed:
                raise OSError("the disk went away")
            self.listed = True
            return super().items()

    good, bad = sandbox.run([Program("print(1)"), Program("", files=Broken(a=b""))], LIMITS)
    assert good.stdout == b"1\n"
    assert (bad.status, bad.reason[:18]) == (Status.SANDBOX_ERROR, "the client failed:")


def test_connections_are_kept_and_bounded(double: Double, sandbox: RemoteSandbox) -> None:
    double.answer = lambda body: forging(body, OK_REPORT)
    executions = sandbox.run([Program(f"print({n})") for n in range(100)], LIMITS)
    assert {execution.status for execution in executions} == {Status.OK}
    assert double.most <= 8
    assert double.connections <= 9  # one of them by the probe
