"""What a program returns cannot make the comparison outside take for ever, and numbers are what they say."""

from __future__ import annotations

from collections import deque

import pytest

from assay.verifiers.code.compare import OUTPUT_COMPARISONS
from assay.verifiers.code.extract import extract
from assay.verifiers.code.frame import Frame
from assay.verifiers.code.guards import TooMuch
from assay.verifiers.code.suite import TestSuite


def test_a_check_ends_by_its_time_even_where_its_steps_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.verifiers.code.frame.MOST_NANOSECONDS", 0)
    frame = Frame(lambda index: None)
    with pytest.raises(TooMuch, match="takes too long"):
        deque(map(frame.spend, [1] * 64), maxlen=0)


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("9007199254740993", "9007199254740992.0", False),
        ("3", "3.0", True),
        ("3.0", "3", True),
        ("1" + "0" * 400, "1e999", False),
        ("0.5", "0.50", True),
    ],
)
def test_whole_numbers_are_compared_as_integers_however_they_are_written(expected: str, found: str, same: bool) -> None:
    assert OUTPUT_COMPARISONS["numbers"](expected, found) is same


def test_sample_output_is_no_program_and_an_indented_fence_is_out_dented() -> None:
    suite = TestSuite.from_stdio([("3\n", "9\n")])
    text = "```python\nprint(9)\n```\nIt prints\n```\n9\n```\n"
    found = extract(text, suite)
    assert found is not None
    assert found.program == "print(9)\n"
    found = extract("1. Code:\n   ```python\n   if True:\n       print(9)\n   ```\n", suite)
    assert found is not None
    assert found.program == "if True:\n    print(9)\n"
