"""What counts against a limit, whatever a program does to hide it, and when a run is given a second chance."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay.sandbox import Execution, Limits, Program, Status
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import FLAGS, SLOT_FOLDER, interpreter, machine
from assay.sandbox.local.slot import processes
from assay.sandbox.local.slot.clocks import of_cgroup, usage_of

pytestmark = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")
WITH_PROCESSES = [mode for mode in machine().modes if mode in "ABC"]
BURN = """
import os, signal, time
def burn():
    while time.process_time() < 0.05: pass
    os._exit(0)
{prepare}
print("ready", flush=True)
while True:
    if os.fork() == 0:
        burn()
    time.sleep(0.06)
"""
IGNORE = {
    "ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "without zombies": """
import ctypes, struct
act = ctypes.create_string_buffer(struct.pack("QQQQ16Q", 0, 2 | 0x04000000, 0, 0, *[0] * 16))
libc = ctypes.CDLL(None)
action = ctypes.create_string_buffer(struct.pack("Q128si4xQ", 0, bytes(128), 2, 0))  # SIG_DFL, SA_NOCLDWAIT
if libc.sigaction(17, action, None): raise OSError(ctypes.get_errno(), "refused")
""",
    "by a child that ends": """
def family():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        if os.fork() == 0: burn()
        time.sleep(0.06)
if os.fork() == 0: family()
os.wait()
""",
    "by what it executes": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
shell = "while :; do (i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done) & sleep 0.05; done"
os.execv("/bin/sh", ["sh", "-c", shell])
""",
    "that end with another signal or none": """
import ctypes
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
clone, number = ctypes.CDLL(None).syscall, {"x86_64": 56, "aarch64": 220}[os.uname().machine]
while True:
    for ends_with in (0, signal.SIGUSR1):
        if clone(number, ctypes.c_long(ends_with), None, None, None, None) == 0: burn()
        time.sleep(0.06)
    try: os.waitpid(-1, os.WNOHANG | 0x40000000)
    except OSError: pass
""",
}


@pytest.mark.parametrize("way", IGNORE)
@pytest.mark.parametrize("mode", WITH_PROCESSES)
def test_children_that_the_kernel_buries_unseen_count_against_the_cpu_limit(mode: str, way: str) -> None:
    with LocalSandbox(slots=1, mode=mode) as sandbox:
        [execution] = sandbox.run(
            [Program(BURN.format(prepare=IGNORE[way]))], Limits(cpu_seconds=0.5, wall_seconds=40, processes=64)
        )
    assert execution.status is Status.TIME_LIMIT, execution
    assert "0.5 s of CPU time" in execution.reason
    assert execution.cpu_seconds < 3


@pytest.mark.parametrize("number", [signal.SIGXCPU, signal.SIGXFSZ])
def test_a_program_that_sends_itself_the_signal_of_a_limit_has_not_reached_it(number: signal.Signals) -> None:
    source = f"import os, signal\nsignal.signal({number}, signal.SIG_DFL)\nos.kill(os.getpid(), {number})"
    with LocalSandbox(slots=1) as sandbox:
        [execution] = sandbox.run([Program(source)])
    assert (execution.status, execution.signal) == (Status.SIGNALLED, number), execution


def test_where_nothing_counts_them_their_signal_cannot_be_handled_but_asked_about() -> None:
    script = (
        f"import os, signal, sys; sys.path.insert(0, {SLOT_FOLDER!r})\n"
        "from slot import bpf, kernel, seccomp\n"
        "kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)\n"
        "code = seccomp.run_filter(fork=True, execute=True, shared_memory=True, own_signals=None,"
        " ignores_children=False)\n"
        "bpf.Filter(code).load()\n"
        "for action in (signal.SIG_IGN, signal.SIG_DFL, print):\n"
        "    try: signal.signal(signal.SIGCHLD, action); print('out')\n"
        "    except PermissionError: print('held')\n"
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"
        "print(os.system('exit 3') >> 8, signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL)\n"
    )
    done = subprocess.run([interpreter(), *FLAGS, "-c", script], capture_output=True, text=True)
    assert done.stdout == "held\n" * 3 + "3 True\n", done.stderr


def test_a_trainer_that_ignores_its_children_has_a_sandbox_all_the_same() -> None:
    script = (
        "import signal\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "from assay.sandbox import Program\n"
        "from assay.sandbox.local import LocalSandbox\n"
        "source = 'import os, signal; print(os.system(\"exit 3\") >> 8, signal.getsignal(17) is signal.SIG_DFL)'\n"
        "with LocalSandbox(slots=1) as sandbox:\n"
        "    [execution] = sandbox.run([Program(source)])\n"
        "print(sandbox.mode == 'D' or execution.stdout == b'3 True\\n', execution)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.startswith("True"), done.stdout + done.stderr


def test_a_clock_reads_what_each_version_of_cgroups_writes(tmp_path: Path) -> None:
    assert usage_of(b"1234567\n") == 1234
    assert usage_of(b"usage_usec 77\nuser_usec 50\n") == 77
    with pytest.raises(ValueError):
        usage_of(b"nr_periods 0\n")  # of the controller "cpu" in version 1
    (tmp_path / "cpu.stat").write_text("nr_periods 0\n")
    assert of_cgroup([str(tmp_path), str(tmp_path / "absent")]) is None
    (tmp_path / "cpu.stat").write_text("usage_usec 5000000\nuser_usec 50\n")
    clock = of_cgroup(["/nowhere", str(tmp_path)])
    assert clock is not None
    clock.start()
    (tmp_path / "cpu.stat").write_text("usage_usec 8000000\nuser_usec 50\n")
    assert 2_000_000 < clock.microseconds() <= 3_000_000  # what this process itself used is taken off


def test_a_cgroup_of_version_2_counts_without_any_controller() -> None:
    """On the kernel itself, where this user can make a cgroup."""
    roots = [Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")]
    root = next((path for path in roots if (path / "cgroup.controllers").exists()), None)
    folder = (root or roots[1]) / f"assay-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup of version 2 can be made here: {error}")
    try:
        clock = of_cgroup([str(folder)])
        assert clock is not None
        clock.start()
        burn = "import time\ninput()\nwhile time.process_time() < 0.3: pass"
        burner = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE)
        (folder / "cgroup.procs").write_text(str(burner.pid))
        burner.communicate(b"\n")
        assert clock.microseconds() > 150_000
    finally:
        folder.rmdir()


def test_a_counter_sees_descendants_that_nobody_waited_for() -> None:
    """In a process of its own: the counter follows all that it starts."""
    script = (
        f"import os, signal, sys, time; sys.path.insert(0, {SLOT_FOLDER!r})\n"
        "from slot import clocks\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "clock = clocks.of_descendants()\n"
        "if clock is None: print('none'); sys.exit()\n"
        "clock.start()\n"
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    while time.process_time() < 0.3: pass\n"
        "    os._exit(0)\n"
        "os.close(writer); os.read(reader, 1); time.sleep(0.05)\n"
        "used = clock.microseconds()\n"
        "print(200_000 < used < 600_000, used)\n"
    )
    done = subprocess.run([interpreter(), *FLAGS, "-c", script], capture_output=True, text=True)
    if done.stdout == "none\n":
        pytest.skip("this user may not have a performance counter (kernel.perf_event_paranoid)")
    assert done.stdout.startswith("True"), done.stdout + done.stderr


def run_and_count(source: str, limits: Limits) -> tuple[Execution, int]:
    """Run a program in a sandbox of one slot; the execution, and how many runs it took."""
    with LocalSandbox(slots=1) as sandbox:
        [slot] = sandbox._pool.idle()
        before = slot.runs
        [execution] = sandbox.run([Program(source)], limits)
        return execution, slot.runs - before


SELF_STARVED = {
    "by its own processes": """
import os
for _ in range(5): os.fork()
while True: pass
""",
    "by its own threads": """
import hashlib, threading
data = b"x" * (1 << 26)
def burn():
    while True: hashlib.sha256(data).digest()
for _ in range(24): threading.Thread(target=burn, daemon=True).start()
burn()
""",
    "by sleeping": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("way", SELF_STARVED)
def test_a_program_that_starves_itself_gets_no_second_run(way: str) -> None:
    if machine().modes[0] == "D":
        pytest.skip("no processes in mode D")
    limits = Limits(cpu_seconds=90, wall_seconds=1.5, processes=80, memory_bytes=1 << 30)
    execution, runs = run_and_count(SELF_STARVED[way], limits)
    assert execution.status is Status.TIME_LIMIT
    most = 1.5 * min(2, len(os.sched_getaffinity(0)))
    if runs > 1 and execution.cpu_seconds < 0.8 * most and "sleeping" not in way:
        pytest.skip(f"others kept it from the processors: it had {execution.cpu_seconds:.1f} s of them in 1.5 s")
    assert runs == 1


@pytest.mark.parametrize("step_back", ["os.nice(19)", "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"])
def test_a_program_that_steps_back_for_others_gets_no_second_run(step_back: str) -> None:
    if "os.sched" in step_back and len(os.sched_getaffinity(0)) == 1:
        pytest.skip("there is one processor only")
    core = min(os.sched_getaffinity(0))
    burn = [sys.executable, "-c", f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"]
    burners = [subprocess.Popen(burn) for _ in range(3)]
    try:
        source = f"import os\n{step_back}\nwhile True: pass"
        execution, runs = run_and_count(source, Limits(cpu_seconds=60, wall_seconds=1.0))
        assert (execution.status, runs) == (Status.TIME_LIMIT, 1)
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.mark.parametrize(
    ("used", "schedule", "starved"),
    [
        (100, {"7": (100, 900)}, True),  # alone, it waited
        (900, {"7": (900, 50)}, False),  # it ran
        (10, {"7": (10, 0)}, False),  # it slept
        (1800, {"7": (300, 700), "8": (300, 690), "9": (1200, 0)}, False),  # for its own processes
        (900, {"7": (20, 800)}, False),  # for its own threads, or processes that have ended
        (300, {"7": (100, 850), "8": (200, 700)}, True),  # for its own a little, for others far more
        (100, {"7": (100, 900), "8": (0, 999)}, True),
        (0, {}, False),
    ],
)
def test_a_run_starved_if_it_waited_longer_than_its_own_processes_ran(
    monkeypatch: pytest.MonkeyPatch, used: int, schedule: dict[str, tuple[int, int]], starved: bool
) -> None:
    crew = processes.Crew()
    monkeypatch.setattr(crew, "members", lambda pid: list(schedule))
    monkeypatch.setattr(crew, "cpu_microseconds", lambda pid: used)
    monkeypatch.setattr(processes, "_schedule", schedule.__getitem__)
    monkeypatch.setattr(processes, "_as_the_caller", lambda pid: True)
    assert crew.starved(7, 1000) is starved


def test_locks_of_two_runs_at_once_do_not_meet() -> None:
    """Each slot's devices are its own where root could make them; files of the host cannot be locked at all."""
    if machine().modes[0] != "A":
        pytest.skip("only root makes devices")
    hold = "import fcntl, time; fcntl.lockf(open('/dev/null', 'w'), fcntl.LOCK_EX); print(1, flush=True); time.sleep(2)"
    look = "import fcntl; fcntl.lockf(open('/dev/null', 'w'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')"
    with LocalSandbox(slots=2) as sandbox:
        holding = threading.Thread(target=lambda: sandbox.run([Program(hold)], Limits(cpu_seconds=9)))
        holding.start()
        outputs = set()
        while holding.is_alive():
            outputs.add(sandbox.run([Program(look)], Limits(cpu_seconds=9))[0].stdout)
        holding.join()
    assert outputs == {b"free\n"}
