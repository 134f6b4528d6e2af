"""``RewardFunction`` called the way TRL calls it: its rewards, and what becomes of failures."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Any

import pytest
from reward_doubles import Echo, Logs, Rude, call

from assay import Result, Verifier
from assay.errors import VerifierFailed
from assay.integrations.trl import AsyncRewardFunction, RewardFunction, ready
from assay.verifiers import MathVerifier, TagFormat


def test_right_is_one_wrong_is_zero_and_the_rest_as_its_score_says() -> None:
    reward = RewardFunction(Echo(), name="echo")
    assert call(reward, ["4", "5", "half", "limit", ""], answer=["4"] * 5) == [1.0, 0.0, 0.5, 0.0, 0.0]


def test_chat_completions_are_judged_by_their_last_assistant_message() -> None:
    turns = [
        {"role": "assistant", "content": ""},
        {"role": "tool", "content": "4"},
        {"role": "assistant", "content": "4"},
    ]
    assert call(RewardFunction(Echo()), [turns], answer=["4"]) == [1.0]


def test_a_prefilled_think_tag_counts_for_the_form() -> None:
    completion = "2+2</think><answer>4</answer>"
    form = RewardFunction(TagFormat(), None, "form")
    prefilled = RewardFunction(TagFormat(), None, "form", prefill="<think>")
    assert form(completions=[completion], prompts=["Q: <think>"]) == [1.0]
    assert form(completions=[completion], prompts=["Q:"]) == [0.0]
    assert prefilled(completions=[completion], prompts=["Q:"]) == [1.0]


def test_a_failure_of_the_judge_is_none_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "assay.trl"):
        rewards = call(RewardFunction(Echo(), name="echo"), ["raise", "4", "5"], answer=["4", "4", "bad"])
    assert rewards == [None, 1.0, None]
    assert caplog.messages == [
        "reward 'echo' could not judge 2 of 3 completions; the first: Echo failed: RuntimeError: out of order"
    ]


def test_a_failure_of_the_judge_raises_where_that_was_asked_for() -> None:
    reward = RewardFunction(Echo(), name="echo", on_failure="raise")
    assert call(reward, ["4"], answer=["4"]) == [1.0]
    with pytest.raises(VerifierFailed, match=r"reward 'echo' could not judge 1 of 2 completions; the first: it is bad"):
        call(reward, ["4", "5"], answer=["4", "bad"])


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("raise", "Rude raised RuntimeError: no service today"),
        ("short", "Rude returned 1 results for 2 completions"),
        ("hang", "Rude passed its deadline: no result within 0.05 seconds"),
    ],
)
def test_a_verifier_that_breaks_its_own_contract_costs_the_batch_not_the_run(
    how: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    logs = Logs()
    reward = RewardFunction(Rude(how), name="rude", deadline_seconds=0.05)
    assert call(reward, ["a", "b"], answer=["a", "b"], **logs.hooks()) == [None, None]
    assert logs.extra["rude/reason"] == [reason, reason]
    assert logs.metrics["rude/our_errors"] == 1.0
    assert reason in caplog.text


def test_a_mixture_is_routed_by_its_task_column() -> None:
    reward = RewardFunction(Echo(), name="echo", task_column="task")
    logs = Logs()
    rewards = call(reward, ["4", "4", "raise"], answer=["4", None, None], task=["echo", "code", "code"], **logs.hooks())
    assert rewards == [1.0, None, None]
    assert logs.extra["echo/verdict"] == ["correct", "", ""]
    assert logs.metrics["echo/correct"] == 1.0
    both = RewardFunction(Echo(), name="echo", task_column="task", tasks=("sums", "echo"))
    assert call(both, ["4", "4"], answer=["4", "5"], task=["sums", "echo"]) == [1.0, 0.0]


def test_a_reference_that_is_missing_or_cannot_be_read_has_no_reward() -> None:
    logs = Logs()
    reward = RewardFunction(Echo(), name="echo", decode=lambda text: text if text is None else str(int(text)))
    assert call(reward, ["4", "4", "4"], answer=["04", "x", None], **logs.hooks()) == [1.0, None, None]
    assert logs.extra["echo/reason"][1].startswith("ValueError while reading the reference: invalid literal")
    assert logs.extra["echo/reason"][2] == "column 'answer' is None"


def test_weight_scales_and_zero_only_logs() -> None:
    logs = Logs()
    assert call(RewardFunction(Echo(), weight=2.0), ["4", "half"], answer=["4", "4"]) == [2.0, 1.0]
    watched = RewardFunction(Echo(), name="watched", weight=0.0)
    assert call(watched, ["4", "raise"], answer=["4", "4"], **logs.hooks()) == [0.0, None]
    assert logs.metrics["watched/correct"] == 1.0


def test_groups_come_from_equal_prompts_where_there_is_no_id_column() -> None:
    logs = Logs()
    RewardFunction(Echo(), name="e")(
        completions=["4", "5", "4", "4"], prompts=["p", "p", "q", "q"], answer=["4"] * 4, **logs.hooks()
    )
    assert logs.metrics["e/dead_groups"] == 0.5


def test_it_needs_neither_prompts_nor_hooks_nor_state() -> None:
    assert RewardFunction(Echo())(completions=["4"], answer=["4"]) == [1.0]


def test_further_columns_reach_the_verifier_by_name() -> None:
    assert call(RewardFunction(Units(), columns=("unit",)), ["4 m"], answer=["4"], unit=["m"]) == [1.0]


class Units(Verifier[str]):
    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        return Result.correct() if completion == f"{reference} {columns['unit']}" else Result.incorrect()


def test_the_async_form_leaves_the_event_loop_free() -> None:
    async def both() -> tuple[list[float | None], bool]:
        ticked = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, ticked.set)
        slow = AsyncRewardFunction(Slow(), name="slow")
        rewards = await slow(completions=["4"], answer=["4"])
        return rewards, ticked.is_set()

    assert asyncio.run(both()) == ([1.0], True)


class Slow(Verifier[str]):
    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        time.sleep(0.1)
        return Result.correct(answer=completion)


def test_it_works_from_many_threads_at_once() -> None:
    reward = RewardFunction(MathVerifier(), name="math")
    found: list[list[float | None]] = []
    threads = [
        threading.Thread(target=lambda: found.append(call(reward, ["\\boxed{4}", "5"], answer=["4", "4"])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[1.0, 0.0]] * 8


def test_the_ready_made_ones_are_there_by_their_dotted_paths() -> None:
    assert ready.answer_math(completions=["\\boxed{4}"], answer=["4"]) == [1.0]
    assert ready.solution_math(completions=["\\boxed{4}"], solution=["4"]) == [1.0]
    assert ready.think_answer_format(completions=["<think>a</think><answer>b</answer>"]) == [1.0]
    assert ready.prefilled_think_answer_format(completions=["a</think><answer>b</answer>"]) == [1.0]
    names = [getattr(ready, name).__name__ for name in vars(ready) if isinstance(getattr(ready, name), RewardFunction)]
    assert all(getattr(ready, name).__name__ == name for name in names)
    assert len(names) == 4
