"""The remote sandbox against SandboxFusion's interface: what it sends, what it reads, and what it makes of failures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox import Limits, Program, Status
from assay.sandbox.remote import RemoteSandbox
from assay.verifiers import CodeVerifier, TestSuite, Verdict

sys.path.insert(0, str(Path(__file__).parent))
from fusion_double import LIMITS, Double, forging, hang_up, run


@pytest.fixture
def sandbox(double: Double) -> Iterator[RemoteSandbox]:
    with RemoteSandbox(double.address, attempts=3, concurrency=8) as opened:
        double.requests.clear()
        yield opened


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


@pytest.mark.parametrize(
    "report",
    [b"", b"{}", b"[]", b"null", b"[" * 5000, b'{"outputs": 3}', b'{"outputs": [["!", 0], ["", 0], ["", 0]]}', b"NaN"],
)
def test_a_forged_report_is_the_programs_failure(double: Double, sandbox: RemoteSandbox, report: bytes) -> None:
    double.answer = lambda body: forging(body, report)
    assert run(sandbox, "print(1)").status is Status.SIGNALLED


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
