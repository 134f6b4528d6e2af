"""What a ``RewardFunction`` tells TRL's logs: shares of verdicts and groups, and columns of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from reward_doubles import Echo, Logs, call
from toy_trainer import ToyVerifier, make_config, make_dataset, make_model, make_tokenizer

from assay import Result
from assay.integrations.trl import CurriculumConfig, CurriculumGRPOTrainer, RewardFunction
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
    latency = logs.values.pop("e/seconds_p50") + logs.values.pop("e/seconds_p95")
    assert len(latency) == 2
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


def test_calls_of_different_sizes_weigh_as_much_as_what_they_judged() -> None:
    """As when a step draws a few groups again: 16 completions, then 4, 4 and 8."""
    logs = Logs()
    reward = RewardFunction(Echo(), name="e")
    calls = [["4"] + ["5"] * 15, ["4"] * 4, ["5"] * 4, ["4"] * 4 + [""] * 4]
    for completions in calls:
        keys = [str(row // 4) for row in range(len(completions))]
        call(reward, completions, answer=["4"] * len(completions), task_id=keys, **logs.hooks())
    assert logs.metrics["e/correct"] == pytest.approx(9 / 32)
    assert logs.metrics["e/no_answer"] == pytest.approx(4 / 32)
    assert logs.metrics["e/all_pass"] == pytest.approx(2 / 8)
    assert logs.metrics["e/all_fail"] == pytest.approx(5 / 8)
    assert logs.metrics["e/dead_groups"] == pytest.approx(7 / 8)


class Counting(RewardFunction):
    """Keeps of each call the step, how many completions it judged, and how many were correct."""

    judged: ClassVar[list[tuple[int, int, int]]] = []

    def rewards(self, results: Sequence[Result | None], given: dict[str, Any]) -> list[float | None]:
        correct = sum(result is not None and bool(result.is_correct) for result in results)
        self.judged.append((given["trainer_state"].global_step, len(results), correct))
        return super().rewards(results, given)


@pytest.mark.parametrize("mode", ["resample", "mask", "off"])
def test_a_log_entry_of_several_steps_is_the_share_of_all_that_was_judged_in_them(tmp_path: Path, mode: Any) -> None:
    tokenizer = make_tokenizer()
    Counting.judged.clear()
    trainer = CurriculumGRPOTrainer(
        make_model(tokenizer),
        args=make_config(tmp_path, max_steps=4, logging_steps=2),
        processing_class=tokenizer,
        train_dataset=make_dataset(),
        reward_funcs=[Counting(ToyVerifier(), name="toy")],
        curriculum=CurriculumConfig(mode=mode, max_rounds=3),
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "toy/correct" in entry]
    assert [entry["step"] for entry in logged] == [2, 4]
    for entry in logged:
        calls = [call[1:] for call in Counting.judged if entry["step"] - 2 <= call[0] < entry["step"]]
        judged, correct = (sum(numbers) for numbers in zip(*calls, strict=True))
        assert entry["toy/correct"] == pytest.approx(correct / judged, abs=1e-6)
    by_step = Counter[int]()
    for step, size, _ in Counting.judged:
        by_step[step] += size
    assert (by_step[0] != by_step[1] or by_step[2] != by_step[3]) is (mode == "resample")


def test_correctness_in_metrics_is_the_verdicts_not_the_shaped_score() -> None:
    logs = Logs()
    shaped = Weighted({"math": (MathVerifier(), 0.9), "form": (TagFormat("answer"), 0.1)})
    rewards = call(
        RewardFunction(shaped, name="s"), ["<answer>5</answer>", "\\boxed{4}"], answer=["4", "4"], **logs.hooks()
    )
    assert rewards == pytest.approx([0.1, 0.9])
    assert logs.metrics["s/correct"] == 0.5
