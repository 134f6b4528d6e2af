"""Whose fault it is when tests or a checker meet an undefined name, a missing module or text that is not Python."""

from __future__ import annotations

import pytest

from assay import Verdict
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.code.plan import LinkedPlan
from assay.verifiers.code.planning import plan_of

LOOP = "    n = 3\n    while n:\n        n -= 1\n"  # nothing that is converted


def check(body: str) -> TestSuite:
    suite = TestSuite.from_code(f"import ast\ndef check(candidate):\n{LOOP}{body}", entry_point="f")
    assert isinstance(plan_of(suite), LinkedPlan)
    return suite


@pytest.mark.parametrize(
    ("body", "right", "wrong"),
    [
        ("    try:\n        r = candidate(5)\n    except ValueError:\n        pass\n    assert r == 25\n",
         "def f(x): return x * x", "def f(x): raise ValueError"),
        ("    for last in candidate(5): pass\n    assert last == 5\n", "def f(x): return range(1, 6)",
         "def f(x): return []"),
        ("    assert ast.literal_eval(candidate(5)) == [5]\n", "def f(x): return '[5]'", "def f(x): return '(('"),
        ("    assert eval(candidate(5)) == [5]\n", "def f(x): return '[5]'", "def f(x): return 'foo'"),
        ("    exec(candidate(5))\n    assert n == 0\n", "def f(x): return 'pass'", "def f(x): return 'import nowhere'"),
        ("    assert candidate(5) == 25, f'got {found}'\n", "def f(x): return 25", "def f(x): return 0"),
        ("    assert candidate(5) == 25 or unknown\n", "def f(x): return 25", "def f(x): return 0"),
        ("    if candidate(5) != 25:\n        fail()\n", "def f(x): return 25", "def f(x): return 0"),
        ("    if candidate(5) != 25:\n        import nowhere\n    assert n == 0\n", "def f(x): return 25",
         "def f(x): return 0"),
        ("    if candidate(5) == 25:\n        return\n    fail()\n", "def f(x): return 25", "def f(x): return 0"),
        ("    assert candidate(int(c) for c in candidate('5')) == 5\n",
         "def f(x): return x if type(x) is str else sum(x)", "def f(x): return 'x'"),
        ("    assert candidate(candidate(5)) == 25 and [unknown for _ in candidate(0)] == []\n",
         "def f(x): return 25 if x else []", "def f(x): return 25 if x else [1]"),
    ],
)  # fmt: skip
def test_what_an_answer_brings_about_in_sound_tests_is_the_programs_failure(body: str, right: str, wrong: str) -> None:
    suite = check(body)
    with CodeVerifier() as verifier:
        results = verifier.verify([right, wrong], [suite] * 2)
    assert [(result.verdict, result.score) for result in results] == [
        (Verdict.CORRECT, 1.0),
        (Verdict.INCORRECT, 0.0),
    ], results


@pytest.mark.parametrize(
    "body",
    [
        "    assert unknown(candidate(5)) == 25\n",
        "    assert candidate(5) == 25\n    assert candidate(6) == unknown\n",
        "    assert candidate(5) == 25\n    import nowhere\n",
        "    import nowhere\n    assert candidate(5) == 25\n",
        "    for x in [5, 6]:\n        assert candidate(x) == x * unknown\n",
        "    with open('/dev/null') as f:\n        assert candidate(5) == unknown\n",
        "    def inner(x):\n        return candidate(x) == unknown\n    assert inner(5)\n",
        "    exec('(' * 3)\n    assert candidate(5) == 25\n",
        "    assert candidate(object()) == 25\n",
    ],
)
def test_tests_that_fail_whatever_the_program_answers_are_a_bad_reference(verifier: CodeVerifier, body: str) -> None:
    [result] = verifier.verify(["def f(x): return x * x"], [check(body)])
    assert (result.verdict, result.score) == (Verdict.BAD_REFERENCE, None), result.reason


@pytest.mark.parametrize(
    ("checker", "printed"),
    [
        ("return abs(eval(stdout, {'__builtins__': {}}) - 24) < 1e-6", ("4*6", "foo", "((")),
        ("for line in stdout.split():\n        n = int(line)\n    return n == 24", ("24", "5", "")),
        ("if stdout.strip() == '24':\n        return True\n    return undefined", ("24", "5", "")),
        ("return stdout.strip() == '24' or undefined", ("24", "5", "")),
    ],
)
def test_what_an_output_brings_about_in_a_sound_checker_is_the_programs_failure(
    verifier: CodeVerifier, checker: str, printed: tuple[str, ...]
) -> None:
    suite = TestSuite.from_stdio([("4", "")], checker=f"def check(stdin, stdout, expected):\n    {checker}\n")
    results = verifier.verify([f"print({text!r})" for text in printed], [suite] * 3)
    assert [(result.verdict, result.score) for result in results] == [
        (Verdict.CORRECT, 1.0),
        (Verdict.INCORRECT, 0.0),
        (Verdict.INCORRECT, 0.0),
    ], results


@pytest.mark.parametrize("line", ["return undefined == int(stdout)", "import nowhere", "x = int(stdout); y = z"])
def test_a_checker_that_fails_on_every_output_is_a_bad_reference(verifier: CodeVerifier, line: str) -> None:
    suite = TestSuite.from_calls(
        "f", [((2,), {}, None)], checker=f"def check(arguments, keywords, stdout, expected):\n    {line}\n"
    )
    [result] = verifier.verify(["def f(x): return 4"], [suite])
    assert (result.verdict, result.score) == (Verdict.BAD_REFERENCE, None), result.reason
    assert "the checker failed: " in result.reason
