"""Whether the intervals cover what they say, and what the metrics and the page cost.

python benchmarks/evaluation.py coverage     joint and pointwise coverage by simulation
python benchmarks/evaluation.py speed        exact maj@k for 1,000 tasks x 256 samples, against Monte Carlo
python benchmarks/evaluation.py page         a page of 500 tasks x 64 samples, opened in headless Chromium
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import tempfile
import time
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.evaluation import Report, VoteClass, Votes, difference_interval, majority_curve, pass_at_k, rate_interval
from assay.evaluation.band import simultaneous_band
from assay.evaluation.jackknife import benchmark_intervals
from assay.evaluation.outcomes import TaskOutcome

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
SAMPLES = 16
KS = (1, 2, 4, 8, 16)
# pass@1 and maj@1 are one number: the band has one column for both
COLUMNS = [("pass@k", k) for k in KS] + [("maj@k", k) for k in KS if k > 1]


@cache
def numbers(correct: int, rival: int) -> tuple[float, ...]:
    """All columns for a task with one right class, one wrong class and otherwise distinct wrong answers."""
    passed = [pass_at_k(n=SAMPLES, correct=correct, k=k) for k in KS]
    curve = majority_curve([(correct, 1.0), (rival, 0.0), *[(1, 0.0)] * (SAMPLES - correct - rival)])
    return (*passed, *(float(curve[k - 1]) for k in KS if k > 1))


def population(random: np.random.Generator, tasks: int) -> tuple[Array, Array, Array]:
    """Chances to be right before and after sharpening, and the share of one rival among the wrong answers."""
    before = random.beta(0.35, 0.5, tasks).clip(1e-9, 1 - 1e-9)
    odds = np.log(before / (1 - before))
    after = 1 / (1 + np.exp(-(1.6 * odds + 0.3 * random.normal(0.5, 0.6, tasks))))
    return before, after, random.beta(2, 2, tasks)


def sampled(random: np.random.Generator, right: Array, rival: Array) -> tuple[Counts, Counts, Array]:
    """Counts of right and rival answers, and the numbers, shape (tasks, columns)."""
    correct = random.binomial(SAMPLES, right)
    other = random.binomial(SAMPLES - correct, rival)
    return correct, other, np.array([numbers(int(c), int(r)) for c, r in zip(correct, other, strict=True)])


def coverage(repeats: int) -> None:
    """Prints a Markdown table: how often 95 % intervals hold the truth."""
    random = np.random.default_rng(20)
    before, after, rival = population(random, 400_000)
    large = [sampled(random, p, rival)[2] for p in (before, after)]
    truth = large[0].mean(axis=0), (large[1] - large[0]).mean(axis=0)
    print(f"{repeats} repeats, n = {SAMPLES}, K in {list(KS)}; lowest and highest pointwise coverage over K\n")
    print("| tasks | pass@k, population | maj@k, population | difference | benchmark (jackknife) | band, jointly |")
    print("|---|---|---|---|---|---|")
    for tasks in (30, 100, 300):
        held = {name: np.zeros(len(COLUMNS)) for name in ("rate", "difference", "benchmark")}
        measured, jointly = np.zeros(len(COLUMNS)), 0
        for _ in range(repeats):
            p0, p1, share = population(random, tasks)
            correct, other, left = sampled(random, p0, share)
            values = sampled(random, p1, share)[2] - left
            for column in range(len(COLUMNS)):
                rate, change = rate_interval(left[:, column]), difference_interval(values[:, column])
                held["rate"][column] += rate.low <= truth[0][column] <= rate.high
                held["difference"][column] += change.low <= truth[1][column] <= change.high
            fixed = fixed_benchmark(correct, other)
            want = expected(random, p0, share)
            for column, estimate in enumerate(fixed):
                if not np.isnan(estimate[0]):
                    measured[column] += 1
                    held["benchmark"][column] += estimate[0] <= want[column] <= estimate[1]
            band = simultaneous_band(values, draws=1000)
            jointly += bool(np.all((band.low <= truth[1]) & (truth[1] <= band.high)))
        share_held = held["rate"] / repeats
        cells = [spread(share_held[: len(KS)]), spread(share_held[len(KS) :]), spread(held["difference"] / repeats)]
        cells += [spread(held["benchmark"][measured > 0] / measured[measured > 0]), f"{jointly / repeats:.3f}"]
        print(f"| {tasks} | {' | '.join(cells)} |", flush=True)


def fixed_benchmark(correct: Counts, other: Counts) -> list[tuple[float, float]]:
    """The jackknife interval of every column."""
    outcomes = [task(str(i), int(c), int(r)) for i, (c, r) in enumerate(zip(correct, other, strict=True))]
    found = {m: benchmark_intervals(outcomes, KS, metric=m) for m in ("pass@k", "maj@k")}
    return [(found[metric][k].low, found[metric][k].high) for metric, k in COLUMNS]


def expected(random: np.random.Generator, right: Array, rival: Array) -> Array:
    """The true numbers of these very tasks: their mean over many repetitions of the sampling."""
    total = np.zeros(len(COLUMNS))
    for _ in range(60):
        total += sampled(random, right, rival)[2].mean(axis=0)
    return total / 60


def task(name: str, correct: int, rival: int, n: int = SAMPLES) -> TaskOutcome:
    sizes = [VoteClass(correct, 1.0), VoteClass(rival, 0.0), *[VoteClass(1, 0.0)] * (n - correct - rival)]
    classes = tuple(sorted((item for item in sizes if item.size), reverse=True))
    groups = tuple(index for index, item in enumerate(classes) for _ in range(item.size))
    return TaskOutcome(name, n, correct, 0, 0, correct / n, Votes(groups, classes))


def spread(values: Array) -> str:
    return f"{values.min():.3f}-{values.max():.3f}"


def speed() -> None:
    """Exact curves of 1,000 tasks x 256 samples, against Monte Carlo with an error of 0.001."""
    random = np.random.default_rng(3)
    outcomes = [long_tail(random, str(i)) for i in range(1000)]
    config = {"environment": "test/x-v1", "split": None, "samples": 256, "sampler": {"kind": "simulated"}}
    started = time.process_time()
    report = Report(config, tuple(outcomes))
    curves = report.curves
    exact = time.process_time() - started
    print(f"exact: pass@k and maj@k of 1,000 tasks x 256 samples, all k: {exact:.1f} s of CPU time")
    started = time.process_time()
    assert report.benchmark_curves
    print(f"their jackknife intervals, at k = 1, 2, 4, ..., 128: {time.process_time() - started:.1f} s of CPU time")
    started = time.process_time()
    guessed = [monte_carlo(random, item, 16, 250_000) for item in outcomes[:4]]
    each = (time.process_time() - started) / 4
    worst = max(abs(g - item.majority()[15]) for g, item in zip(guessed, outcomes[:4], strict=True))
    print(f"Monte Carlo, error 0.001, one k of one task: {each:.2f} s; all nine k of 1,000 tasks: {each * 9000:.0f} s")
    print(f"largest difference between the two on four tasks: {worst:.4f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB; maj@256 is "
          f"{curves['maj@k'][256].estimate:.3f}")  # fmt: skip


def long_tail(random: np.random.Generator, name: str, n: int = 256) -> TaskOutcome:
    """A task whose wrong answers have a long tail of sizes."""
    weights = np.concatenate([[random.beta(1, 1) * 3], 1 / np.arange(1, 80) ** 1.2])
    counts = np.bincount(random.choice(len(weights), size=n, p=weights / weights.sum()), minlength=len(weights))
    sizes = [VoteClass(int(c), float(i == 0)) for i, c in enumerate(counts) if c]
    classes = tuple(sorted(sizes, reverse=True))
    groups = tuple(index for index, item in enumerate(classes) for _ in range(item.size))
    return TaskOutcome(name, n, int(counts[0]), 0, 0, counts[0] / n, Votes(groups, classes))


def monte_carlo(random: np.random.Generator, item: TaskOutcome, k: int, draws: int) -> float:
    """maj@k by drawing k-subsets: random votes, ties by chance."""
    sizes = np.array([c.size for c in item.votes.classes])
    scores = np.array([c.score for c in item.votes.classes])
    votes = random.multivariate_hypergeometric(sizes, k, size=draws).astype(np.float64)
    return float(scores[np.argmax(votes + random.random(votes.shape) / 2, axis=1)].mean())


def page() -> None:
    """Makes and opens a page of 500 tasks x 64 samples of about 1,000 characters."""
    from assay.evaluation.page import write_page
    from assay.evaluation.samples import SampleFolder

    random = np.random.default_rng(4)
    words = ["so", "we", "add", "the", "number", "and", "get", "seventeen", "<b>", "\\frac{1}{2}", "42", "again"]
    with tempfile.TemporaryDirectory() as name:
        store = SampleFolder(name)
        tasks = [{"id": f"{i:016x}", "prompt": f"question {i}", "reference": str(i)} for i in range(500)]
        store.begin(
            {"environment": "test/x-v1", "split": "test", "samples": 64, "sampler": {"kind": "simulated"}}, tasks
        )
        with store.samples_file.open("w") as file:
            for item in tasks:
                for index in range(64):
                    right = bool(random.random() < 0.4)
                    row = {"task": item["id"], "sample": index, "completion": " ".join(random.choice(words, 200)),
                           "verdict": "correct" if right else "incorrect", "score": float(right), "reason": "",
                           "answer": item["reference"] if right else str(index % 7), "tokens": 200,
                           "truncated": False}  # fmt: skip
                    file.write(json.dumps(row) + "\n")
        started = time.process_time()
        path = write_page(name)
        print(f"written in {time.process_time() - started:.1f} s of CPU time, {path.stat().st_size / 2**20:.0f} MiB")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        if chromium is None:
            print("no Chromium here: not opened")
            return
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--screenshot={name}/picture.png"]
        blank = min(opened(chromium, flags, "about:blank") for _ in range(3))
        full = min(opened(chromium, flags, path.as_uri()) for _ in range(3))
        print(f"opened in {full - blank:.2f} s more than an empty page ({full:.2f} s with the start of the browser)")


def opened(chromium: str, flags: list[str], address: str) -> float:
    started = time.perf_counter()
    subprocess.run([chromium, *flags, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["coverage", "speed", "page"])
    parser.add_argument("--repeats", type=int, default=400, help="of the coverage simulation")
    arguments = parser.parse_args()
    {"coverage": lambda: coverage(arguments.repeats), "speed": speed, "page": page}[arguments.what]()


if __name__ == "__main__":
    main()
