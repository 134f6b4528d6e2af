"""Math verifiers side by side: right verdicts, false rates, pairs per CPU second, time per pair.

    python benchmarks/math.py [--rows N] [--peer-rows N] [--markdown FILE]

Needs the labelled cases (``ASSAY_SHARED``, else ``../shared`` beside the checkout) and, for the peers, the ``dev``
extra. Every verifier runs in a process of its own with 3 GB of address space; a pair that takes longer than twenty
seconds is counted as wrong and its process replaced.
"""

# ruff: noqa: E402
from __future__ import annotations

import sys

# This file must not hide the standard library's `math`: its folder comes last.
sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]
sys.path.append(__file__.rpartition("/")[0])

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from math_judges import VERIFIERS, forget

LIMIT_SECONDS = 20.0
MEMORY_BYTES = 3 << 30
SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).resolve().parents[2] / "shared"))
_COLUMNS = (
    "verifier", "rows", "right %", "false positives %", "false negatives %",
    "per CPU second", "in one batch", "p50 ms", "p99 ms", "max ms", "hangs",
)  # fmt: skip


@dataclass
class Row:
    """One case: is ``prediction`` (a whole completion where ``whole``) right for ``gold``?"""

    gold: str
    prediction: str
    expected: bool | None
    kind: str
    whole: bool = False


@dataclass
class Outcome:
    """What one verifier did on one workload."""

    batch_rate: float | None = None
    rows: list[Row] = field(default_factory=list)
    verdicts: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    hangs: int = 0


def _serve(name: str, connection: Connection) -> None:
    """The process of one verifier: rows in, verdict and CPU seconds out."""
    if name != "assay":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    judge = VERIFIERS[name]()
    connection.send("ready")
    while True:
        row: Row | list[Row] = connection.recv()
        started = time.process_time()
        if isinstance(row, list):
            _batch(row)
            connection.send(len(row) / (time.process_time() - started))
            forget(references=False)  # what follows are new answers to known references
            continue
        try:
            verdict = judge(row.gold, row.prediction, row.whole)
        except (Exception, SystemExit):
            verdict = False
        connection.send((verdict, time.process_time() - started))


def _batch(rows: list[Row]) -> None:
    """All rows in one call of this package, as a trainer makes it."""
    from assay.verifiers import MathVerifier

    forget(references=True)
    verify = MathVerifier().verify if rows[0].whole else MathVerifier().verify_answers
    verify([row.prediction for row in rows], [row.gold for row in rows])


class Runner:
    """One verifier in a process that is replaced when a row takes too long."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.start()

    def start(self) -> None:
        """Start the process and wait for its imports."""
        self.here, there = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=_serve, args=(self.name, there), daemon=True)
        self.process.start()
        there.close()
        self.here.recv()

    def run(self, rows: list[Row]) -> Outcome:
        """Judge every row."""
        outcome = Outcome()
        if self.name == "assay":
            self.here.send(rows)
            outcome.batch_rate = self.here.recv()
        for row in rows:
            self.here.send(row)
            try:
                answered = self.here.poll(LIMIT_SECONDS)
                verdict, seconds = self.here.recv() if answered else (False, LIMIT_SECONDS)
            except EOFError:  # the process died, of memory usually
                answered, verdict, seconds = False, False, LIMIT_SECONDS
            if not answered:
                outcome.hangs += 1
                self.process.kill()
                self.start()
            outcome.rows.append(row)
            outcome.verdicts.append(verdict)
            outcome.seconds.append(seconds)
        return outcome


def workloads(limit: int | None) -> dict[str, list[Row]]:
    """All cases by workload."""

    def lines(path: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (SHARED / path).read_text().splitlines()][:limit]

    cases = [
        Row(row["gold"], row["prediction"], row["expected"], row["kind"]) for row in lines("cases/math/pairs.jsonl")
    ]
    whole = [
        Row(row["gold"], row["completion"], row["expected"], row["kind"], True)
        for row in lines("cases/math/completions.jsonl")
        if "completion" in row
    ]
    hostile = [
        Row(row["gold"], row["prediction"], row["expected"], row["kind"])
        for row in lines("cases/math/adversarial.jsonl")
    ]
    grade = [row["answer"].rsplit("####", 1)[1].strip() for row in lines("data/gsm8k/test.jsonl")]
    contest = [row["answer"] for row in lines("data/math500/test.jsonl")]
    return {
        "pairs": cases,
        "completions": whole,
        "GSM8K answers": [Row(gold, gold.replace(",", "") + ".0", True, "gsm8k") for gold in grade],
        "MATH-500 answers": [Row(gold, f" {gold} ", True, "math500") for gold in contest],
        "adversarial": hostile,
    }


def _spaced(rows: list[Row], most: int) -> list[Row]:
    """At most so many rows, evenly spaced."""
    step = max(1, -(-len(rows) // max(1, most)))
    return rows[::step]


def accuracy(outcome: Outcome) -> tuple[float, float, float]:
    """Percent right, percent of wrong answers accepted, percent of right answers refused."""
    judged = zip(outcome.rows, outcome.verdicts, strict=True)
    scored = [(row, verdict) for row, verdict in judged if row.expected is not None]
    wrong = [verdict for row, verdict in scored if not row.expected]
    right = [verdict for row, verdict in scored if row.expected]
    good = sum(verdict == row.expected for row, verdict in scored)
    return (
        100 * good / max(1, len(scored)),
        100 * sum(wrong) / max(1, len(wrong)),
        100 * (len(right) - sum(right)) / max(1, len(right)),
    )


def report(results: dict[str, dict[str, Outcome]], rows: dict[str, list[Row]]) -> str:
    """The tables as Markdown."""
    lines = []
    for workload, cases in rows.items():
        lines += [
            f"\n### {workload} ({len(cases)} rows)\n",
            f"| {' | '.join(_COLUMNS)} |",
            "|---" * len(_COLUMNS) + "|",
        ]
        for name, outcomes in results.items():
            outcome = outcomes[workload]
            good, positive, negative = accuracy(outcome)
            times = sorted(outcome.seconds)
            p50, p99 = statistics.median(times), times[min(len(times) - 1, int(0.99 * len(times)))]
            rate = len(times) / max(1e-9, sum(times))
            lines.append(
                f"| {name} | {len(times)} | {good:.1f} | {positive:.1f} | {negative:.1f} | {rate:,.0f} | "
                f"{f'{outcome.batch_rate:,.0f}' if outcome.batch_rate else ''} | "
                f"{p50 * 1e3:.3f} | {p99 * 1e3:.2f} | {times[-1] * 1e3:.1f} | {outcome.hangs} |"
            )
    return "\n".join([*lines, *_by_kind(results, rows["pairs"])])


def _by_kind(results: dict[str, dict[str, Outcome]], rows: list[Row]) -> list[str]:
    """Percent right for each kind of pair."""
    names = list(results)
    lines = ["\n### Pairs by kind (percent right)\n", f"| kind | n | {' | '.join(names)} |"]
    lines.append("|---" * (len(names) + 2) + "|")
    for kind in sorted({row.kind for row in rows}):
        shares = []
        for name in names:
            outcome = results[name]["pairs"]
            judged = [v == r.expected for r, v in zip(outcome.rows, outcome.verdicts, strict=True) if r.kind == kind]
            shares.append(f"{100 * sum(judged) / len(judged):.0f}" if judged else "")
        lines.append(f"| {kind} | {sum(row.kind == kind for row in rows)} | {' | '.join(shares)} |")
    return lines


def main() -> None:
    """Run all verifiers on all workloads and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help="at most so many rows of each workload")
    parser.add_argument(
        "--peer-rows", type=int, help="peers judge evenly spaced rows only, so many, an eighth of hostile ones"
    )
    parser.add_argument("--markdown", type=Path, help="write the tables to this file as well")
    options = parser.parse_args()
    rows = workloads(options.rows)
    results: dict[str, dict[str, Outcome]] = {}
    for name in VERIFIERS:
        try:
            runner = Runner(name)
        except (EOFError, ImportError) as error:
            print(f"{name} could not be started ({error!r}); install the bench extra")
            continue
        results[name] = {}
        for workload, cases in rows.items():
            most = options.peer_rows // (8 if workload == "adversarial" else 1) if options.peer_rows else len(cases)
            results[name][workload] = runner.run(cases if name == "assay" else _spaced(cases, most))
        runner.process.kill()
        print(f"{name} done", flush=True)
    text = report(results, rows)
    print(f"math-verify {version('math-verify')}\n{text}")
    if options.markdown:
        options.markdown.write_text(text + "\n")


if __name__ == "__main__":
    main()
