"""Partial credit of tag grammars: each rule by itself."""

from __future__ import annotations

import pytest

from assay.verifiers import TagFormat


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("<think>a</think><answer>b</answer>", set()),
        ("", {"all_there", "each_once", "in_order", "nothing_outside"}),
        ("<think>a</think>", {"all_there", "each_once", "in_order", "nothing_outside"}),
        ("<think>a</think><answer>b", {"all_there", "each_once", "nothing_outside"}),
        ("<answer>b</answer><think>a</think>", {"in_order"}),
        ("<think>a</think><answer>b</answer><answer>c</answer>", {"each_once"}),
        ("<think>a</think> so <answer>b</answer>", {"nothing_outside"}),
        ("<think>a<answer>b</answer></think>", {"nothing_outside"}),
        ("Hi <think><think>a</think></think><answer>b</answer>", {"each_once", "nothing_outside"}),
    ],
)
def test_each_rule_is_scored_by_itself(text: str, broken: set[str]) -> None:
    [result] = TagFormat().verify([text], [None])
    assert set(result.parts) == {"all_there", "each_once", "in_order", "nothing_outside"}
    assert {rule for rule, score in result.parts.items() if score == 0.0} == broken
    assert result.is_correct is not bool(broken)
