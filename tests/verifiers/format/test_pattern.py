"""Regular expressions under a limit that stops them."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError
from assay.verifiers.conformance import VerifierConformance
from assay.verifiers.format import PatternFormat


class TestPatternFormatConforms(VerifierConformance):
    verifier = PatternFormat(r"\d+ apples?")
    examples = (
        ("21 apples", None, Verdict.CORRECT),
        ("some apples", None, Verdict.INCORRECT),
        ("abc", "[a-c]+", Verdict.CORRECT),
        ("abc", "[a-c", Verdict.BAD_REFERENCE),
    )


def judge(text: str, pattern: str | None, reference: Any = None, **options: Any) -> Result:
    return PatternFormat(pattern, **options).verify([text], [reference])[0]


def test_where_the_pattern_must_match_can_be_chosen() -> None:
    assert not judge("a 12 b", r"\d+").is_correct
    assert judge("a 12 b", r"\d+", where="search").answer == "12"
    assert judge("12 b", r"\d+", where="start").answer == "12"
    assert not judge("a 12", r"\d+", where="start").is_correct


def test_flags_and_groups() -> None:
    assert judge("A\nB", "a.b", flags=re.DOTALL | re.IGNORECASE).is_correct
    assert judge("x=7", r"x=(?P<value>\d)", answer="value").answer == "7"
    assert judge("x=7", r"x=(\d)", answer=1).answer == "7"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(a+)+b", "a" * 60),
        (r"(a|aa)+$", "a" * 60 + "!"),
        (r"(.*)*x", "y" * 60),
        (r"(?:\w+\s?)*:", "word " * 40),
    ],
)
def test_catastrophic_backtracking_is_stopped_and_the_next_text_is_judged(pattern: str, text: str) -> None:
    verifier = PatternFormat(pattern, where="start", cpu_seconds=0.1)
    results = verifier.verify([text, "x" if "x" in pattern else "aab", text], [None] * 3)
    assert [result.verdict for result in results][::2] == [Verdict.LIMIT_EXCEEDED] * 2
    assert results[0].reason == "matching needs more than 0.1 s of processor time"
    assert results[0].score == 0.0
    assert results[1].verdict in (Verdict.CORRECT, Verdict.INCORRECT)


def test_it_stops_in_a_thread_that_is_not_the_main_one() -> None:
    found: list[Result] = []
    verifier = PatternFormat(r"(a+)+b", cpu_seconds=0.1)
    thread = threading.Thread(target=lambda: found.extend(verifier.verify(["a" * 60], [None])))
    thread.start()
    thread.join()
    assert found[0].verdict is Verdict.LIMIT_EXCEEDED


@pytest.mark.parametrize("reference", [None, 5, "(", "a{99999999999}", "(" * 300])
def test_a_reference_that_is_no_pattern_has_no_score(reference: Any) -> None:
    assert judge("a", None, reference).verdict is Verdict.BAD_REFERENCE


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"pattern": "("}, "cannot be compiled: missing \\)"),
        ({"pattern": "a", "answer": 1}, "has no group 1"),
        ({"pattern": "a", "answer": "x"}, "has no group 'x'"),
        ({"pattern": "a", "where": "end"}, "where is 'end'; expected one of full, search, start"),
        ({"pattern": "a", "cpu_seconds": 0}, "cpu_seconds is 0; expected a positive number"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        PatternFormat(**options)
