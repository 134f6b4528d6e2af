"""Known faults of other people's graders, each found by the audit. A fault that is mended upstream fails here."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import pytest

from assay.verifiers.audit import AuditReport, Case, RewardSubject, audit

# Dependencies of the peers warn while they are imported; that is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

SUMS = [
    Case(f"Compute {a}+{b}.", answer=str(a + b), columns={"solution": str(a + b), "answer": str(a + b)})
    for a, b in ((19, 23), (50, 67))
]
# Deep brackets keep math-verify busy for ten seconds each: shown by hand in docs/guide/audit.md, left out here.
QUICK = ["huge"]


def paid(report: AuditReport, probe: str) -> float:
    return report.probes[probe].mean


def test_trl_accuracy_reward_pays_denied_answers_false_equations_and_per_cents() -> None:
    importlib.import_module("math_verify")
    rewards = importlib.import_module("trl.rewards")
    report = audit(rewards.accuracy_reward, SUMS, skip=QUICK)
    assert report.payable == 2
    assert paid(report, "denied") > 0.0  # \boxed{42 \text{ is wrong}}
    assert paid(report, "false equation") > 0.0  # \boxed{43 = 42}
    assert paid(report, "truncated") > 0.0  # 42% for 42
    assert paid(report, "wrong") == paid(report, "several") == 0.0
    assert paid(report, "unevaluated") > 0.0  # \boxed{19+23} for 42
    assert report.lazy_reward == report.probes["unevaluated"].mean


def test_math_verify_has_the_same_faults_by_itself() -> None:
    peer = importlib.import_module("math_verify")

    def reward(completions: Sequence[str], answer: Sequence[str], **columns: Any) -> list[float]:
        pairs = zip(completions, answer, strict=True)
        return [float(peer.verify(peer.parse(f"${gold}$"), peer.parse(text))) for text, gold in pairs]

    report = audit(RewardSubject(reward, conversational=False), SUMS, skip=QUICK)
    assert report.payable == 2
    assert {"denied", "false equation", "truncated"} <= {name for name in report.probes if paid(report, name) > 0.0}
    assert report.broken(["false_pass>0", "false_pass==0"]) != []


def test_trl_think_format_reward_pays_empty_and_single_tags_and_stray_closing_ones() -> None:
    rewards = importlib.import_module("trl.rewards")
    wrong = ("fine", "<think></think>", "<think>x</think>", "<think>a</think> b </think> c", "<think>hm")
    report = audit(
        rewards.think_format_reward, [Case("Say.", right=("<think>hm</think>\nfine",), wrong=wrong)], form=True
    )
    assert report.payable == 1
    assert {example.completion for example in report.examples if example.fault == "false pass"} == set(wrong[1:4])


def gym(name: str) -> AuditReport:
    library = importlib.import_module("reasoning_gym")
    dataset = library.create_dataset(name, size=3, seed=1)

    def reward(completions: Sequence[str], entry: Sequence[Any], **columns: Any) -> list[float]:
        return [dataset.score_answer(text, row) for text, row in zip(completions, entry, strict=True)]

    rows = [Case(row["question"], right=(str(row["answer"]),), columns={"entry": row}) for row in dataset]
    return audit(RewardSubject(reward, name=name, conversational=False), rows)


def test_reasoning_gym_pays_any_text_for_a_halting_game_of_life() -> None:
    report = gym("game_of_life_halting")
    assert report.false_pass == report.lazy_reward == 1.0
    assert paid(report, "empty") > 0.5


def test_reasoning_gym_raises_on_words_where_it_wants_factors() -> None:
    report = gym("prime_factorization")
    assert report.counts["raised"] > 50
    assert any("ValueError" in example.note for example in report.examples)


def test_reasoning_gym_pays_a_share_for_text_that_holds_the_answer() -> None:
    report = gym("caesar_cipher")
    assert report.payable == 3
    assert 0.0 < paid(report, "all in one") < 1.0
    assert 0.0 < paid(report, "denied") < 1.0
