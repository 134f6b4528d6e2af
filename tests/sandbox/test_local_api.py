"""The local sandbox's own promises, beyond the contract of every sandbox."""

import asyncio
import pickle
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.errors import InputError, SandboxUnavailable, UnknownName
from assay.sandbox import BACKENDS, Limits, Program, Sandbox, Status, open_sandbox
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import machine

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
    with pytest.raises(InputError, match="slots is 0; expected a whole number of at least 1"):
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
