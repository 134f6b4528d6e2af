"""Code verdicts on a Ray cluster of several raylets on this machine: `python -P benchmarks/ray_cluster.py`.

    verdicts     5,000 completions judged locally, then on the cluster while one of its nodes is killed: all identical?
    overhead     one host with as many slots as the local sandbox has: what Ray adds to a run
    scaling      a simulation past this machine, from the times measured above; its assumptions are printed with it

Cluster and sandboxes share the cores of this machine, so the first part shows correctness, not speed.
"""

from __future__ import annotations

import argparse
import heapq
import statistics
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from assay.sandbox import Program, Sandbox
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import usable_cores
from assay.sandbox.ray import RaySandbox
from assay.sandbox.ray.scatter import batch_size
from assay.verifiers import CodeVerifier, Result, TestSuite
from assay.verifiers.ray import RayVerifier

BODIES = ("return x * x + {n}", "return x * x", "return 16 + {n}", "return x / 0", "import os; os._exit(0)", "return [")
IN_FLIGHT = 2


def completions(count: int) -> tuple[list[str], list[TestSuite]]:
    """Right, wrong, partly right, broken and hostile programs in turn, each with a suite of its own."""
    texts, suites = [], []
    for n in range(count):
        texts.append(f"```python\ndef f(x):\n    {BODIES[n % len(BODIES)].format(n=n)}\n```")
        suites.append(TestSuite.from_calls("f", [((2,), {}, 4 + n), ((4,), {}, 16 + n)]))
    return texts, suites


@contextmanager
def raylets(count: int, cpus: int) -> Iterator[Any]:
    """A cluster of so many nodes beside its head."""
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(count):
        cluster.add_node(num_cpus=cpus, object_store_memory=80 << 20)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def told(results: Sequence[Result]) -> list[tuple[Any, ...]]:
    """All of a result but the time it took."""
    return [(r.verdict, r.score, r.reason, r.answer, dict(r.parts), dict(r.details)) for r in results]


def verdicts(count: int) -> bool:
    """The first part; whether all verdicts were the same."""
    texts, suites = completions(count)
    with CodeVerifier() as local:
        started = time.perf_counter()
        expected = told(local.verify(texts, suites))
        local_seconds = time.perf_counter() - started
    print(f"verdicts: {count} completions, {dict(Counter(str(verdict) for verdict, *_ in expected))}")
    print(f"  local, {usable_cores()} slots: {local_seconds:.1f} s")
    same = True
    ways: dict[str, Callable[[], Any]] = {
        "RayVerifier(CodeVerifier(), cpus=None)": lambda: RayVerifier(CodeVerifier(), cpus=None),
        "CodeVerifier(sandbox='ray')": lambda: CodeVerifier(sandbox="ray"),
    }
    for name, make in ways.items():
        with raylets(3, 2) as cluster, make() as spread:
            spread.verify(texts[:1], suites[:1])
            victim = sorted(cluster.worker_nodes, key=id)[0]
            killer = threading.Timer(local_seconds / 3, cluster.remove_node, [victim], {"allow_graceful": False})
            killer.start()
            started = time.perf_counter()
            found = told(spread.verify(texts, suites))
            seconds = time.perf_counter() - started
            killer.join()
        different = sum(ours != theirs for ours, theirs in zip(found, expected, strict=True))
        same = same and not different
        print(
            f"  {name}: 3 raylets, one killed after {local_seconds / 3:.1f} s: {seconds:.1f} s, {different} different"
        )
    return same


@dataclass(frozen=True)
class Times:
    """Seconds that one thing takes, as measured here.

    Attributes:
        services: Of single runs on a slot, from asking to the answer, one after the other.
        supervisor: CPU time of the sandbox's own process for one run.
        sending: CPU time of the client for one program, packing, sending, reading.
        batch: The same for one batch, however long.
    """

    services: Sequence[float]
    supervisor: float
    sending: float
    batch: float


def overhead(count: int, rounds: int) -> Times:
    """The second part."""
    slots = usable_cores()
    programs = [Program(f"print({n})") for n in range(count)]
    seconds: dict[str, list[float]] = {"local": [], "ray": []}
    supervisors, clients = [], []
    with LocalSandbox(slots) as local, raylets(1, slots), RaySandbox(slots) as ray:
        sandboxes: dict[str, Sandbox] = {"local": local, "ray": ray}
        for sandbox in sandboxes.values():
            sandbox.run(programs[:64])
        for _ in range(rounds):
            for name, sandbox in sandboxes.items():
                started, cpu = time.perf_counter(), time.process_time()
                sandbox.run(programs)
                seconds[name].append((time.perf_counter() - started) / count)
                (supervisors if name == "local" else clients).append((time.process_time() - cpu) / count)
        services = []
        for program in programs[:200]:
            started = time.perf_counter()
            local.run([program])
            services.append(time.perf_counter() - started)
        batch = statistics.median(_batch_seconds(ray) for _ in range(50))
    added = [ours - theirs for ours, theirs in zip(seconds["ray"], seconds["local"], strict=True)]
    print(f"overhead: {count} trivial programs, {slots} slots each, {rounds} rounds in turns, median")
    for name, values in seconds.items():
        print(f"  {name:<6} {1e3 * statistics.median(values):.2f} ms a run")
    print(f"  Ray adds {1e3 * statistics.median(added):+.2f} ms a run")
    return Times(services, statistics.median(supervisors), statistics.median(clients), batch)


def _batch_seconds(sandbox: RaySandbox) -> float:
    """CPU time of the client for one call of one program: the costs of a batch, almost bare."""
    started = time.process_time()
    sandbox.run([Program("")])
    return time.process_time() - started


def simulate(hosts: int, slots: int, count: int, times: Times, latency: float) -> float:
    """Seconds until ``count`` programs are judged on so many hosts.

    One client sends batches, each when a host has room for it; a host starts its programs in order, one at a time as
    far as its own process is concerned, each on the first slot that is free.
    """
    free = [[0.0] * slots for _ in range(hosts)]
    busy_until = [0.0] * hosts
    room = deque(host for _ in range(IN_FLIGHT) for host in range(hosts))
    ends: list[tuple[float, int]] = []  # when answers arrive, and from whom
    now, sent, number = 0.0, 0, 0
    while sent < count or ends:
        if sent < count and room:
            host = room.popleft()
            size = batch_size(count - sent, count, hosts)
            now += times.batch + size * times.sending
            arrived, last = now + latency, 0.0
            for _ in range(size):
                slot = heapq.heappop(free[host])
                busy_until[host] = max(arrived, busy_until[host]) + times.supervisor
                last_one = max(slot, busy_until[host]) + times.services[number % len(times.services)]
                heapq.heappush(free[host], last_one)
                last, number = max(last, last_one), number + 1
            heapq.heappush(ends, (last + latency, host))
            sent += size
        else:
            end, host = heapq.heappop(ends)
            now = max(now, end)
            room.append(host)
    return now


def scaling(times: Times, slots: int, latency: float, run_seconds: float) -> None:
    """The third part."""
    extended = replace(times, services=[seconds + run_seconds for seconds in times.services])
    ideal_one = slots / statistics.mean(extended.services)
    print(f"  programs that take {1e3 * run_seconds:g} ms: runs per second, and the share of what the slots could do")
    for hosts in (1, 2, 4, 8, 16, 32, 64):
        count = hosts * slots * 100
        rate = count / simulate(hosts, slots, count, extended, latency)
        print(f"    {hosts:>3} hosts of {slots} slots: {rate:>9,.0f}/s  {rate / (hosts * ideal_one):>4.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=5000)
    parser.add_argument("--programs", type=int, default=1000, help="of each round of the overhead")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--slots", type=int, default=16, help="of each simulated host")
    parser.add_argument("--latency", type=float, default=1e-3, help="seconds one way between simulated machines")
    options = parser.parse_args()
    same = verdicts(options.verdicts)
    times = overhead(options.programs, options.rounds)
    print("scaling, simulated. Assumed: each host has a core for every slot and runs as this machine does;")
    print(f"  {1e3 * options.latency:g} ms one way, no limit to the network; nothing fails. Measured here: the caller")
    print(f"  spends {1e6 * times.batch:.0f} us on a batch and {1e6 * times.sending:.0f} us on a program; a host's own")
    print(f"  process spends {1e6 * times.supervisor:.0f} us on a run, one at a time; a run of nothing takes")
    print(f"  {1e3 * statistics.mean(times.services):.2f} ms ({len(times.services)} runs, used in turn)")
    for run_seconds in (0.0, 0.02, 0.2):
        scaling(times, options.slots, options.latency, run_seconds)
    if not same:
        raise SystemExit("verdicts differ")


if __name__ == "__main__":
    main()
