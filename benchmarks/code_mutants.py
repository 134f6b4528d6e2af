"""Mutated solutions of HumanEval and MBPP: is the verdict of ``CodeVerifier`` that of native execution?

    python -P benchmarks/code_mutants.py --data FOLDER [--limit 6000] [--report FILE]

FOLDER holds ``humaneval/`` and ``mbpp/`` (else the folder ASSAY_DATA). Native means what these data sets' own
evaluations do: solution and tests in one process, and success is exit status 0. That is fair here, since the mutants
are ours; it runs in the sandbox too. Every difference is printed. The result of a whole run is in docs/guide/code.md.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.environments.datasets import DataFile, load_rows
from assay.sandbox import Limits, Program, Sandbox, Status, open_sandbox
from assay.verifiers import CodeVerifier, TestSuite, Verdict

WRAPPERS = {
    "none": "None",
    "list_tuple": "tuple(r) if type(r) is list else list(r) if type(r) is tuple else None",
    "float_drift": "r * (1 + 1e-9) if type(r) is float else r",
    "int_to_float": "float(r) if type(r) is int else r",
    "bool_to_int": "int(r) if type(r) is bool else r",
    "negated": "not r",
    "space": "r + ' ' if type(r) is str else r",
    "reversed": "r[::-1] if type(r) in (list, tuple, str) else r",
    "sorted": "sorted(r) if type(r) is list else r",
    "set_to_list": "list(r) if type(r) in (set, frozenset) else r",
    "plus_one": "r + 1 if type(r) in (int, float) else r",
    "nested": "[tuple(x) if type(x) is list else [x] for x in r] if type(r) is list else r",
    "subclass": "type('L', (type(r),), {})(r) if type(r) in (int, float, str, list, tuple, dict) else r",
    "iterator": "iter(r) if type(r) in (list, tuple) else r",
}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Div,
    ast.Div: ast.FloorDiv,
    ast.Mod: ast.FloorDiv,
}


class Mutant(NamedTuple):
    """A changed solution, with the program that judges it natively."""

    name: str
    source: str
    native: str
    suite: TestSuite


class _Change(ast.NodeTransformer):
    """Changes the n-th place that can be changed; ``places`` counts them."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.places = 0

    def _here(self) -> bool:
        self.places += 1
        return self.places - 1 == self.wanted

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if type(node.ops[0]) in COMPARISONS and self._here():
            node.ops[0] = COMPARISONS[type(node.ops[0])]()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) in OPERATORS and self._here():
            node.op = OPERATORS[type(node.op)]()
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._here():
            return ast.Constant(node.value + 1)
        return ast.Constant(not node.value) if type(node.value) is bool and self._here() else node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._here():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        return ast.Pass() if self._here() else node


def changed(source: str) -> Iterator[tuple[str, str]]:
    """All solutions with one change in them."""
    counter = _Change(-1)
    counter.visit(ast.parse(source))
    for place in range(counter.places):
        tree = _Change(place).visit(ast.parse(source))
        yield f"change {place}", ast.unparse(ast.fix_missing_locations(tree))


def wrapped(source: str, entry: str) -> Iterator[tuple[str, str]]:
    """Solutions whose result is changed on its way out."""
    for name, expression in WRAPPERS.items():
        wrapper = f"def {entry}(*a, **k):\n    r = _original(*a, **k)\n    return {expression}\n"
        yield name, f"{source}\n\n_original = {entry}\n\n{wrapper}"


def mutants(folder: Path | None) -> Iterator[Mutant]:
    """Every mutant of both data sets."""
    for row in load_rows(
        DataFile("humaneval/HumanEval.jsonl", ("prompt", "test")), folder and folder / "humaneval"
    ).rows:
        entry, source = row["entry_point"], row["prompt"] + row["canonical_solution"]
        suite = TestSuite.from_code(row["test"], entry_point=entry, prompt=row["prompt"])
        for name, mutant in [*wrapped(source, entry), *changed(source)]:
            native = f"{mutant}\n{row['test']}\ncheck({entry})\n"
            yield Mutant(f"{row['task_id']} {name}", f"```python\n{mutant}\n```", native, suite)
    for row in load_rows(DataFile("mbpp/mbpp.jsonl", ("text", "code")), folder and folder / "mbpp").rows:
        tests = [*row["test_list"], *row["challenge_test_list"]]
        suite = TestSuite.from_asserts(tests, setup=row["test_setup_code"])
        source, text = row["code"].replace("\r", ""), "\n".join([row["test_setup_code"].replace("\r", ""), *tests])
        entry = suite.entry_points[0]
        for name, mutant in [*wrapped(source, entry), *changed(source)]:
            yield Mutant(f"MBPP/{row['task_id']} {name}", f"```python\n{mutant}\n```", f"{mutant}\n{text}\n", suite)


def chosen(folder: Path | None, limit: int) -> list[Mutant]:
    """``limit`` mutants, the same ones each time, without doubles."""
    unique = {mutant.native: mutant for mutant in mutants(folder)}
    found = list(unique.values())
    random.Random(0).shuffle(found)
    return found[:limit]


def compare(
    found: list[Mutant], sandbox: Sandbox, limits: Limits
) -> tuple[collections.Counter[str], list[dict[str, str]]]:
    """Counts of (verdict, native status), and the mutants on which they differ."""
    verifier = CodeVerifier(sandbox, limits=limits, all_or_nothing=True)
    results = verifier.verify([mutant.source for mutant in found], [mutant.suite for mutant in found])
    natives = sandbox.run([Program(mutant.native) for mutant in found], limits)
    counts: collections.Counter[str] = collections.Counter()
    differences = []
    for mutant, result, native in zip(found, results, natives, strict=True):
        counts[f"{result.verdict} / {native.status.name}"] += 1
        if (result.verdict is Verdict.CORRECT) != (native.status is Status.OK) or result.verdict.is_ours:
            last = native.stderr.decode("utf-8", "replace").rstrip().rpartition("\n")[2]
            ours, theirs = f"{result.verdict}: {result.reason}", f"{native.status.name}: {last}"
            differences.append({"mutant": mutant.name, "ours": ours, "native": theirs, "source": mutant.source})
    return counts, differences


def main() -> None:
    """Compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, default=6000)
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    found = chosen(arguments.data, arguments.limit)
    started = time.perf_counter()
    counts: collections.Counter[str] = collections.Counter()
    differences: list[dict[str, str]] = []
    with open_sandbox() as sandbox:
        for start in range(0, len(found), 500):
            some, differing = compare(found[start : start + 500], sandbox, Limits(cpu_seconds=1.0, wall_seconds=10.0))
            counts += some
            differences += differing
            print(f"{start + 500}: {len(differences)} differences, {time.perf_counter() - started:.0f} s", flush=True)
    for name, count in counts.most_common():
        print(f"{count:6}  {name}")
    print(f"{len(found)} mutants, {len(differences)} differences")
    for difference in differences:
        print({key: value[:200] for key, value in difference.items() if key != "source"})
    if arguments.report:
        arguments.report.write_text(json.dumps(differences, indent=1))


if __name__ == "__main__":
    main()
