"""Programs on a Ray cluster: a real one of several raylets on this machine, of which some are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay.errors import SandboxUnavailable
from assay.sandbox import Execution, Limits, Program, Sandbox, open_sandbox
from assay.sandbox.conformance import SandboxConformance
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import machine
from assay.sandbox.ray import RaySandbox
from assay.sandbox.ray.fleet import Fleet
from assay.sandbox.ray.host import About
from assay.sandbox.ray.packing import LARGE, Packer
from assay.sandbox.ray.plan import Plan
from assay.sandbox.ray.scatter import Scatter, Work

# Ray's own: sockets and files that it leaves to the collector, and notices about its next versions.
pytestmark = [
    pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Until = Callable[[Callable[[], bool]], None]
WHERE: Mapping[str, Any] = {"slots": 1, "resources": {"sandbox": 0.2}, "start_seconds": 60}


@pytest.fixture(scope="module")
def sandbox(cluster: Any, until: Until) -> Iterator[RaySandbox]:
    with RaySandbox(**WHERE) as sandbox:
        until(lambda: sandbox.slots == 2)
        yield sandbox


class TestContract(SandboxConformance):
    programs = Path(__file__).parents[1] / "data" / "sandbox"
    attack_limits: ClassVar[Limits] = Limits(cpu_seconds=1, wall_seconds=1.5, processes=64)

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def needs(cls, cluster: Any) -> None:
        """The cluster comes first."""

    def open(self) -> Sandbox:
        return open_sandbox("ray", **WHERE)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Some of the attacks: on a node they meet the local sandbox, whose own tests run them all."""
        if "attacks" in metafunc.fixturenames:
            paths = sorted(self.programs.glob("attacks/*.py"))[::7]
            metafunc.parametrize("attacks", [pytest.param(path, id=path.stem) for path in paths])
        else:
            super().pytest_generate_tests(metafunc)


def numbers(count: int, seconds: float = 0.0) -> list[Program]:
    wait = f"import time; time.sleep({seconds}); " if seconds else ""
    return [Program(f"{wait}print({number})") for number in range(count)]


def assert_numbers(executions: Sequence[Execution]) -> None:
    wrong = [(n, e) for n, e in enumerate(executions) if e.stdout != b"%d\n" % n]
    assert not wrong, wrong[:2]


def test_every_node_that_will_do_has_one_host_and_executions_are_those_of_the_local_sandbox(
    sandbox: RaySandbox,
) -> None:
    programs = [*numbers(90), Program("1/0"), Program("import os; os.abort()"), Program("print('x' * 5000)")]
    limits = Limits(stdout_bytes=1000)
    executions = sandbox.run(programs, limits)
    with LocalSandbox(slots=2) as local:
        expected = local.run(programs, limits)
    fields = ("status", "exit_code", "signal", "stdout", "stderr", "truncated", "reason", "enforced", "missing")
    for ours, theirs in zip(executions, expected, strict=True):
        assert [getattr(ours, name) for name in fields] == [getattr(theirs, name) for name in fields]
    assert {execution.backend for execution in executions} == {"ray"}
    assert all(execution.queue_seconds > 0 for execution in executions)
    assert len({post.node for post in sandbox._fleet.posts()}) == 2


def test_a_lost_process_costs_no_program(sandbox: RaySandbox) -> None:
    import ray

    actor = sandbox._fleet.posts()[0].actor
    pid = ray.get(actor.__ray_call__.remote(lambda host: os.getpid()))
    killer = threading.Timer(0.4, os.kill, [pid, signal.SIGKILL])
    killer.start()
    assert_numbers(sandbox.run(numbers(80, 0.02), Limits(cpu_seconds=20)))
    killer.join()


def test_a_lost_node_costs_no_program_and_one_that_joins_is_used(
    cluster: Any, sandbox: RaySandbox, until: Until
) -> None:
    killer = threading.Timer(0.5, cluster.kill_a_node)
    killer.start()
    assert_numbers(sandbox.run(numbers(120, 0.02), Limits(cpu_seconds=20)))
    killer.join()
    nodes = {post.node for post in sandbox._fleet.posts()}
    cluster.add()
    until(lambda: len({post.node for post in sandbox._fleet.posts()} - nodes) == 1)
    assert_numbers(sandbox.run(numbers(40)))


def test_large_values_are_put_into_the_store_once(sandbox: RaySandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    puts: list[Any] = []
    put = ray.put

    def count(value: Any) -> Any:
        puts.append(value)
        return put(value)

    monkeypatch.setattr(ray, "put", count)
    tests = [b"%d" % n * LARGE for n in range(2)]
    source = "import sys; print(len(sys.stdin.read()), len(open('f').read()))"
    programs = [Program(source, stdin=bytes(bytearray(tests[n % 2])), files={"f": tests[0]}) for n in range(70)]
    executions = sandbox.run(programs)
    assert {execution.stdout for execution in executions} == {b"%d %d\n" % (LARGE, LARGE)}
    assert sorted(puts) == tests


def test_no_host_has_more_batches_than_it_may(sandbox: RaySandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    take = Fleet.take

    def watch(fleet: Fleet, kind: str, avoid: frozenset[str], calls: int = 1) -> Any:
        nonlocal most
        post = take(fleet, kind, avoid, calls)
        most = max(most, *(post.calls for post in fleet.posts()))
        return post

    monkeypatch.setattr(Fleet, "take", watch)
    threads = [threading.Thread(target=sandbox.run, args=[numbers(150)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_sandboxes_of_one_job_share_hosts_and_survive_the_close_of_the_one_that_started_them(
    cluster: Any, until: Until
) -> None:
    where = {**WHERE, "resources": {"sandbox": 0.1}}
    first = RaySandbox(**where)
    until(lambda: first.slots == 2)
    with RaySandbox(**where) as second:
        until(lambda: second.slots == 2)
        assert not any(post.ours for post in second._fleet.posts())
        first.close()
        assert_numbers(second.run(numbers(40)))
        with pytest.raises(SandboxUnavailable, match="this sandbox is closed; open another one"):
            first.run(numbers(1))


def test_cancelling_the_task_ends_its_programs(sandbox: RaySandbox) -> None:
    async def cancel() -> float:
        task = asyncio.ensure_future(sandbox.arun([Program("import time; time.sleep(60)")] * 5, Limits(cpu_seconds=60)))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        started = time.monotonic()
        [execution] = await sandbox.arun(numbers(1))
        assert_numbers([execution])
        return time.monotonic() - started

    assert asyncio.run(cancel()) < 30


class Touchy:
    """An engine that ends its process at one item, and fails at another one on its first node."""

    about = About(frozenset({"any"}), {})

    def __init__(self, cpus: int) -> None:
        self._failed = False

    async def work(self, method: str, items: list[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        if "kill" in items:
            os._exit(1)
        if "raise" in items:
            raise ValueError("this cannot be done")
        return [item * 2 for item in items]

    def close(self) -> None: ...


def test_what_kills_its_host_takes_few_others_along_and_what_fails_is_told(cluster: Any) -> None:
    fleet = Fleet(Plan("touchy", Touchy, 1, 1, {"sandbox": 0.2}, 2, 20.0))
    work = Work("", dict, lambda item: "any", lambda result: False, lambda reason: reason)
    try:
        items: list[Any] = [*range(40), "kill", *range(41, 300)]
        results = Scatter(fleet, work, items, Packer()).run()
        lost = [number for number, result in enumerate(results) if result != items[number] * 2]
        assert lost == [40]
        assert "was lost" in results[40]
        assert Scatter(fleet, work, ["raise"], Packer()).run() == ["ValueError: this cannot be done"]
        strange = replace(work, kind=lambda item: "unheard of")
        object.__setattr__(fleet.plan, "start_seconds", 0.5)
        [reason] = Scatter(fleet, strange, [1], Packer()).run()
        assert reason.startswith("no host of the Ray cluster answered for 0.5 s: node ")
        mixed = replace(work, kind=lambda item: "any" if item == 1 else "unheard of")
        assert Scatter(fleet, mixed, [2, 1], Packer()).run()[1] == 2
    finally:
        fleet.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slots": 64}, r"no node of the Ray cluster has 64 CPUs and 0.2 of 'sandbox'; there are \w{8} with 2 CPU"),
        ({"resources": {"gold": 1}, "slots": None}, "no node of the Ray cluster has a CPU and 1 of 'gold'"),
        ({"mode": "X"}, r"no host could be opened on the Ray cluster: node \w{8} cannot work: .*mode"),
    ],
)
def test_a_cluster_that_will_not_do_is_refused(cluster: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SandboxUnavailable, match=message):
        RaySandbox(**{**WHERE, **options})


def test_cpus_that_others_reserved_are_waited_for_and_then_named(cluster: Any, sandbox: RaySandbox) -> None:
    import ray

    class Busy:
        def ready(self) -> int:
            return 1

    made: Any = ray.remote(Busy)
    busy = [made.options(num_cpus=1, resources={"sandbox": 0.1}).remote() for _ in range(2)]
    ray.get([actor.ready.remote() for actor in busy])
    with pytest.raises(
        SandboxUnavailable, match=r"could be started .* in 1 s: node \w{8} is starting.*nothing else has"
    ):
        RaySandbox(**{**WHERE, "start_seconds": 1, "resources": {"sandbox": 0.3}})
    for actor in busy:
        ray.kill(actor)
