"""The local sandbox's own promises, beyond the contract of every sandbox."""

import asyncio
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.group import _assay
from assay.errors import InputError, SandboxUnavailable, UnknownName
from assay.sandbox import BACKENDS, Limits, Program, Sandbox, Status, open_sandbox
from assay.sandbox.canaries import Canaries
from assay.sandbox.conformance import SandboxConformance, _judge
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import Machine, machine
from assay.sandbox.local.sandbox import UnisolatedWarning
from assay.sandbox.local.unisolated import run as run_unisolated

ATTACKS = Path(__file__).parents[1] / "data" / "sandbox" / "attacks"
isolating = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


def test_the_default_sandbox_is_the_local_one() -> None:
    if "E" in machine().modes:
        pytest.skip("this machine cannot isolate programs at all")
    with open_sandbox() as sandbox:
        assert isinstance(sandbox, LocalSandbox)
        assert isinstance(sandbox, Sandbox)
        assert "local" in BACKENDS


def test_an_unknown_backend_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="no sandbox backend is called 'locla'; did you mean 'local'"):
        open_sandbox("locla")


def test_importing_the_sandbox_loads_nothing_heavy_and_starts_nothing() -> None:
    script = (
        "import sys, assay.sandbox\n"
        "heavy = {'numpy', 'sympy', 'torch', 'pytest', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "print('assay.sandbox.local' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[]\nFalse\n", done.stderr


@isolating
def test_what_no_run_can_do_is_refused_with_a_reason(sandbox: LocalSandbox) -> None:
    for program, limits, message in (
        (Program("", arguments=("a\0b",)), Limits(), "argument 'a\\x00b' holds a zero byte"),
        (Program("", profile="huge"), Limits(), "profile is 'huge'; expected 'auto' or one of light, numpy, sci"),
        (
            Program(""),
            Limits(memory_bytes=1 << 20),
            "limit memory_bytes is 1048576; no program can start with less than",
        ),
        (Program(""), Limits(open_files=4), "limit open_files is 4; no program can start with less than 16"),
        (Program(""), Limits(stack_bytes=1), "limit stack_bytes is 1; no program can start with less than 262144"),
        (Program(""), Limits(wall_seconds=float("nan")), "limit wall_seconds is nan; expected a positive number"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            sandbox.run([program], limits)
    smallest = Limits(
        cpu_seconds=9, memory_bytes=16 << 20, open_files=16, processes=1, scratch_bytes=1, scratch_inodes=1
    )
    [execution] = sandbox.run(
        [Program("print(open('a').read())", files={"a": b"x"})], replace(smallest, scratch_bytes=4096)
    )
    assert (execution.status, execution.stdout) == (Status.OK, b"x\n"), execution


@isolating
def test_a_cancelled_task_ends_its_programs(sandbox: LocalSandbox) -> None:
    async def cancel() -> float:
        task = asyncio.ensure_future(sandbox.arun([Program("import time; time.sleep(60)")] * 5, Limits(cpu_seconds=60)))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        started = time.monotonic()
        [execution] = await sandbox.arun([Program("print(1)")], Limits(cpu_seconds=60))
        assert execution.stdout == b"1\n"
        return time.monotonic() - started

    assert asyncio.run(cancel()) < 30


@isolating
@pytest.mark.parametrize("moment", [0.0, 0.02, 0.05, 0.3])  # while a slot starts, while a run begins, in its middle
def test_closing_a_sandbox_ends_what_other_threads_run_in_it(moment: float) -> None:
    sandbox = LocalSandbox(slots=2)
    failures: list[Exception] = []

    def call() -> None:
        try:
            sandbox.run([Program("import time; time.sleep(60)")] * 4, Limits(cpu_seconds=60))
        except SandboxUnavailable as error:
            failures.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(moment)
    sandbox.close()
    thread.join(50)
    assert not thread.is_alive()
    assert [str(error) for error in failures] == ["this sandbox is closed; open another one with open_sandbox()"]


def test_slots_must_be_positive() -> None:
    with pytest.raises(InputError, match="slots is 0; expected at least 1"):
        LocalSandbox(slots=0)


@isolating
def test_every_execution_says_what_was_enforced_and_what_was_missing(sandbox: LocalSandbox) -> None:
    [execution] = sandbox.run([Program("print(1)")])
    assert execution.backend == "local"
    assert execution.enforced == machine().enforced(sandbox.mode)
    assert "seccomp" in execution.enforced
    assert execution.missing == sandbox.missing
    assert execution.cpu_seconds > 0
    assert execution.wall_seconds > 0
    assert execution.peak_memory_bytes > 1 << 20


@isolating
def test_queue_time_is_apart_from_wall_time() -> None:
    with LocalSandbox(slots=1) as one:
        executions = one.run([Program("import time; time.sleep(0.3)")] * 3, Limits(cpu_seconds=5, wall_seconds=20))
    assert [execution.status for execution in executions] == [Status.OK] * 3
    queued = [execution.queue_seconds for execution in executions]
    assert queued == sorted(queued)
    assert queued[2] >= 0.6
    assert all(execution.wall_seconds >= 0.3 for execution in executions)


@isolating
def test_no_more_programs_run_at_once_than_there_are_slots(sandbox: LocalSandbox) -> None:
    intervals: list[tuple[float, float]] = []
    source = "import time; a = time.time(); time.sleep(0.15); print(a, time.time())"

    def call() -> None:
        for execution in sandbox.run([Program(source)] * 3):
            start, end = map(float, execution.stdout.split())
            intervals.append((start, end))

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(intervals) == 9
    for moment, _ in intervals:
        assert sum(start <= moment < end for start, end in intervals) <= 2


@isolating
def test_cpu_time_of_all_processes_together_decides(sandbox: LocalSandbox) -> None:
    source = "import os\nfor _ in range(3): os.fork()\nwhile True: pass"
    [execution] = sandbox.run([Program(source)], Limits(cpu_seconds=0.6, wall_seconds=30))
    if sandbox.mode == "D":
        pytest.skip("no processes in mode D")
    assert execution.status is Status.TIME_LIMIT
    assert "0.6 s of CPU time" in execution.reason
    assert execution.cpu_seconds < 3


@isolating
def test_too_many_processes_and_open_files_are_refused(sandbox: LocalSandbox) -> None:
    if sandbox.mode == "D":
        pytest.skip("no processes in mode D")
    forks = "import os, time\nfor n in range(99):\n    if os.fork() == 0: time.sleep(60)\n"
    [execution] = sandbox.run([Program(forks)], Limits(cpu_seconds=5, processes=8))
    assert execution.status is Status.PROCESS_LIMIT, execution
    opens = "files = [open('/dev/null') for _ in range(99)]"
    [execution] = sandbox.run([Program(opens)], Limits(cpu_seconds=5, open_files=32))
    assert (execution.status, b"Too many open files" in execution.stderr) == (Status.NONZERO_EXIT, True)


@isolating
def test_memory_of_all_processes_together_is_limited_by_the_cgroup(sandbox: LocalSandbox) -> None:
    if sandbox.mode != "A":
        pytest.skip("only a cgroup counts processes together")
    source = (
        "import os, time\nfor _ in range(6):\n"
        "    if os.fork() == 0: x = b'x' * (60 << 20); time.sleep(20); os._exit(0)\n"
        "for _ in range(6): assert os.wait()[1] == 0"
    )
    limits = Limits(
        cpu_seconds=10, wall_seconds=15, memory_bytes=128 << 20, scratch_bytes=1 << 20, result_bytes=1 << 20
    )
    [execution] = sandbox.run([Program(source)], limits)
    assert execution.status in (Status.MEMORY_LIMIT, Status.NONZERO_EXIT), execution
    assert execution.wall_seconds < 15
    [touch] = sandbox.run([Program("x = b'x' * (200 << 20)")], limits)
    assert touch.status is Status.MEMORY_LIMIT, touch
    assert sandbox.run([Program("print(1)")], limits)[0].status is Status.OK


@isolating
def test_the_environment_and_the_hash_seed_are_the_same_for_every_run(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "x")
    source = "import os; print(sorted(os.environ), hash('a'), list({'a', 'b', 'c'}))"
    outputs = {execution.stdout for execution in sandbox.run([Program(source)] * 6)}
    with LocalSandbox(slots=1) as other:
        outputs.add(other.run([Program(source)])[0].stdout)
    assert len(outputs) == 1
    assert b"SOME_SECRET" not in outputs.pop()


@isolating
def test_the_library_path_of_the_interpreter_itself_is_kept(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f"{sys.base_prefix}/lib"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/home/somebody/lib:{own}")
    with LocalSandbox(slots=1) as other:
        [execution] = other.run([Program("import os; print(os.environ['LD_LIBRARY_PATH'])")])
    assert execution.stdout.decode() == f"{own}\n"


@isolating
def test_python_behaves_as_it_does_outside(sandbox: LocalSandbox) -> None:
    source = (
        "import sys, os\n"
        "print(__name__, sys.argv, __file__ == os.path.join(os.getcwd(), 'program.py'), sys.stdin.encoding)\n"
        "print(os.path.dirname(sys.path[0]) != '', 'slot' in sys.modules, sys.flags.optimize)\n"
        "def f():\n    return 1 / 0  # here\n"
        "f()\n"
    )
    [execution] = sandbox.run([Program(source)])
    assert execution.stdout == b"__main__ ['program.py'] True utf-8\nTrue False 0\n"
    words = execution.stderr.decode()
    assert words.startswith('Traceback (most recent call last):\n  File "program.py", line 6, in <module>\n    f()\n')
    assert "return 1 / 0  # here" in words
    assert words.endswith("ZeroDivisionError: division by zero\n")


@isolating
def test_files_that_are_links_or_no_files_do_not_come_back(sandbox: LocalSandbox) -> None:
    if sandbox.mode not in "AB":
        pytest.skip("without namespaces programs write no files")
    source = (
        "import os, socket\nos.symlink('/etc/passwd', 'link'); os.mkdir('folder'); open('good', 'w').write('yes')\n"
        "os.symlink('folder', 'linked'); open('folder/inner', 'w').write('in')\n"
        "socket.socket(socket.AF_UNIX).bind('socket'); open('big', 'w').truncate(200 << 20) if 0 else None"
    )
    names = ("link", "folder", "good", "linked/inner", "folder/inner", "socket", "absent")
    [execution] = sandbox.run([Program(source, collect=names)])
    assert execution.status is Status.OK, execution
    assert execution.files == {"good": b"yes", "folder/inner": b"in"}


@isolating
def test_linked_programs_are_two_sandboxes(sandbox: LocalSandbox) -> None:
    if sandbox.mode not in "AB":
        pytest.skip("without namespaces programs write no files")
    left = Program("import os\nopen('/tmp/left', 'w').close(); os.write(3, b'x'); os.read(3, 1)")
    right = Program(
        "import os\nos.read(3, 1)\n"
        "print(os.path.lexists('/tmp/left'), len([p for p in os.listdir('/proc') if p.isdigit()]))"
    )
    [(_, execution)] = sandbox.run_linked([(left, right)])
    assert execution.stdout == b"False 1\n", execution


@isolating
def test_a_linked_program_that_hangs_ends_at_its_limit_and_the_other_is_kept(sandbox: LocalSandbox) -> None:
    hang = Program("while True: pass")
    reader = Program("import os; print(os.read(3, 10))")
    [(first, second)] = sandbox.run_linked([(hang, reader)], Limits(cpu_seconds=0.5, wall_seconds=20))
    assert first.status is Status.TIME_LIMIT
    assert (second.status, second.stdout) == (Status.OK, b"b''\n")


def test_programs_limits_and_executions_can_be_pickled() -> None:
    for value in (Program("x", files={"a": b"b"}), Limits(), Status.OK):
        assert pickle.loads(pickle.dumps(value)) == value


def test_without_isolation_nothing_runs_unless_asked_and_then_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Machine({"root": False, "system": "this is not Linux"}, None)
    monkeypatch.setattr("assay.sandbox.local.machine.machine", lambda: bare)
    monkeypatch.setattr("assay.sandbox.local.sandbox.machine", lambda: bare)
    with pytest.raises(SandboxUnavailable, match="this is not Linux"):
        LocalSandbox()
    for _ in range(2):
        with pytest.warns(UnisolatedWarning, match="programs run without isolation"):
            sandbox = LocalSandbox(slots=2, unsafe_allow_unisolated=True)
        with sandbox:
            assert sandbox.mode == "E"
            programs = [
                Program("print(input())", stdin=b"in\n"),
                Program("import os; os.write(3, b'private')", channel=True),
                Program("import time; time.sleep(60)"),
                Program(
                    "import sys; print(open('a/b').read()); open('out', 'w').write('o'); sys.exit(2)",
                    files={"a/b": b"f"},
                    collect=("out",),
                ),
                Program("print('x' * 10**6)"),
            ]
            limits = Limits(cpu_seconds=5, wall_seconds=2, stdout_bytes=1000)
            good, private, slow, failing, loud = sandbox.run(programs, limits)
        assert (good.status, good.stdout, good.enforced, good.missing) == (Status.OK, b"in\n", (), ("everything",))
        assert private.result == b"private"
        assert slow.status is Status.TIME_LIMIT
        assert (failing.status, failing.exit_code, failing.files) == (Status.NONZERO_EXIT, 2, {"out": b"o"})
        assert (loud.status, len(loud.stdout)) == (Status.OUTPUT_LIMIT, 1000)


def test_isolation_does_not_warn() -> None:
    if "E" in machine().modes:
        pytest.skip("this machine cannot isolate programs at all")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LocalSandbox(slots=1, unsafe_allow_unisolated=True).close()


@isolating
def test_a_self_test_that_lets_an_attack_out_refuses_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sandbox.local.selftest._ATTACKS", "print('OUT read a file of the host')\nprint('END')")
    with pytest.raises(SandboxUnavailable, match=r"\(mode .\) failed its self-test.*read a file of the host"):
        LocalSandbox(slots=1)
    monkeypatch.setattr("assay.sandbox.local.selftest._ATTACKS", "raise SystemExit(3)")
    with pytest.raises(SandboxUnavailable, match="did not run to their end"):
        LocalSandbox(slots=1)


def test_the_judge_of_attacks_is_not_blind() -> None:
    """A harmless attack that runs without isolation is seen to get out."""
    from assay.sandbox.local.job import Command
    from assay.sandbox.local.slot import protocol

    port = 20000 + os.getpid() % 10000  # on the attacks' own, other tests that run meanwhile would see it, and fail
    source = (ATTACKS / "n01_tcp_loopback.py").read_text().replace("18765", str(port))
    with Canaries(port) as canaries:
        [execution] = run_unisolated([Program(source)], [Command(protocol.PYTHON, ())], Limits(), 10)
        with pytest.raises(AssertionError):
            _judge(source, execution, canaries)
        for _ in range(60):  # its thread looks ten times in a second
            if canaries.touched:
                break
            time.sleep(0.2)
        assert canaries.touched
        honest = "# JUDGE: status=timeout"
        with pytest.raises(AssertionError):
            _judge(honest, execution, canaries)


def test_every_attack_of_the_corpus_is_run_by_the_contract(shared: Path) -> None:
    handed = {path.name: path.read_bytes() for path in (shared / "cases" / "sandbox" / "attacks").glob("*.py")}
    assert handed == {path.name: path.read_bytes() for path in ATTACKS.glob("*.py")}
    assert len(handed) >= 40
    assert hasattr(SandboxConformance, "test_no_attack_gets_through")


def test_the_doctor_tells_mode_layers_gaps_toolchains_and_docker() -> None:
    result = CliRunner().invoke(_assay, ["doctor"])
    words = result.output
    mode = machine().modes[0]
    for title in ("system", "mode", "tried", "enforced", "not covered", "toolchains", "docker"):
        assert re.search(rf"^{title}\s", words, re.MULTILINE) or (mode == "E" and title == "enforced"), title
    assert f"{mode}: " in words
    assert result.exit_code == (1 if mode == "E" else 0)


def test_the_doctors_exit_status_follows_the_mode_that_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Machine(
        {"root": False, "seccomp": True, "landlock": 7, "root_namespaces": "no", "user_namespaces": "no"}, None
    )
    for module in ("cli.doctor_command", "sandbox.local.machine", "sandbox.local.sandbox"):
        monkeypatch.setattr(f"assay.{module}.machine", lambda: weak)
    strict = CliRunner().invoke(_assay, ["doctor", "--require", "B"])
    assert strict.exit_code == 1
    assert "D: Landlock and seccomp" in strict.output
    assert "user_namespaces: no" in strict.output
    none = Machine({"root": os.getuid() == 0, "seccomp": "no seccomp"}, None)
    for module in ("cli.doctor_command", "sandbox.local.machine", "sandbox.local.sandbox"):
        monkeypatch.setattr(f"assay.{module}.machine", lambda: none)
    refused = CliRunner().invoke(_assay, ["doctor"])
    assert refused.exit_code == 1
    assert "E: nothing" in refused.output


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("out = open(1, 'w'); out.write('42')", b"42"),
        ("import sys; print('a'); sys.stdout = open('/dev/null', 'w')", b"a\n"),
        ("class A:\n    def __del__(self): print('end')\na = A()", b"end\n"),
        ("import sys; write = sys.stdout.write; sys.stdout = None; write('42')", b"42"),
        ("print(42); import sys; sys.stdout.close()", b"42\n"),
        ("print(42); raise ValueError", b"42\n"),
        ("import sys; print(sys.stdin.mode, sys.stdout.mode, sys.stdin.name)", b"r w <stdin>\n"),
        ("print(__annotations__, __cached__, __spec__)", b"{} None None\n"),
        ("print(type(__loader__).__name__, __loader__.name)", b"SourceFileLoader __main__\n"),
    ],
)
def test_what_a_program_wrote_late_is_kept_as_python_keeps_it(
    sandbox: LocalSandbox, source: str, stdout: bytes
) -> None:
    assert sandbox.run([Program(source)])[0].stdout == stdout


@isolating
def test_output_that_is_opened_anew_keeps_its_limits_and_its_end(sandbox: LocalSandbox) -> None:
    if sandbox.mode == "D":
        pytest.skip("no processes in mode D")
    flood = "f = open('/dev/stdout', 'w')\nwhile True: f.write('x' * 1000)"
    limits = Limits(cpu_seconds=9, stdout_bytes=100_000, stderr_bytes=1000)
    [flooded] = sandbox.run([Program(flood)], limits)
    assert (flooded.status, flooded.stdout) == (Status.OUTPUT_LIMIT, b"x" * 100_000)
    [errors] = sandbox.run([Program("open('/dev/stderr', 'w').write('e' * 1001)")], limits)
    assert (errors.status, errors.stderr) == (Status.OUTPUT_LIMIT, b"e" * 1000)
    closed = "import os, time  # /dev/stdout\nos.close(1); os.close(2); time.sleep(0.3)"
    left = "import os, time  # /dev/stdout\nif os.fork() == 0: print('x', flush=True); time.sleep(60)\ntime.sleep(0.3)"
    for source, stdout in (
        (closed, b""),
        (left, b"x\n"),
        ("print('x' * 99_998)  # /dev/stdout", b"x" * 99_998 + b"\n"),
    ):
        [execution] = sandbox.run([Program(source)], limits)
        assert (execution.status, execution.stdout) == (Status.OK, stdout), execution
        assert execution.cpu_seconds < 0.3


@isolating
def test_a_program_that_reads_itself_finds_its_file_and_no_other_pays_for_that(sandbox: LocalSandbox) -> None:
    reads = "print(open(__file__).read() == open('program.py').read(), 'é')"
    [execution] = sandbox.run([Program(reads)])
    assert execution.stdout.decode() == "True é\n", execution
    [own] = sandbox.run([Program("print(open('program.py').read())", files={"program.py": b"mine"})])
    assert own.stdout == b"mine\n"
    [full] = sandbox.run([Program(f"__file__\n# {'x' * 9000}\nprint(1)")], Limits(scratch_bytes=4096, cpu_seconds=9))
    assert (full.status, full.stdout) == (Status.OK, b"1\n")
    [other] = sandbox.run([Program("import os; print(os.listdir('.'))")])
    assert other.stdout == b"[]\n"
