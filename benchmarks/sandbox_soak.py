"""Thousands of mixed runs through one local sandbox, a fifth of them attacks: `python -P benchmarks/sandbox_soak.py`.

Nothing may be left (process, descriptor, mount, cgroup, file), the supervisor may not grow by more than 20 MB, and no
honest program may be judged wrong. The exit status is 1 where one of these fails.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from assay.sandbox import Limits, Program, Status
from assay.sandbox.local import LocalSandbox, census
from assay.sandbox.local.conformance import NOT_COVERED
from assay.sandbox.local.machine import machine

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "data" / "sandbox"
HONEST = Limits(cpu_seconds=20, wall_seconds=60, memory_bytes=1 << 30)
HOSTILE = Limits(cpu_seconds=0.3, wall_seconds=0.4, scratch_bytes=16 << 20)
SLOW = {"p15_slow", "p20_memory_300mb", "p12_big_input"}  # among one run in ten
BATCH = 50
MOST_GROWTH_BYTES = 20 << 20


@dataclass
class State:
    """What may not change: descriptors, mounts, cgroups, files, keepers; and what may not grow: memory."""

    descriptors: set[str]
    mounts: str
    cgroups: set[str]
    files: set[str]
    keepers: set[int]
    resident_bytes: int


def state() -> State:
    """The present state of this process and of what it could leave behind."""
    gc.collect()
    place = machine().cgroup
    folders = {place.memory, place.processes} if place else set()
    mine = f"assay-{os.getpid()}-"
    return State(
        descriptors=set(os.listdir("/proc/self/fd")),
        mounts=Path("/proc/self/mountinfo").read_text(),
        cgroups={f"{folder}/{name}" for folder in folders for name in os.listdir(folder) if name.startswith(mine)},
        files={name for name in os.listdir(tempfile.gettempdir()) if name.startswith(mine)},
        keepers=set(census.keepers()),
        resident_bytes=int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
    )


def pick(index: int, among: list[Path]) -> Path:
    """A program for this run, the same in every soak."""
    return among[int.from_bytes(sha256(str(index).encode()).digest()[:4]) % len(among)]


def soak(runs: int, sandbox: LocalSandbox) -> tuple[list[str], State]:
    """Run; what went wrong, and the state after a tenth of the runs."""
    attacks = sorted(PROGRAMS.glob("*attacks/*.py"))
    honest = [path for path in sorted(PROGRAMS.glob("*honest/*.py")) if path.stem not in NOT_COVERED[sandbox.mode]]
    quick = [path for path in honest if path.stem not in SLOW]
    wrong: list[str] = []
    warm = state()
    started = time.monotonic()
    for first in range(0, runs, BATCH):
        numbers = range(first, min(first + BATCH, runs))
        good = [pick(n, honest if n % 10 == 1 else quick) for n in numbers if n % 5]
        programs = [Program(path.read_text(), stdin=path.with_suffix(".in").read_bytes()) for path in good]
        for path, execution in zip(good, sandbox.run(programs, HONEST), strict=True):
            expected = path.with_suffix(".out").read_bytes().rstrip()
            if execution.status is not Status.OK or execution.stdout.rstrip() != expected:
                wrong.append(f"{path.stem}: {execution.status.name} {execution.reason} {execution.stderr[-300:]!r}")
        bad = [pick(n, attacks) for n in numbers if n % 5 == 0]
        for path, execution in zip(bad, sandbox.run([Program(p.read_text()) for p in bad], HOSTILE), strict=True):
            if b"BREACH" in execution.stdout or execution.status is Status.SANDBOX_ERROR:
                wrong.append(f"{path.stem}: {execution.status.name} {execution.reason} {execution.stdout[:300]!r}")
        wrong += [f"left running: {stray}" for stray in census.strays()]
        if first < runs // 10 <= first + BATCH:
            warm = state()
        if sys.stdout.isatty():
            print(f"\r{numbers.stop} runs, {time.monotonic() - started:.0f} s", end="", flush=True)
    return wrong, warm


def main() -> int:
    """Soak and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--mode", default="auto")
    options = parser.parse_args()
    machine()
    before = state()
    started = time.monotonic()
    with LocalSandbox(options.slots, mode=options.mode) as sandbox:
        wrong, warm = soak(options.runs, sandbox)
        after = state()
        mode = sandbox.mode
    closed = state()
    growth = after.resident_bytes - warm.resident_bytes
    for name in ("descriptors", "cgroups", "files", "keepers"):
        left = getattr(closed, name) - getattr(before, name)
        if left:
            wrong.append(f"left behind: {name} {sorted(left)}")
    if closed.mounts != before.mounts:
        wrong.append("left behind: mounts")
    if growth > MOST_GROWTH_BYTES:
        wrong.append(f"the supervisor grew by {growth >> 20} MB")
    spent = time.monotonic() - started
    print(f"\nmode {mode}: {options.runs} runs in {spent:.0f} s, supervisor grew by {growth / 1e6:.1f} MB")
    for line in wrong[:20]:
        print(f"WRONG {line}")
    print("nothing left behind, nothing wrong" if not wrong else f"{len(wrong)} things went wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
