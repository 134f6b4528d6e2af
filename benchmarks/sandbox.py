"""The local sandbox beside its peers, in one run on one machine: `python -P benchmarks/sandbox.py`.

Contenders take turns in short rounds, so that whatever else the machine does hits all of them alike; compare ratios,
not milliseconds. Printed: medians and 99th percentiles of one caller, runs per second of two, and the bars.

    fork             `os.fork()` and wait in an interpreter with the same modules loaded: the floor for a warm sandbox
    fork (sci)       the same with numpy and sympy loaded
    python3 -I       a fresh isolated interpreter, no protection at all
    import numpy     a fresh interpreter that imports numpy
    light, sci       ours, `print(1)`
    numpy used       ours, a program that uses numpy
    docker: ours     ours in containers of a Docker engine, `print(1)`; where a daemon answers and has the image
    docker exec      a fresh interpreter in a warm container of that image, no limits at all
    docker run       a fresh container of it, `docker run --rm --network none`
    HumanEval        canonical solutions judged by `CodeVerifier`, with --humaneval or ASSAY_DATA
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from assay import make
from assay.errors import MissingExtra, SandboxUnavailable
from assay.sandbox import Program, Sandbox, Status
from assay.sandbox.docker import DockerSandbox
from assay.sandbox.local import LocalSandbox
from assay.sandbox.local.machine import FLAGS, interpreter
from assay.sandbox.local.profiles import profile
from assay.verifiers import CodeVerifier

TRIVIAL = "print(1)"
NUMPY = "import numpy; print(int(numpy.arange(4).sum()))"
FORKER = """
import gc, json, os, sys, time
sys.path += {path!r}
for name in {modules!r}: __import__(name)
exec({warm_up!r})
gc.collect(); gc.freeze(); gc.disable()
for line in sys.stdin:
    seconds = []
    for _ in range(int(line)):
        started = time.perf_counter()
        pid = os.fork()
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
        seconds.append(time.perf_counter() - started)
    print(json.dumps(seconds), flush=True)
"""


class Forker:
    """An interpreter with a profile's modules that forks and waits when asked."""

    def __init__(self, name: str) -> None:
        kind = profile(name)
        source = FORKER.format(path=kind.path, modules=kind.preload, warm_up=kind.warm_up)
        self._process = subprocess.Popen(
            [interpreter(), *FLAGS, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.measure(3)

    def measure(self, count: int) -> list[float]:
        """Seconds of ``count`` forks."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(count, file=self._process.stdin, flush=True)
        seconds: list[float] = json.loads(self._process.stdout.readline())
        return seconds

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def timed(call: Callable[[], object], count: int) -> list[float]:
    seconds = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return seconds


def command(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run(words, capture_output=True, check=True, stdin=subprocess.DEVNULL)


def ours(sandbox: Sandbox, source: str, kind: str) -> Callable[[], object]:
    program = Program(source, profile=kind)

    def run() -> None:
        [execution] = sandbox.run([program])
        assert execution.status is Status.OK, execution

    return run


@contextlib.contextmanager
def docker_calls() -> Iterator[dict[str, tuple[Callable[[], object], int]]]:
    """The contenders that need a Docker engine; none where no daemon answers or the image is missing."""
    try:
        sandbox = DockerSandbox(slots=2)
    except (MissingExtra, SandboxUnavailable):
        yield {}
        return
    options = ("--rm", "--network", "none", sandbox.image)
    started = subprocess.run(["docker", "run", "-d", *options, "sleep", "3600"], capture_output=True, text=True)
    container = started.stdout.strip()
    try:
        with sandbox:
            yield {
                "docker: ours": (ours(sandbox, TRIVIAL, "light"), 20),
                "docker exec": (command("docker", "exec", container, "python3", "-I", "-c", TRIVIAL), 2),
                "docker run": (command("docker", "run", *options, "python3", "-I", "-c", TRIVIAL), 1),
            }
    finally:
        subprocess.run(["docker", "rm", "-f", container], capture_output=True)


def measure(
    rounds: int, sandbox: LocalSandbox, docker: dict[str, tuple[Callable[[], object], int]]
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Seconds of single runs, and runs per second of two callers, by contender."""
    forkers = {"fork": [Forker("light"), Forker("light")], "fork (sci)": [Forker("sci"), Forker("sci")]}
    calls: dict[str, tuple[Callable[[], object], int]] = {
        "python3 -I": (command(sys.executable, "-I", "-c", TRIVIAL), 4),
        "import numpy": (command(sys.executable, "-c", NUMPY), 1),
        "light": (ours(sandbox, TRIVIAL, "light"), 20),
        "sci": (ours(sandbox, TRIVIAL, "sci"), 10),
        "numpy used": (ours(sandbox, NUMPY, "auto"), 10),
    }
    calls |= docker
    for call, _ in calls.values():
        call()
    seconds: dict[str, list[float]] = defaultdict(list)
    done: dict[str, int] = defaultdict(int)
    spent: dict[str, float] = defaultdict(float)
    with ThreadPoolExecutor(2) as pair:
        for _ in range(rounds):
            for name, two in forkers.items():
                seconds[name] += two[0].measure(20)
                started = time.perf_counter()
                done[name] += sum(map(len, pair.map(lambda forker: forker.measure(20), two)))
                spent[name] += time.perf_counter() - started
            for name, (call, count) in calls.items():
                seconds[name] += timed(call, count)
                started = time.perf_counter()
                done[name] += sum(map(len, pair.map(lambda _, c=call, n=count: timed(c, n), range(2))))
                spent[name] += time.perf_counter() - started
    for two in forkers.values():
        for forker in two:
            forker.close()
    return dict(seconds), {name: done[name] / spent[name] for name in done}


def humaneval_rate(path: str, sandbox: LocalSandbox) -> float:
    """Tasks judged per second, all tests of each; every canonical solution must pass."""
    environment = make("code/humaneval-v1", path=path)
    tasks = environment.tasks("test")
    completions = [environment.reference_completions(task)[0] for task in tasks]
    verifier = CodeVerifier(sandbox)
    suites = [task.reference for task in tasks]
    best = 0.0
    for _ in range(4):  # the first pass also reads the suites and starts slots
        started = time.perf_counter()
        results = verifier.verify(completions, suites)
        best = max(best, len(tasks) / (time.perf_counter() - started))
        assert all(result.is_correct for result in results)
    return best


def bars(
    median: dict[str, float], rate: dict[str, float], humaneval: float | None
) -> list[tuple[str, float, str, float, bool]]:
    """What is demanded: name, value, relation, bound, whether it holds."""
    found = []
    containers = []
    if "docker exec" in rate:
        over = rate["docker: ours"] / rate["docker exec"]
        containers = [("docker: throughput over docker exec", over, 10.0, False)]
    judged = (
        [] if humaneval is None else [("HumanEval: tasks judged per second, quiet machine", humaneval, 200.0, False)]
    )
    for name, value, bound, at_most in (
        *judged,
        *containers,
        ("light: throughput over python3 -I", rate["light"] / rate["python3 -I"], 4.0, False),
        ("light: median, ms, against 1.5 fork + 1.5 ms", median["light"] * 1e3, 1.5e3 * median["fork"] + 1.5, True),
        ("sci: median, ms, against 1.5 fork + 1.5 ms", median["sci"] * 1e3, 1.5e3 * median["fork (sci)"] + 1.5, True),
        ("numpy used: speed over a fresh import", median["import numpy"] / median["numpy used"], 15.0, False),
    ):
        holds = value <= bound if at_most else value >= bound
        found.append((name, value, "<=" if at_most else ">=", bound, holds))
    return found


def main() -> int:
    """Measure and print; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--humaneval", help="a folder with HumanEval.jsonl or HumanEval.jsonl.gz")
    options = parser.parse_args()
    data = options.humaneval or (os.environ["ASSAY_DATA"] + "/humaneval" if "ASSAY_DATA" in os.environ else None)
    with LocalSandbox(slots=2) as sandbox, docker_calls() as docker:
        print(f"mode {sandbox.mode}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
        seconds, rate = measure(options.rounds, sandbox, docker)
        humaneval = humaneval_rate(data, sandbox) if data else None
    median = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"{'':<18}{'p50 ms':>9}{'p99 ms':>9}{'runs/s, two callers':>22}")
    for name, values in seconds.items():
        high = statistics.quantiles(values, n=100)[98] if len(values) > 1 else values[0]
        print(f"{name:<18}{median[name] * 1e3:>9.2f}{high * 1e3:>9.2f}{rate[name]:>22.0f}")
    if "docker exec" not in seconds:
        print("docker            not measured: no daemon, or no image (`assay image build` makes it)")
    if humaneval is None:
        print("HumanEval         not measured: say --humaneval FOLDER")
    print()
    missed = 0
    for name, value, relation, bound, holds in bars(median, rate, humaneval):
        missed += not holds
        print(f"{'met   ' if holds else 'MISSED'} {name}: {value:.2f} {relation} {bound:.2f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
