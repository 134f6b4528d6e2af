"""Faults that the local sandbox survives."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.sandbox import Execution, Limits, Program, Status
from assay.sandbox.local import LocalSandbox, census
from assay.sandbox.local.machine import machine

pytestmark = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")
ANSWER = Program("print(6*7)")


@pytest.fixture
def sandbox() -> Iterator[LocalSandbox]:
    with LocalSandbox(slots=2) as sandbox:
        yield sandbox


def works(sandbox: LocalSandbox) -> bool:
    return all((e.status, e.stdout) == (Status.OK, b"42\n") for e in sandbox.run([ANSWER] * 4))


def children_of(pid: int) -> list[int]:
    return census._children()[pid]


def our_zygotes() -> list[int]:
    return [zygote for keeper in census.keepers() for zygote in children_of(keeper)]


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def during_a_run(
    sandbox: LocalSandbox, source: str, disturb: Callable[[], None], *, wall_seconds: float = 40
) -> Execution:
    """Run a program, and disturb when it is under way."""
    executions: list[Execution] = []
    limits = Limits(cpu_seconds=20, wall_seconds=wall_seconds)
    thread = threading.Thread(target=lambda: executions.extend(sandbox.run([Program(source)], limits)))
    thread.start()
    wait_until(census.strays)
    disturb()
    thread.join()
    return executions[0]


def test_a_program_killed_from_outside_is_reported_and_its_slot_lives_on(sandbox: LocalSandbox) -> None:
    zygotes = our_zygotes()

    def kill_program() -> None:
        for zygote in our_zygotes():
            for pid in children_of(zygote):
                os.kill(pid, signal.SIGKILL)

    execution = during_a_run(sandbox, "import time; time.sleep(30)", kill_program)
    assert (execution.status, execution.signal) == (Status.SIGNALLED, 9)
    assert works(sandbox)
    assert set(zygotes) <= set(our_zygotes())


@pytest.mark.parametrize("victim", ["zygote", "keeper"])
def test_a_killed_slot_is_replaced_and_its_program_run_again(
    sandbox: LocalSandbox, victim: str, tmp_path: Path
) -> None:
    def kill_slot() -> None:
        [zygote] = [pid for pid in our_zygotes() if children_of(pid)]
        [keeper] = [pid for pid in census.keepers() if zygote in children_of(pid)]
        os.kill(zygote if victim == "zygote" else keeper, signal.SIGKILL)

    execution = during_a_run(sandbox, "import time; time.sleep(1.5); print('again')", kill_slot)
    assert (execution.status, execution.stdout) == (Status.OK, b"again\n"), execution
    assert works(sandbox)


def test_a_slot_that_hangs_is_killed_from_outside_and_its_program_run_again(sandbox: LocalSandbox) -> None:
    def stop_zygote() -> None:
        [zygote] = [pid for pid in our_zygotes() if children_of(pid)]
        os.kill(zygote, signal.SIGSTOP)

    started = time.monotonic()
    execution = during_a_run(sandbox, "import time; time.sleep(1.5); print('again')", stop_zygote, wall_seconds=2.5)
    assert (execution.status, execution.stdout) == (Status.OK, b"again\n"), execution
    assert time.monotonic() - started > 4.5  # the limit and two seconds more, then anew
    assert works(sandbox)


def test_a_run_that_only_waited_for_a_processor_is_run_once_more_a_sleeper_is_not() -> None:
    burn = [sys.executable, "-c", "import os; os.sched_setaffinity(0, {0})\nwhile True: pass"]
    with LocalSandbox(slots=1) as one:
        [zygote] = [zygote for slot in one._pool.idle() for zygote in children_of(slot.keeper)]
        os.sched_setaffinity(zygote, {0})
        burners = [subprocess.Popen(burn) for _ in range(6)]
        try:
            limits = Limits(cpu_seconds=5, wall_seconds=0.6)
            [slot] = one._pool._idle["light"]
            before = slot.runs
            [busy] = one.run([Program("while True: pass")], limits)
            assert (busy.status, slot.runs - before) == (Status.TIME_LIMIT, 2)
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        before = slot.runs
        [sleeper] = one.run([Program("import time; time.sleep(60)")], Limits(cpu_seconds=5, wall_seconds=3))
        assert (sleeper.status, slot.runs - before) == (Status.TIME_LIMIT, 1)


def test_a_killed_supervisor_leaves_no_process_no_cgroup_and_no_file(tmp_path: Path) -> None:
    script = (
        "import os, threading, time\n"
        "from assay.sandbox import Limits, Program\n"
        "from assay.sandbox.local import LocalSandbox, census\n"
        "sandbox = LocalSandbox(slots=2)\n"
        "forks = 'import os, time; [os.fork() for _ in range(3)]; time.sleep(60)'\n"
        "run = lambda: sandbox.run([Program(forks)] * 2, Limits(cpu_seconds=60))\n"
        "threading.Thread(target=run, daemon=True).start()\n"
        "while len(census.strays()) < 2: time.sleep(0.01)\n"
        "family = census._children(); todo = census.keepers(); found = []\n"
        "while todo: found.append(todo.pop()); todo += family[found[-1]]\n"
        "print(*found, flush=True)\n"
        "time.sleep(60)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    pids = [int(text) for text in victim.stdout.readline().split()]
    assert len(pids) >= 6
    victim.kill()
    victim.communicate()
    wait_until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists() and not is_zombie(pid)])
    wait_until(lambda: not list(leftover_cgroups(victim.pid)))


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def leftover_cgroups(pid: int) -> Iterator[str]:
    place = machine().cgroup
    for folder in {place.memory, place.processes, place.cpu} - {""} if place else ():
        yield from (name for name in os.listdir(folder) if name.startswith(f"assay-{pid}-"))


def test_a_closed_sandbox_leaves_nothing() -> None:
    before = set(os.listdir("/proc/self/fd"))
    others = set(census.keepers())
    sandbox = LocalSandbox(slots=2)
    assert works(sandbox)
    ours = set(census.keepers()) - others
    assert ours
    sandbox.close()
    assert set(census.keepers()) - others == set()
    assert set(os.listdir("/proc/self/fd")) <= before
    assert not [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(f"assay-{os.getpid()}-")]


def test_exhausted_descriptors_are_our_failure_and_pass() -> None:
    script = (
        "import os, resource\n"
        "from assay.sandbox import Program, Status\n"
        "from assay.sandbox.local import LocalSandbox\n"
        "with LocalSandbox(slots=1) as sandbox:\n"
        "    held = []\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "    try:\n"
        "        while True: held.append(os.open('/dev/null', 0))\n"
        "    except OSError: pass\n"
        "    [execution] = sandbox.run([Program('print(1)')])\n"
        "    assert execution.status is Status.SANDBOX_ERROR, execution\n"
        "    assert 'Too many open files' in execution.reason, execution\n"
        "    for fd in held: os.close(fd)\n"
        "    [execution] = sandbox.run([Program('print(1)')])\n"
        "    assert execution.status is Status.OK, execution\n"
        "print('good')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "good\n", done.stderr


@pytest.mark.parametrize(
    ("ulimit", "limits", "printed"),
    [
        ("-c 0", "", "OK"),  # hardened hosts allow no core files
        ("-i 500", "", "OK"),
        ("-s 8192", "stack_bytes=8 << 20", "OK"),
        ("-s 8192", "", "the hard RLIMIT_STACK of this process is 8388608, and the run asks for 67108864; raise it"),
        ("-Sn 80", "open_files=64", "OK"),
        ("-n 256", "", "OK"),
        ("-n 200", "", "the hard RLIMIT_NOFILE of this process is 200, and a slot needs 256; raise it"),
        ("-u 40", "processes=30", "OK"),
        ("-u 40", "", "the hard RLIMIT_NPROC of this process is 40, and the run asks for 64; raise it"),
    ],
)
def test_a_hard_limit_of_the_machine_is_kept_or_named(ulimit: str, limits: str, printed: str) -> None:
    script = (
        "from assay.sandbox import Limits, Program\n"
        "from assay.sandbox.local import LocalSandbox\n"
        "with LocalSandbox(slots=1) as sandbox:\n"
        f"    [execution] = sandbox.run([Program('print(1)')], Limits({limits}))\n"
        "    print(execution.status.name, execution.reason)\n"
    )
    done = subprocess.run(
        ["bash", "-c", f'ulimit {ulimit} && exec "$@"', "bash", sys.executable, "-c", script],
        capture_output=True,
        text=True,
    )
    assert printed in done.stdout + done.stderr


def test_many_threads_may_call_at_once(sandbox: LocalSandbox) -> None:
    outputs: dict[int, list[bytes]] = {}

    def call(number: int) -> None:
        executions = sandbox.run([Program(f"print({number} * 10 + {step})") for step in range(3)])
        outputs[number] = [execution.stdout for execution in executions]

    threads = [threading.Thread(target=call, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {n: [b"%d\n" % (n * 10 + step) for step in range(3)] for n in range(32)}


def test_a_forked_copy_of_a_process_with_threads_has_slots_of_its_own() -> None:
    script = (
        "import os, threading, time, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "from assay.sandbox import Limits, Program, Status\n"
        "from assay.sandbox.local import LocalSandbox\n"
        "sandbox = LocalSandbox(slots=2)\n"
        "busy = threading.Thread(target=lambda: sandbox.run([Program('import time; time.sleep(0.5)')] * 4))\n"
        "busy.start(); time.sleep(0.2)\n"
        "pid = os.fork()\n"
        "good = [e.stdout for e in sandbox.run([Program('print(7)')] * 3)] == [b'7\\n'] * 3\n"
        "if pid == 0:\n"
        "    sandbox.close(); os._exit(0 if good else 1)\n"
        "busy.join()\n"
        "assert good and os.waitpid(pid, 0)[1] == 0\n"
        "assert sandbox.run([Program('print(8)')])[0].stdout == b'8\\n'\n"
        "sandbox.close(); print('good')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "good\n", done.stderr


def test_an_interrupt_in_the_middle_of_a_batch_ends_it_and_the_sandbox_lives_on() -> None:
    script = (
        "import os, signal, threading, time\n"
        "from assay.sandbox import Limits, Program\n"
        "from assay.sandbox.local import LocalSandbox, census\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs have none
        "with LocalSandbox(slots=2) as sandbox:\n"
        "    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    started = time.monotonic()\n"
        "    try:\n"
        "        sandbox.run([Program('import time; time.sleep(60)')] * 6, Limits(cpu_seconds=60))\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', time.monotonic() - started < 20, census.strays())\n"
        "    print([e.stdout for e in sandbox.run([Program('print(7)')] * 3)])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "interrupted True []\n[b'7\\n', b'7\\n', b'7\\n']\n", done.stderr


def test_a_failure_to_set_up_is_ours_whatever_the_program_prints(sandbox: LocalSandbox) -> None:
    [crowded] = sandbox.run([Program("print('x')", files={"a": bytes(2 << 20)})], Limits(scratch_bytes=1 << 20))
    assert crowded.status is Status.SANDBOX_ERROR
    assert re.search("could not be set up: OSError: .*No space left on device", crowded.reason)
    [forger] = sandbox.run(
        [Program("import os\nfor fd in range(3, 99):\n  try: os.write(fd, b'E failed')\n  except OSError: pass")]
    )
    assert forger.status is Status.OK
    [exit_125] = sandbox.run([Program("import os; os._exit(125)")])
    assert (exit_125.status, exit_125.exit_code) == (Status.NONZERO_EXIT, 125)


def test_a_slot_is_replaced_after_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sandbox.local.server._MOST_RUNS", 5)
    with LocalSandbox(slots=1) as one:
        seen = set()
        for _ in range(8):
            assert works(one)
            seen.add(tuple(census.keepers()))
    assert len(seen) > 3
