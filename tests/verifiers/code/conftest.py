"""One sandbox for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.sandbox import Limits, Sandbox, open_sandbox
from assay.verifiers import CodeVerifier, TestSuite

SQUARE_ASSERTS = "assert solve(2) == 4\nassert solve(3) == 9\nassert solve(4) == 16"
SQUARE_CODE = """
import random
def check(candidate):
    numbers = [2, 3, 4]
    random.shuffle(numbers)
    for number in numbers:
        assert candidate(number) == number ** 2
"""
SQUARE_UNITTEST = """
import unittest
class Squares(unittest.TestCase):
    def test_two(self): self.assertEqual(solve(2), 4)
    def test_three(self): self.assertEqual(solve(3), 9)
    def test_four(self): self.assertEqual(solve(4), 16)
"""


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def verifier(sandbox: Sandbox) -> CodeVerifier:
    return CodeVerifier(sandbox, limits=Limits(cpu_seconds=1.0, wall_seconds=6.0))


@pytest.fixture(scope="session")
def square_suites() -> dict[str, TestSuite]:
    """One task, tested in every way that judges functions: it is to return the square of a number."""
    return {
        "asserts": TestSuite.from_asserts(SQUARE_ASSERTS, entry_point="solve"),
        "calls": TestSuite.from_calls("solve", [((2,), {}, 4), ((3,), {}, 9), ((4,), {}, 16)]),
        "linked": TestSuite.from_code(SQUARE_CODE, entry_point="solve"),
        "unittest": TestSuite.from_code(SQUARE_UNITTEST, entry_point="solve"),
    }
