"""`Worker`: a function of ours in a killable process."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from assay.errors import InputError, WorkerFailed, WorkerTimeout
from assay.sandbox.worker import Worker


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with functions that behave badly in every way, importable by the worker's process."""
    (tmp_path / "risky_functions.py").write_text(
        "import os, time\n"
        "def square(x): return x * x\n"
        "def pid(): return os.getpid()\n"
        "def spin():\n    while True: pass\n"
        "def hold_the_interpreter(): return 10 ** (10 ** 8) % 7\n"
        "def fail(x): raise ValueError('bad ' + x)\n"
        "def die(): os._exit(3)\n"
        "def crash():\n    import ctypes; ctypes.string_at(0)\n"
        "def hoard(): return len(bytearray(4 << 30))\n"
        "def unpicklable(): return lambda: 1\n"
        "def echo(x): return x\n"
        "def environment(): return dict(os.environ)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "risky_functions"


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_call_returns_what_the_function_returns_from_another_process(functions: str) -> None:
    with Worker(f"{functions}:square") as worker:
        assert worker.call(12, deadline_seconds=30) == 144
    with Worker(f"{functions}:pid") as worker:
        first = worker.call(deadline_seconds=30)
        assert first != os.getpid()
        assert worker.call(deadline_seconds=30) == first  # warm: the same process serves every call


def test_large_values_cross_both_ways(functions: str) -> None:
    value = {"text": "x" * 3_000_000, "numbers": list(range(1000))}
    with Worker(f"{functions}:echo") as worker:
        assert worker.call(value, deadline_seconds=30) == value


@pytest.mark.parametrize("name", ["spin", "hold_the_interpreter"])
def test_a_deadline_kills_and_the_next_call_gets_a_new_process(functions: str, name: str) -> None:
    worker = Worker(f"{functions}:{name}")
    for _ in range(2):
        with pytest.raises(WorkerTimeout, match=rf"{name} did not return within 0.2 s; its process was killed"):
            worker.call(deadline_seconds=0.2)
    assert worker._running is None


def test_an_exception_of_the_function_is_told_and_the_process_lives_on(functions: str) -> None:
    with Worker(f"{functions}:fail") as worker:
        with pytest.raises(WorkerFailed, match="risky_functions:fail raised ValueError: bad luck"):
            worker.call("luck", deadline_seconds=30)
        running = worker._running
        with pytest.raises(WorkerFailed, match="raised ValueError: bad again"):
            worker.call("again", deadline_seconds=30)
        assert worker._running is running


@pytest.mark.parametrize(("name", "fate"), [("die", "exit status 3"), ("crash", "signal 11")])
def test_a_process_that_dies_says_how(functions: str, name: str, fate: str) -> None:
    with Worker(f"{functions}:{name}") as worker, pytest.raises(WorkerFailed, match=f"died during a call .{fate}"):
        worker.call(deadline_seconds=30)


def test_the_memory_cap_holds(functions: str) -> None:
    with (
        Worker(f"{functions}:hoard", memory_bytes=1 << 30) as worker,
        pytest.raises(WorkerFailed, match="raised MemoryError"),
    ):
        worker.call(deadline_seconds=30)


def test_values_that_cannot_cross_are_errors_that_say_so(functions: str) -> None:
    with (
        Worker(f"{functions}:unpicklable") as worker,
        pytest.raises(WorkerFailed, match="a value that cannot be sent back"),
    ):
        worker.call(deadline_seconds=30)
    with Worker(f"{functions}:echo") as worker, pytest.raises(InputError, match="cannot be sent to another process"):
        worker.call(lambda: 1, deadline_seconds=30)


def test_bad_arguments_are_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"worker target .math. is not a function.s path; expected .package"):
        Worker("math")
    with pytest.raises(InputError, match="memory_bytes is 0; expected a whole number of at least 1"):
        Worker("math:sqrt", memory_bytes=0)
    with pytest.raises(InputError, match="start_seconds is -1; expected a positive number"):
        Worker("math:sqrt", start_seconds=-1)
    with pytest.raises(InputError, match="deadline_seconds is 0; expected a positive number"):
        Worker("math:sqrt").call(4, deadline_seconds=0)


def test_a_function_that_is_not_there_is_a_clear_failure(functions: str) -> None:
    with pytest.raises(WorkerFailed, match="could not import it: AttributeError"):
        Worker(f"{functions}:absent").call(deadline_seconds=30)
    with pytest.raises(WorkerFailed, match="could not import it: ModuleNotFoundError"):
        Worker("no_such_module_here:f").call(deadline_seconds=30)


def test_many_threads_share_one_worker(functions: str) -> None:
    answers: dict[int, int] = {}
    with Worker(f"{functions}:square") as worker:
        threads = [
            threading.Thread(target=lambda i=i: answers.update({i: worker.call(i, deadline_seconds=60)}))
            for i in range(32)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {i: i * i for i in range(32)}


def test_a_pickled_copy_works_and_has_its_own_process(functions: str) -> None:
    with Worker(f"{functions}:pid") as worker:
        first = worker.call(deadline_seconds=30)
        with pickle.loads(pickle.dumps(worker)) as copy:
            assert copy.call(deadline_seconds=30) != first


def test_a_killed_process_is_replaced(functions: str) -> None:
    with Worker(f"{functions}:pid") as worker:
        first = worker.call(deadline_seconds=30)
        os.kill(first, signal.SIGKILL)
        assert worker._running is not None
        worker._running.popen.wait()
        assert worker.call(deadline_seconds=30) != first


def test_a_dropped_worker_ends_its_process(functions: str) -> None:
    worker = Worker(f"{functions}:pid")
    pid = worker.call(deadline_seconds=30)
    del worker
    assert gone(pid)


def test_a_killed_caller_leaves_no_process_even_in_the_middle_of_a_call(functions: str, tmp_path: Path) -> None:
    caller = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "from assay.sandbox.worker import Worker\n"
            f"w = Worker('{functions}:spin'); p = w._process(); print(p.popen.pid, flush=True)\n"
            "w.call(deadline_seconds=0.5)\n",
        ],
        stdout=subprocess.PIPE,
    )
    assert caller.stdout is not None
    pid = int(caller.stdout.readline())
    caller.kill()
    caller.communicate()
    deadline = time.monotonic() + 60
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert gone(pid)
