"""What a ``RewardFunction`` tells TRL's logs: shares of verdicts and groups, and columns of the table."""

from __future__ import annotations

import pytest
from reward_doubles import Echo, Logs, call

from assay.integrations.trl import RewardFunction
from assay.verifiers import MathVerifier, TagFormat, Weighted


def test_a_batch_without_a_row_of_its_task_logs_no_metric() -> None:
    logs = Logs()
    reward = RewardFunction(Echo(), name="echo", task_column="task")
    assert call(reward, ["4"], answer=["4"], task=["code"], **logs.hooks()) == [None]
    assert logs.metrics == {}
    assert logs.extra["echo/answer"] == [""]


def test_the_tables_columns_are_of_full_length_and_say_why() -> None:
    logs = Logs()
    call(RewardFunction(Echo(), name="echo"), ["4", "", "raise", "9" * 999], answer=["4"] * 4, **logs.hooks())
    assert logs.extra["echo/verdict"] == ["correct", "no_answer", "error", "incorrect"]
    assert logs.extra["echo/reference"] == ["4"] * 4
    assert logs.extra["echo/reason"][1:3] == ["it is empty", "Echo failed: RuntimeError: out of order"]
    assert logs.extra["echo/answer"][:3] == ["4", "", ""]
    assert len(logs.extra["echo/answer"][3]) == 500


def test_the_tables_columns_can_be_left_out() -> None:
    logs = Logs()
    call(RewardFunction(Echo(), log_columns=False), ["4"], answer=["4"], **logs.hooks())
    assert logs.extra == {}


def test_metrics_are_shares_of_what_was_judged() -> None:
    logs = Logs()
    completions = ["4", "5", "", "limit", "raise", "4", "4", "4"]
    call(RewardFunction(Echo(), name="e"), completions, answer=["4"] * 8, task_id=list("aaaabbcc"), **logs.hooks())
    latency = {logs.metrics.pop("e/seconds_p50"), logs.metrics.pop("e/seconds_p95")}
    assert all(0.0 <= seconds < 30.0 for seconds in latency)
    assert logs.metrics == pytest.approx(
        {
            "e/our_errors": 1 / 8,
            "e/correct": 4 / 7,
            "e/no_answer": 1 / 7,
            "e/limit_exceeded": 1 / 7,
            "e/length_correct": 1.0,
            "e/length_wrong": 1.0,
            "e/all_pass": 1 / 3,
            "e/all_fail": 0.0,
            "e/dead_groups": 2 / 3,
        }
    )


def test_correctness_in_metrics_is_the_verdicts_not_the_shaped_score() -> None:
    logs = Logs()
    shaped = Weighted({"math": (MathVerifier(), 0.9), "form": (TagFormat("answer"), 0.1)})
    rewards = call(
        RewardFunction(shaped, name="s"), ["<answer>5</answer>", "\\boxed{4}"], answer=["4", "4"], **logs.hooks()
    )
    assert rewards == pytest.approx([0.1, 0.9])
    assert logs.metrics["s/correct"] == 0.5
