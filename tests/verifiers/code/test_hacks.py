"""Programs that try to be judged right without being right."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import Verdict
from assay.sandbox import Limits, Sandbox
from assay.verifiers import CodeVerifier, TestSuite

OURS = sorted((Path(__file__).parents[2] / "data" / "code" / "hacks").glob("*.py"))


def verdicts(verifier: CodeVerifier, files: list[Path], suites: dict[str, TestSuite]) -> dict[tuple[str, str], Verdict]:
    rows = [(file, kind) for file in files for kind in suites]
    results = verifier.verify([file.read_text() for file, _ in rows], [suites[kind] for _, kind in rows])
    return {(file.stem, kind): result.verdict for (file, kind), result in zip(rows, results, strict=True)}


def test_every_handed_hack_is_judged_wrong_and_the_honest_control_right(
    shared: Path, verifier: CodeVerifier, square_suites: dict[str, TestSuite]
) -> None:
    files = sorted((shared / "cases" / "sandbox" / "hacks").glob("h*.py"))
    assert len(files) >= 20
    found = verdicts(verifier, files, square_suites)
    honest = {kind: verdict for (name, kind), verdict in found.items() if name == "h00_control_honest"}
    assert honest == dict.fromkeys(square_suites, Verdict.CORRECT)
    others = {key: verdict for key, verdict in found.items() if key[0] != "h00_control_honest"}
    assert set(others.values()) <= {Verdict.INCORRECT, Verdict.LIMIT_EXCEEDED}


def test_every_hack_of_ours_is_judged_wrong_with_score_zero(
    verifier: CodeVerifier, square_suites: dict[str, TestSuite]
) -> None:
    found = verdicts(verifier, OURS, {kind: square_suites[kind] for kind in ("asserts", "linked", "unittest")})
    fooled = {
        key: verdict for key, verdict in found.items() if verdict not in (Verdict.INCORRECT, Verdict.LIMIT_EXCEEDED)
    }
    assert fooled == {}


def test_a_right_program_with_the_same_decorations_passes(
    verifier: CodeVerifier, square_suites: dict[str, TestSuite]
) -> None:
    noise = "import os, sys, threading\nprint('PASS')\nsys.stderr.write('x' * 500000)\n"
    program = f"{noise}def solve(x):\n    print(x)\n    return x * x"
    results = verifier.verify([program] * len(square_suites), list(square_suites.values()))
    assert [result.verdict for result in results] == [Verdict.CORRECT] * len(square_suites)


class Recorder:
    """Hands programs on to a real sandbox and keeps what it saw."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.programs: list[bytes] = []
        self.runs = 0

    def run(self, programs, limits=None, *, deadline_seconds=None):  # type: ignore[no-untyped-def]
        self.programs += [program.source.encode() + program.stdin for program in programs]
        self.runs += 1
        return self.sandbox.run(programs, limits, deadline_seconds=deadline_seconds)

    def run_linked(self, pairs, limits=None):  # type: ignore[no-untyped-def]
        self.programs += [program.source.encode() + program.stdin for pair in pairs for program in pair]
        return self.sandbox.run_linked(pairs, limits)


@pytest.mark.parametrize(
    "suite",
    [
        TestSuite.from_asserts("assert f('in') == 'EXPECTED-VALUE'"),
        TestSuite.from_asserts("want = ['EXPECTED-VALUE']\nassert [f('in')] == want"),
        TestSuite.from_calls("f", [(("in",), {}, "EXPECTED-VALUE")]),
        TestSuite.from_calls(
            "f",
            [(("in",), {}, "EXPECTED-VALUE")],
            checker="def check(arguments, keywords, result, expected):\n    return result == expected",
        ),
        TestSuite.from_code("import random\nassert f('in') == 'EXPECTED-VALUE'", entry_point="f"),
        TestSuite.from_stdio([("in\n", "EXPECTED-VALUE\n")]),
        TestSuite.from_stdio(
            [("in\n", "EXPECTED-VALUE\n")], checker="def check(stdin, stdout, expected):\n    return stdout == expected"
        ),
    ],
    ids=["assert", "variable", "calls", "checked calls", "linked", "stdio", "checked stdio"],
)
def test_what_was_expected_never_enters_a_process_that_runs_the_program(sandbox: Sandbox, suite: TestSuite) -> None:
    recorder = Recorder(sandbox)
    marker = "THE-POLICY-WAS-HERE"
    program = (
        f"# {marker}\ndef f(x):\n    return 'EXPECTED' + '-VALUE'\nif __name__ == '__main__':\n    print(f(input()))"
    )
    [result] = CodeVerifier(recorder).verify([program], [suite])  # type: ignore[arg-type]
    assert result.verdict is Verdict.CORRECT, result.reason
    holding = [text for text in recorder.programs if marker.encode() in text]
    assert holding
    assert not any(b"EXPECTED-VALUE" in text for text in holding)


def test_identical_programs_run_once(sandbox: Sandbox) -> None:
    recorder = Recorder(sandbox)
    suite = TestSuite.from_asserts("assert f(1) == 2")
    completions = [f"Attempt {n}:\n```python\ndef f(x): return x + 1\n```" for n in range(8)]
    results = CodeVerifier(recorder, limits=Limits(cpu_seconds=1)).verify(completions, [suite] * 8)  # type: ignore[arg-type]
    assert [result.verdict for result in results] == [Verdict.CORRECT] * 8
    assert len(recorder.programs) == 1
