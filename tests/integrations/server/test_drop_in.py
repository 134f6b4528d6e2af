"""`assay serve` in place of SandboxFusion: the remote sandbox through it, held to the contract of all sandboxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from reward_server import TOKEN, Served, served

from assay.sandbox import Limits, Program, Sandbox, Status, open_sandbox
from assay.sandbox.conformance import SandboxConformance
from assay.sandbox.remote import RemoteSandbox
from assay.verifiers import CodeVerifier, TestSuite

PROGRAMS = Path(__file__).parents[2] / "data" / "sandbox"
App = Callable[..., Any]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(sandbox=True, token=TOKEN) as started:
        TestThroughTheServer.address = started.address
        yield started.address


@pytest.mark.usefixtures("address")
class TestThroughTheServer(SandboxConformance):
    """The contract, the honest programs, and the attacks that this way of running programs could open anew."""

    programs = PROGRAMS
    attack_limits = Limits(cpu_seconds=0.3, wall_seconds=0.5, processes=64)
    address: ClassVar[str] = ""

    def open(self) -> Sandbox:
        return RemoteSandbox(self.address, token=TOKEN)

    def test_linked_programs_talk_over_one_stream_and_see_each_other_end(self, sandbox: Sandbox) -> None:
        """It cannot: the interface runs one program for each request. It says so, and nobody is scored for it."""
        [(left, right)] = sandbox.run_linked([(Program(""), Program(""))])
        assert left.status is right.status is Status.SANDBOX_ERROR
        assert "cannot join two" in left.reason


def test_code_is_judged_as_by_the_local_sandbox(address: str) -> None:
    asserts = "def f(x): return x * 2", "def f(x): return [x]", "def f(x): raise ValueError(x)", "def f(x:", "f = 3"
    suite = TestSuite.from_asserts("assert f(2) == 4\nassert f(0) == 0\nassert f('a') == 'aa'", entry_point="f")
    stdio = "print(int(input()) * 2)", "print(input() * 2)", "while True: pass", "import os; os._exit(0)", "1/0"
    cases = TestSuite.from_stdio([("2\n", "4\n"), ("0\n", "0\n")])
    checked = TestSuite.from_calls("f", [((2,), {}, 4)], checker="def check(a, k, r, e): return r == e")
    completions = [*asserts, *stdio, *asserts]
    suites = [suite] * 5 + [cases] * 5 + [checked] * 5
    limits = Limits(cpu_seconds=0.5, wall_seconds=6)
    with RemoteSandbox(address, token=TOKEN) as remote, open_sandbox("local") as local:
        found, wanted = (
            [
                (result.verdict, result.score, result.details["failure"])
                for result in CodeVerifier(where, limits=limits).verify(completions, suites)
            ]
            for where in (remote, local)
        )
    assert found == wanted


def test_a_busy_server_is_asked_again_until_every_program_has_run(serve: Callable[..., Served]) -> None:
    started = serve(sandbox=True, in_flight=2)
    with RemoteSandbox(started.address, concurrency=8) as sandbox:
        executions = sandbox.run([Program(f"print({number})") for number in range(16)])
        assert [execution.stdout for execution in executions] == [b"%d\n" % number for number in range(16)]
    assert 'assay_requests_refused_total{why="busy"}' in started.ask("/metrics").text


def test_programs_of_clients_that_went_away_are_ended(serve: Callable[..., Served]) -> None:
    started = serve(sandbox=True)
    sleepers = {"code": "import time; time.sleep(100)", "language": "python", "run_timeout": 200}
    with httpx.Client(base_url=started.address, trust_env=False) as client:
        for _ in range(8):  # more than there are slots
            with pytest.raises(httpx.ReadTimeout):
                client.post("/run_code", json=sleepers, timeout=0.5)
    assert started.ask("/run_code", {"code": "print(1)", "language": "python"}).json()["status"] == "Success"
    assert 'assay_runs_total{status="sandbox_error"}' in started.ask("/metrics").text


def test_a_wrong_token_is_named_when_the_sandbox_is_opened(address: str) -> None:
    with pytest.raises(Exception, match="is the token right"):
        RemoteSandbox(address, token="wrong-but-long-enough")


RUNS: Mapping[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "success": ({"code": "print(input())", "stdin": "ä"}, {"status": "Success"}, {"return_code": 0, "stdout": "ä\n"}),
    "failure": ({"code": "import sys; sys.exit(3)"}, {"status": "Failed"}, {"status": "Finished", "return_code": 3}),
    "signal": ({"code": "import os; os.abort()"}, {"status": "Failed"}, {"status": "Finished", "return_code": -6}),
    "time": (
        {"code": "import time; print('so far', flush=True); time.sleep(9)", "run_timeout": 0.5},
        {"status": "Failed"},
        {"status": "TimeLimitExceeded", "return_code": None, "stdout": "so far\n"},
    ),
    "memory": ({"code": "x = bytearray(1 << 30)", "memory_limit_MB": 200}, {"status": "Failed"}, {"return_code": 1}),
    "flood": ({"code": "while True: print('x' * 9999)"}, {"status": "Failed"}, {"status": "Finished"}),
    "files": (
        {"code": "open('b', 'w').write(open('d/a').read() * 2)", "files": {"d/a": "aGk="}, "fetch_files": ["b", "c"]},
        {"status": "Success", "files": {"b": "aGloaQ=="}},
        {"return_code": 0},
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_run_code_answers_in_sandboxfusions_words(server: Served, authorized: Any, name: str) -> None:
    body, whole, result = RUNS[name]
    reply = server.ask("/run_code", {"language": "python", **body}, headers=authorized)
    assert reply.status_code == 200
    found = reply.json()
    assert {key: found[key] for key in whole} == whole, found
    assert {key: found["run_result"][key] for key in result} == result, found
    assert set(found) == {"status", "message", "compile_result", "run_result", "executor_pod_name", "files"}
    assert (found["run_result"]["return_code"] == 0) is (found["status"] == "Success")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"code": "", "language": "lean"}, "language is 'lean'; this server runs python, cpp, nodejs, java, c"),
        ({"code": "", "language": "python", "run_timeout": 999}, "run_timeout is 999; this server lets programs run"),
        ({"code": "", "language": "python", "run_timeout": 0}, "greater than or equal to 0.1"),
        ({"code": "", "language": "python", "run_timeout": 1e-300}, "greater than or equal to 0.1"),
        ({"code": "", "language": "python", "memory_limit_MB": 1 << 20}, "memory_limit_MB is 1048576"),
        ({"code": "", "language": "python", "files": {"a": "?"}}, "file 'a' is not base64"),
        ({"code": "", "language": "python", "files": {"../a": ""}}, "file name '../a' is not relative and plain"),
        ({"code": "", "language": "python", "files": {"a" * 300: ""}}, "is too long; expected at most 255 bytes"),
        ({"code": "", "language": "python", "files": {"a": "", "a/b": ""}}, "'a/b' makes a folder of 'a', which is a"),
        ({"language": "python"}, "code: Field required"),
        ({"code": "", "language": "python", "files": {"a": 1}}, "expected base64, not int, as file 'a'"),
        ({"code": "", "language": "python", "fetch_files": ["a", 1]}, "expected a text, not int, as item 1"),
    ],
)
def test_run_code_refuses_what_it_cannot_do(server: Served, authorized: Any, body: Any, message: str) -> None:
    reply = server.ask("/run_code", body, headers=authorized)
    assert reply.status_code == 422
    assert message in reply.json()["error"]


def test_a_failure_of_the_sandbox_is_told_as_such_and_counted(application: App) -> None:
    with open_sandbox("local", slots=1) as sandbox:
        app = application(sandbox=sandbox)
        sandbox.close()
        found = app.ask("/run_code", {"code": "print(1)", "language": "python"}).json()
        assert (found["status"], found["run_result"]["status"]) == ("SandboxError", "Error")
        assert "this sandbox is closed" in found["message"]
        assert re.search(r'assay_runs_total\{status="sandbox_error"\} 1.0', app.ask("/metrics").text)


def test_compilers_answer_in_their_own_part(server: Served, authorized: Any) -> None:
    bodies = {"right": "#include <iostream>\nint main() { std::cout << 42; }", "wrong": "int main() { return x; }"}
    found = {
        name: server.ask("/run_code", {"code": code, "language": "cpp"}, headers=authorized).json()
        for name, code in bodies.items()
    }
    if "need g++" in found["right"]["message"]:
        pytest.skip("there is no C++ compiler here")
    assert found["right"]["compile_result"]["return_code"] == 0
    assert found["right"]["run_result"]["stdout"] == "42"
    assert found["wrong"]["compile_result"]["return_code"] == 1
    assert "not declared" in found["wrong"]["compile_result"]["stderr"]
    assert found["wrong"]["run_result"] is None


def test_the_shortest_timeout_is_a_time_limit(server: Served, authorized: dict[str, str]) -> None:
    body = {"code": "while True: pass", "language": "python", "run_timeout": 0.1}
    reply = server.ask("/run_code", body, headers=authorized).json()
    assert (reply["status"], reply["run_result"]["status"]) == ("Failed", "TimeLimitExceeded"), reply
