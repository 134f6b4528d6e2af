"""Faults of a Docker engine: tests with a daemon of their own, which they kill."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Execution, Limits, Program, Status
from assay.sandbox.docker import DockerSandbox, images, owners
from assay.sandbox.docker.conformance import REQUIRED
from assay.sandbox.docker.engine import DaemonAway, Engine

sys.path.insert(0, str(Path(__file__).parent))
from docker_daemon import PYTHON, Daemon, small_rootfs

ANSWER = Program("print(6*7)")
IMAGE = "assay-sandbox-base:latest"


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    lacking = [
        what
        for what, there in (
            ("root", os.geteuid() == 0),
            ("dockerd", shutil.which("dockerd")),
            (str(PYTHON), PYTHON.exists()),
            ("the package docker", importlib.util.find_spec("docker")),
        )
        if not there
    ]
    if lacking and not os.environ.get(REQUIRED):
        pytest.skip(f"a daemon of its own needs {', '.join(lacking)}")
    with tempfile.TemporaryDirectory(prefix="assay-dockerd-") as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        one = Daemon(folder)
        patch.setenv("DOCKER_HOST", one.url)
        try:
            one.start()
            small_rootfs(folder / "rootfs")
            engine = Engine()
            assert images._import(engine, folder / "rootfs", lambda line: None) == IMAGE
            engine.close()
            yield one
        finally:
            one.stop()


@pytest.fixture(autouse=True)
def running(daemon: Daemon) -> None:
    """Each test begins with a daemon, whatever the one before it did."""
    if not daemon.runs:
        daemon.start()


@pytest.fixture
def sandbox(daemon: Daemon) -> Iterator[DockerSandbox]:
    with DockerSandbox(slots=2, image=IMAGE) as sandbox:
        yield sandbox


def works(sandbox: DockerSandbox) -> bool:
    return all((e.status, e.stdout) == (Status.OK, b"42\n") for e in sandbox.run([ANSWER] * 4))


def in_background(work: Callable[[], list[Execution]]) -> tuple[threading.Thread, list[Execution]]:
    found: list[Execution] = []
    thread = threading.Thread(target=lambda: found.extend(work()))
    thread.start()
    return thread, found


def test_a_thousand_runs_survive_a_killed_daemon(daemon: Daemon, sandbox: DockerSandbox) -> None:
    programs = [Program(f"import time; time.sleep(0.01); print({number})") for number in range(1000)]
    started = sandbox._pool.idle()[0].runs
    thread, executions = in_background(lambda: sandbox.run(programs))
    wait_until(lambda: sum(slot.runs for slot in sandbox._pool.idle()) > started + 100 or not thread.is_alive())
    daemon.kill()
    time.sleep(0.5)
    assert thread.is_alive()
    daemon.start()  # which ends every container that ran before
    thread.join()
    assert len(executions) == 1000
    judged = [(number, e) for number, e in enumerate(executions) if e.status is not Status.SANDBOX_ERROR]
    assert all((e.status, e.stdout) == (Status.OK, b"%d\n" % number) for number, e in judged)
    assert len(judged) == 1000, [e.reason for e in executions if e.status is Status.SANDBOX_ERROR][:3]
    assert works(sandbox)


def test_a_daemon_that_stays_away_is_our_failure_and_its_return_ends_it(daemon: Daemon) -> None:
    with DockerSandbox(slots=2, image=IMAGE) as sandbox:
        assert works(sandbox)
        sandbox._engine.patience_seconds = 1.0
        pids = [slot.zygote for slot in sandbox._pool.idle()]
        daemon.kill()
        assert works(sandbox)  # what is warm needs no daemon
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(SandboxUnavailable):
            sandbox._warm._spares.popitem()[1].result()._control.close()
        started = time.monotonic()
        executions = sandbox.run([ANSWER] * 20)
        assert {e.status for e in executions} == {Status.SANDBOX_ERROR}
        assert all(f"no Docker daemon answers at {daemon.folder}/docker.sock" in e.reason for e in executions)
        assert time.monotonic() - started < 60  # patience is shared by all, not spent by each
        with pytest.raises(DaemonAway, match="no Docker daemon answers .* start one"):
            DockerSandbox(image=IMAGE)
        daemon.start()
        assert works(sandbox)


@pytest.mark.parametrize("victim", ["container", "fork server"])
def test_a_killed_container_is_replaced_and_its_program_run_again(sandbox: DockerSandbox, victim: str) -> None:
    assert works(sandbox)
    known = {slot.container: slot.zygote for slot in sandbox._pool.idle()}
    sleep = Program("import time; time.sleep(1); print('again')")
    thread, executions = in_background(lambda: sandbox.run([sleep], Limits(cpu_seconds=20, wall_seconds=40)))
    wait_until(lambda: sandbox._pool.idle() and len(sandbox._pool.idle()) < len(known))
    [busy] = set(known) - {slot.container for slot in sandbox._pool.idle()}
    if victim == "container":
        sandbox._engine.call("kill", lambda client: client.kill(busy))
    else:
        os.kill(known[busy], signal.SIGKILL)
    thread.join()
    assert [(e.status, e.stdout) for e in executions] == [(Status.OK, b"again\n")], executions
    assert works(sandbox)
    assert busy not in {slot.container for slot in sandbox._pool.idle()}


def test_a_container_killed_while_idle_costs_no_run(sandbox: DockerSandbox) -> None:
    assert works(sandbox)
    idle = sandbox._pool.idle()
    for slot in idle:
        os.kill(slot.zygote, signal.SIGKILL)
    wait_until(lambda: all(slot.ended for slot in idle))
    assert works(sandbox)


def test_a_full_disk_is_told_and_passes(daemon: Daemon, sandbox: DockerSandbox) -> None:
    filler = daemon.disk / "filler"
    for size in (1 << 20, 512):
        with contextlib.suppress(OSError), filler.open("ab", 0) as file:
            while file.write(bytes(size)) == size:
                pass
    try:
        with pytest.raises(SandboxUnavailable, match="(?i)no space left on device.*make room"):
            DockerSandbox(slots=1, image=IMAGE)
        assert works(sandbox)  # programs write into memory, not onto the engine's disk
    finally:
        filler.unlink()
    with DockerSandbox(slots=1, image=IMAGE) as after:
        assert works(after)


def test_a_killed_supervisor_leaves_no_running_container_and_the_next_sandbox_removes_the_rest(
    daemon: Daemon,
) -> None:
    script = (
        "import time\n"
        "from assay.sandbox import Program\n"
        "from assay.sandbox.docker import DockerSandbox\n"
        f"sandbox = DockerSandbox(slots=1, image={IMAGE!r})\n"
        "print(*(slot.container for slot in sandbox._pool.idle()), flush=True)\n"
        "time.sleep(60)\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    [container] = victim.stdout.readline().split()
    engine = Engine()

    def listed(*, everything: bool) -> list[str]:
        found = engine.call("list", lambda client: client.containers(all=everything))
        return [entry["Id"] for entry in found]

    assert container in listed(everything=False)
    victim.kill()
    victim.communicate()
    wait_until(lambda: container not in listed(everything=False))
    assert container in listed(everything=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{owners.FOLDER}{victim.pid}-"))  # as one that was killed leaves
    assert owners.reap(engine) >= 1
    assert not folder.exists()
    assert listed(everything=True) == []
    engine.close()


def test_a_closed_sandbox_leaves_no_container_no_file_and_no_descriptor(daemon: Daemon) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with DockerSandbox(slots=2, image=IMAGE) as sandbox:
        assert works(sandbox)
    engine = Engine()
    assert engine.call("list", lambda client: client.containers(all=True)) == []
    engine.close()
    assert set(os.listdir("/proc/self/fd")) <= before
    assert not list(Path(tempfile.gettempdir()).glob(f"assay-docker-{os.getpid()}-*"))


def test_gvisor_is_used_where_it_works_and_told_where_it_does_not(daemon: Daemon) -> None:
    """Only the choice: runc stands in for a gVisor that works, a program that fails for one that does not."""
    try:
        daemon.quit()
        daemon.start("--add-runtime", f"runsc={shutil.which('runc')}")
        with DockerSandbox(slots=1, image=IMAGE) as sandbox:
            assert (sandbox.runtime, "gvisor" in sandbox.enforced) == ("runsc", True)
            assert works(sandbox)
        daemon.quit()
        daemon.start("--add-runtime", "runsc=/bin/false")
        with DockerSandbox(slots=1, image=IMAGE) as sandbox:
            assert (sandbox.runtime, "gvisor" in sandbox.enforced) == ("", False)
            assert any("gVisor is installed but did not work" in text for text in sandbox.missing)
            assert works(sandbox)
        with pytest.raises(SandboxUnavailable, match="could not start"):
            DockerSandbox(image=IMAGE, runtime="runsc")
    finally:
        daemon.quit()


def test_a_forked_copy_has_containers_of_its_own(daemon: Daemon) -> None:
    script = (
        "import os, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "from assay.sandbox import Program\n"
        "from assay.sandbox.docker import DockerSandbox\n"
        f"sandbox = DockerSandbox(slots=2, image={IMAGE!r})\n"
        "names = lambda: {slot.container for slot in sandbox._pool.idle()}\n"
        "run = lambda: [e.stdout for e in sandbox.run([Program('print(7)')] * 3)] == [b'7\\n'] * 3\n"
        "assert run(); ours = names()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    good = run() and not names() & ours\n"
        "    sandbox.close(); os._exit(0 if good else 1)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "assert run() and names() <= ours | names()\n"
        "sandbox.close(); print('good')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "good\n", done.stderr
