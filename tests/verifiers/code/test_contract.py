"""The contract of every verifier, kept by this one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from assay import Verdict
from assay.sandbox import Limits
from assay.verifiers import CodeVerifier, TestSuite
from assay.verifiers.conformance import VerifierConformance

ASSERTS = TestSuite.from_asserts("assert f(1) == 2\nassert f(2) == 3", entry_point="f")
CALLS = TestSuite.from_calls("f", [((1,), {}, 2), ((2,), {}, 3)])
STDIO = TestSuite.from_stdio([("1", "2"), ("2", "3")])
CODE = TestSuite.from_code("import random\ndef check(candidate):\n    assert candidate(1) == 2", entry_point="f")


class TestCodeVerifier(VerifierConformance):
    verifier: ClassVar[CodeVerifier] = CodeVerifier(limits=Limits(cpu_seconds=0.5, wall_seconds=20.0))
    examples = [
        ("```python\ndef f(x): return x + 1\n```", ASSERTS, Verdict.CORRECT),
        ("def f(x): return 2", ASSERTS, Verdict.PARTIAL),
        ("def f(x): return '2'", CALLS, Verdict.INCORRECT),
        ("print(int(input()) + 1)", STDIO, Verdict.CORRECT),
        ("print(3)", STDIO, Verdict.PARTIAL),
        ("print('x' * (1 << 23))", STDIO, Verdict.LIMIT_EXCEEDED),
        ("def f(x): return x + 1", CODE, Verdict.CORRECT),
        ("nothing", CODE, Verdict.NO_ANSWER),
        ("def f(x): return x + 1", TestSuite.from_stdio([]), Verdict.BAD_REFERENCE),
    ]

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def close(cls) -> Iterator[None]:
        yield
        cls.verifier.close()
