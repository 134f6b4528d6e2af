"""Random inputs never raise and are never our failure. `fuzz.py` beside this file judges any number of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from assay.verifiers import MathVerifier, Verdict

_SPEC = importlib.util.spec_from_file_location("fuzz", Path(__file__).with_name("fuzz.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
fuzz = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(fuzz)


def test_random_answers_and_completions_are_judged_without_a_failure_of_ours() -> None:
    verifier = MathVerifier()
    texts = list(fuzz.inputs(8_000, seed=7))
    for judge in (verifier.verify_answers, verifier.verify):
        verdicts = {result.verdict for result in judge(texts, ["7"] * len(texts))}
        assert Verdict.ERROR not in verdicts
        assert Verdict.BAD_REFERENCE not in verdicts


def test_texts_that_invite_a_pattern_to_try_every_split_are_judged_at_once() -> None:
    verifier = MathVerifier()
    texts = [
        "1/2\\text{and}1e9" * 58,
        "1 hour and " * 200,
        "0." + "1" * 1500 + "2...",
        "</answer>" + ("<answer>" + " " * 50) * 2000,
        "answer" + " " * 5000 + "x",
        "\\[ " * 3000,
        "CoCuSnHo" * 14,
        "y= " * 20 + "\\boxed{1}" + " y" * 20 + "\\boxed{2}",
    ]
    for judge in (verifier.verify_answers, verifier.verify):
        assert Verdict.ERROR not in {result.verdict for result in judge(texts, ["7"] * len(texts))}


NESTED = [
    ("(", ")"), ("[", "]"), ("{", "}"), (r"\left(", r"\right)"), (r"\{", r"\}"), ("|", "|"), ("$", "$"), (r"\[", r"\]"),
    (r"\boxed{", "}"), (r"\text{", "}"), (r"\mathbf{", "}"), (r"\frac{", "}{2}"), (r"\sqrt{", "}"), ("^{", "}"),
    (r"\sin(", ")"), (r"\begin{cases}", r"\end{cases}"), (r"\begin{pmatrix}", r"\end{pmatrix}"), ("f(", ")"),
    ("<answer>", "</answer>"), ("<think>", "</think>"), ("```\n", "\n```"), ("**", "**"), ('"', '"'), ("~~", "~~"),
    ('{"answer": ', "}"), ("{'answer': '", "'}"), ('{"answer": [', "]}"), ("<|begin_of_box|>", "<|end_of_box|>"),
    ("The answer is ", ""), ("#### ", ""), ("- ", ""), (r"\pm ", ""), ("not ", ""), ("1/", ""), ("x=", ""),
    ("A or ", ""),
]  # fmt: skip


@pytest.mark.parametrize("depth", [3, 64, 300, 900, 3000])
def test_what_is_nested_deeply_is_judged_and_never_our_failure(depth: int) -> None:
    verifier = MathVerifier()
    texts = [opening * depth + "5" + closing * count for opening, closing in NESTED for count in {0, depth}]
    for judge in (verifier.verify_answers, verifier.verify):
        for reference in ("7", "A", r"5 \text{ cm}"):
            results = judge(texts, [reference] * len(texts))
            assert [text[:40] for text, result in zip(texts, results, strict=True) if result.score is None] == []


def test_random_references_are_read_or_called_bad_and_equal_themselves() -> None:
    verifier = MathVerifier()
    texts = [text for text in fuzz.inputs(2_000, seed=8) if text.strip()]
    assert {result.verdict for result in verifier.verify_answers(["7"] * len(texts), texts)} <= {
        Verdict.CORRECT,
        Verdict.INCORRECT,
        Verdict.BAD_REFERENCE,
    }
    assert {result.score for result in verifier.verify_answers(texts, texts)} == {1.0}
