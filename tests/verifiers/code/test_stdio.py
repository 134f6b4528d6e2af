"""Whole programs: inputs, outputs, special checkers, other languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import Verdict
from assay.sandbox import Limits, Sandbox
from assay.verifiers import CodeVerifier, TestSuite


def test_every_honest_program_is_right(shared: Path, sandbox: Sandbox) -> None:
    files = sorted((shared / "cases" / "sandbox" / "honest").glob("*.py"))
    assert len(files) >= 15
    suites = [
        TestSuite.from_stdio([(file.with_suffix(".in").read_bytes().decode(), file.with_suffix(".out").read_text())])
        for file in files
    ]
    limits = Limits(cpu_seconds=5.0, wall_seconds=20.0, memory_bytes=1 << 30)
    results = CodeVerifier(sandbox, limits=limits).verify([file.read_text() for file in files], suites)
    failed = {file.stem: result.reason for file, result in zip(files, results, strict=True) if not result.is_correct}
    assert failed == {}


@pytest.mark.parametrize(
    "program",
    [
        "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])",
        "import os\nos.write(1, os.read(0, 1 << 20)[::-1])",
        "import sys\nprint(sys.stdin.read()[::-1], end='')\nsys.exit()",
        "print(input()[::-1].join(['\\n', '']), end='  \\r\\n\\n')",
        "import sys\nfor line in sys.stdin: print('\\n' + line.strip()[::-1])",
        "print()\nprint(open(0).read().strip()[::-1])\nraise SystemExit(0)",
    ],
)
def test_every_honest_way_to_read_and_write_passes(sandbox: Sandbox, program: str) -> None:
    suite = TestSuite.from_stdio([("abc\n", "\ncba")])
    [result] = CodeVerifier(sandbox).verify([program], [suite])
    assert result.verdict is Verdict.CORRECT, result.reason


def test_large_outputs_are_compared_whole(sandbox: Sandbox) -> None:
    expected = "\n".join(map(str, range(400_000)))
    suite = TestSuite.from_stdio([("", expected)])
    right, wrong = CodeVerifier(sandbox).verify(
        ["for n in range(400000): print(n)", "for n in range(400000): print(n if n < 399999 else 0)"], [suite] * 2
    )
    assert (right.verdict, wrong.verdict) == (Verdict.CORRECT, Verdict.INCORRECT)


@pytest.mark.parametrize(
    ("program", "failure"),
    [
        ("print(4); exit(1)", "runtime_error"),
        ("print(4)\nimport os; os.kill(os.getpid(), 11)", "runtime_error"),
        ("print(4)\nraise ValueError", "runtime_error"),
        ("print(4\n", "syntax_error"),
        ("  print(4)", "syntax_error"),
        ("print(5)", "wrong_answer"),
        ("", None),
    ],
)
def test_a_right_output_of_a_failed_program_does_not_count(sandbox: Sandbox, program: str, failure: str | None) -> None:
    [result] = CodeVerifier(sandbox).verify([program], [TestSuite.from_stdio([("", "4")])])
    assert result.details.get("failure") == failure
    assert result.verdict is (Verdict.INCORRECT if failure else Verdict.NO_ANSWER)


CHECKER = """
def check(stdin, stdout, expected):
    numbers = [int(word) for word in stdout.split()]
    return sum(numbers) == int(stdin) and len(numbers) == int(expected)
"""


@pytest.mark.parametrize(
    ("program", "verdict", "text"),
    [
        ("n = int(input())\nprint(1, n - 1)", Verdict.CORRECT, "passed all 2 tests"),
        ("n = int(input())\nprint(n - 2, 2)", Verdict.CORRECT, "passed all 2 tests"),
        ("print(1, 1)", Verdict.INCORRECT, "the checker refused it"),
        ("print('many')", Verdict.INCORRECT, "the checker raised ValueError"),
        ("print(True)", Verdict.INCORRECT, "the checker raised ValueError"),
        ("while True: pass", Verdict.LIMIT_EXCEEDED, "time limit"),
    ],
)
def test_a_special_checker_decides(sandbox: Sandbox, program: str, verdict: Verdict, text: str) -> None:
    suite = TestSuite.from_stdio([("10", "2"), ("7", "2")], checker=CHECKER)
    [result] = CodeVerifier(sandbox, limits=Limits(cpu_seconds=1.0)).verify([program], [suite])
    assert result.verdict is verdict
    assert text in result.reason


def test_a_checker_of_results_decides(sandbox: Sandbox) -> None:
    head = "def check(arguments, keywords, result, expected):\n"
    checker = f"{head}    return arguments[0] % result == 0 and result != expected"
    suite = TestSuite.from_calls("divisor", [((15,), {}, 1), ((9,), {}, 1)], checker=checker)
    results = CodeVerifier(sandbox).verify(
        [
            "def divisor(n): return 3",
            "def divisor(n): return 5",
            "def divisor(n): return 1 / 0",
            "def divisor(n): return 'x'",
        ],
        [suite] * 4,
    )
    assert [result.verdict for result in results] == [
        Verdict.CORRECT,
        Verdict.PARTIAL,
        Verdict.INCORRECT,
        Verdict.INCORRECT,
    ]
    assert results[2].details["failure"] == "runtime_error"


@pytest.mark.parametrize(
    ("checker", "reason"),
    [
        ("def check(stdin, stdout, expected): return undefined", "the checker failed: NameError"),
        ("import no_such_module\ndef check(stdin, stdout, expected): return True", "the checker cannot be used"),
    ],
)
def test_a_broken_checker_is_ours_and_never_scored(sandbox: Sandbox, checker: str, reason: str) -> None:
    [result] = CodeVerifier(sandbox).verify(["print(1)"], [TestSuite.from_stdio([("", "1")], checker=checker)])
    assert result.verdict is Verdict.BAD_REFERENCE
    assert reason in result.reason


def test_programs_in_c_are_judged_where_a_compiler_is_found(sandbox: Sandbox) -> None:
    suite = TestSuite.from_stdio([("3", "9"), ("4", "16")])
    right = '```c\n#include <stdio.h>\nint main() { int n; scanf("%d", &n); printf("%d\\n", n * n); }\n```'
    broken = "```c\nint main( {\n```"
    results = CodeVerifier(sandbox, language="c").verify([right, broken, "```python\nprint(9)\n```"], [suite] * 3)
    if results[0].verdict is Verdict.ERROR:
        pytest.skip(results[0].reason)
    assert [result.verdict for result in results] == [Verdict.CORRECT, Verdict.INCORRECT, Verdict.NO_ANSWER]
    assert results[1].details["failure"] == "syntax_error"
