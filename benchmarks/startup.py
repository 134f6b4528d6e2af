"""What it costs to import assay and to ask its command line, beside math-verify: `python -P benchmarks/startup.py`.

Medians of fresh interpreters in turns, bytecode compiled before, less what a bare interpreter takes: CPU time, and wall
time for the commands. ``rounds`` of each, 15 unless told.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

WAYS = {
    "bare interpreter": ["-c", "pass"],
    "import assay": ["-c", "import assay"],
    "import assay.verifiers": ["-c", "import assay.verifiers"],
    "import math_verify": ["-c", "import math_verify"],
    "assay --help": ["-m", "assay", "--help"],
    "assay list": ["-m", "assay", "list"],
}


def measure(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of one fresh interpreter."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-P", *arguments], stdout=subprocess.DEVNULL, env=environment, check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> None:
    """Print a line for each way."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:  # bytecode of our own, whatever the environment says of writing it
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for arguments in WAYS.values():
            measure(arguments, environment)
        taken = {name: [] for name in WAYS}
        for _ in range(rounds):
            for name, arguments in WAYS.items():
                taken[name].append(measure(arguments, environment))
    bare = statistics.median(cpu for cpu, _ in taken["bare interpreter"])
    for name, pairs in taken.items():
        cpu, wall = (statistics.median(values) for values in zip(*pairs, strict=True))
        print(
            f"{name:24} {1000 * (cpu - bare):6.0f} ms of CPU time beyond the interpreter, {1000 * wall:6.0f} ms in all"
        )


if __name__ == "__main__":
    main()
