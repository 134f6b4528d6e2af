"""How many checks a second one core does: tags, choices, text, JSON, IFEval, IFBench and the rest.

::

    python -P benchmarks/format.py                  # the table
    python -P benchmarks/format.py --fuzz 200000    # and so many random texts over every verifier

IFEval's and IFBench's prompts are read from the folder ASSAY_DATA, else `../shared/data` beside the checkout; each
prompt's constraints judge a text of 150 words. Processor time of this process counts; patterns run in another one, so
theirs is real time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.verifiers import ChoiceVerifier, InstructionVerifier, JSONFormat, MathVerifier, TagFormat, TextVerifier
from assay.verifiers.audit.fuzz import Target, fuzz, mutations
from assay.verifiers.base import Verifier
from assay.verifiers.format import BoxedFormat, CodeFence, LanguageFormat, LengthFormat, MarkdownFormat, PatternFormat

DATA = Path(os.environ.get("ASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
TEXT = (
    "The tides are the rise and fall of the sea. They follow the Moon, and the Sun helps. When both pull in one line, "
    "the water climbs higher; when they stand at right angles, it stays low. Every coast answers in its own way."
)
PROSE = " ".join([TEXT] * 4)
SCHEMA = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}
CATASTROPHE_FREE = r"<think>[\s\S]*</think>\s*<answer>[^<]*</answer>"


def rate(
    verifier: Verifier[Any], texts: Sequence[str], references: Sequence[Any], *, clock: Callable[[], float]
) -> float:
    """Checks a second: the best of five runs over distinct texts, so that none is judged once for all."""
    verifier.verify(texts[:2], references[:2])
    best = 0.0
    for _ in range(5):
        started = clock()
        verifier.verify(texts, references)
        best = max(best, len(texts) / (clock() - started))
    return best


def rows(file: str) -> list[Any]:
    path = DATA / file
    if not path.is_file():
        return []
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{"instruction_id_list": row["instruction_id_list"], "kwargs": row["kwargs"]} for row in read]


def table() -> None:
    count = 2_000
    tags = [f"<think>{TEXT} {i}</think><answer>{i}</answer>" for i in range(count)]
    values = [json.dumps({"name": f"Ada {i}", "age": i}) for i in range(count)]
    ifeval, ifbench = rows("ifeval/input_data_540.jsonl"), rows("ifbench/IFBench_test.jsonl")
    nothing = [None] * count
    cases: list[tuple[str, Verifier[Any], Sequence[str], Sequence[Any]]] = [
        ("tags", TagFormat(), tags, nothing),
        ("choice", ChoiceVerifier(), [f"{TEXT} {i}. The answer is (B)." for i in range(count)], ["B"] * count),
        ("text", TextVerifier(), [f"{TEXT} The answer is city {i}." for i in range(count)], ["Paris"] * count),
        ("boxed", BoxedFormat(), [f"{TEXT} \\boxed{{{i}}}" for i in range(count)], nothing),
        ("code fence", CodeFence(), [f"```python\nprint({i})\n```" for i in range(count)], nothing),
        ("Markdown", MarkdownFormat(headings=1), [f"# Title {i}\n\n{TEXT}" for i in range(count)], nothing),
        ("length", LengthFormat(most=100), tags, nothing),
        ("JSON", JSONFormat(), values, nothing),
        ("JSON with a schema", JSONFormat(SCHEMA), values, nothing),
        ("pattern", PatternFormat(CATASTROPHE_FREE), tags, nothing),
        ("language", LanguageFormat("en"), [f"{TEXT} {i}" for i in range(count)], nothing),
    ]
    for name, found in (("IFEval prompts", ifeval), ("IFBench prompts", ifbench)):
        if found:
            cases.append((name, InstructionVerifier(), [f"{PROSE} {i}" for i in range(len(found))], found))
            cases.append((f"{name}, loose", InstructionVerifier(loose=True), cases[-1][2], found))
    print(f"{'verifier':24} {'checks a second':>16}")
    for name, verifier, texts, references in cases:
        clock = time.perf_counter if name == "pattern" else time.process_time
        print(f"{name:24} {rate(verifier, texts, references, clock=clock):16,.0f}")


def targets() -> list[Target]:
    """Every verifier by rule that needs no sandbox; the instructions of both benchmarks in turn."""
    instructions = rows("ifeval/input_data_540.jsonl") + rows("ifbench/IFBench_test.jsonl")
    return [
        Target(TagFormat()),
        Target(ChoiceVerifier(), ("A", "B")),
        Target(TextVerifier(), ("Paris", "21")),
        Target(TextVerifier("f1"), ("the blue whale",)),
        Target(MathVerifier(), ("4", r"\frac{1}{2}", "x^2+1", r"\{1, 2\}")),
        Target(JSONFormat(SCHEMA, partial=True)),
        Target(PatternFormat(CATASTROPHE_FREE)),
        Target(BoxedFormat()),
        Target(CodeFence()),
        Target(MarkdownFormat(headings=1, bullets=1, levels_in_order=True)),
        Target(LengthFormat("sentences", most=3)),
        Target(LanguageFormat("en")),
        Target(
            InstructionVerifier(), instructions or ({"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},)
        ),
        Target(
            InstructionVerifier(loose=True),
            instructions[::-1] or ({"instruction_id_list": ["format:quotes"], "kwargs": [{}]},),
        ),
    ]


def run_fuzz(count: int) -> None:
    """Judge so many texts in parts, and watch the memory of this process."""
    part = min(count, 5_000)
    failures, memory = [], []
    started = time.perf_counter()
    everything = targets()
    for start in range(0, count, part):
        failures += fuzz(everything, list(mutations(min(part, count - start), start=start)))
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(f"  {start + part:,} texts, {len(failures)} failures, {memory[-1]:.0f} MiB at most", flush=True)
    seconds = time.perf_counter() - started
    print(f"{count:,} texts over {len(everything)} verifiers, each judged twice, in {seconds:,.0f} s")
    print(
        f"failures: {len(failures)}; memory after the first part {memory[0]:.0f} MiB, at the end {memory[-1]:.0f} MiB"
    )
    for failure in failures[:20]:
        print(f"  {failure.verifier}: {failure.why}: {failure.text[:200]!r}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="judge N random texts as well")
    arguments = parser.parse_args()
    table()
    if arguments.fuzz:
        run_fuzz(arguments.fuzz)
