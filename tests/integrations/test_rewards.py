"""``RewardFunction`` called the way TRL calls it: its contract, its logs and every message."""

from __future__ import annotations

import asyncio
import logging
import pickle
import threading
import time
from collections import defaultdict
from typing import Any

import pytest

from assay import Result, Verifier
from assay.errors import ColumnError, InputError, VerifierFailed
from assay.integrations.trl import AsyncRewardFunction, CurriculumConfig, Monitor, RewardFunction, ready
from assay.integrations.trl.shapers import CosineLengthReward
from assay.verifiers import MathVerifier, TagFormat, Weighted


class Echo(Verifier[str]):
    """The completion says what happens; at the top level, so that it can be pickled."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        if completion == "raise":
            raise RuntimeError("out of order")
        if completion == "limit":
            return Result.limit_exceeded("too long")
        if completion == "half":
            return Result.partial(0.5, answer=completion)
        if completion == "":
            return Result.no_answer("it is empty")
        if reference == "bad":
            return Result.bad_reference("it is bad")
        return Result.correct(answer=completion) if completion == reference else Result.incorrect(answer=completion)


class Rude(Verifier[str]):
    """Breaks the contract of ``verify`` itself, as a verifier of a user's own may."""

    def __init__(self, how: str) -> None:
        self.how = how

    def verify(self, completions: Any, references: Any, **columns: Any) -> list[Result]:
        if self.how == "raise":
            raise RuntimeError("no service today")
        if self.how == "short":
            return [Result.correct()]
        time.sleep(30)
        return []


class Logs:
    """TRL's two hooks, kept."""

    def __init__(self) -> None:
        self.extra: dict[str, list[Any]] = defaultdict(list)
        self.metrics: dict[str, float] = {}

    def hooks(self) -> dict[str, Any]:
        return {
            "log_extra": lambda name, values: self.extra[name].extend(values),
            "log_metric": self.metrics.__setitem__,
        }


def call(reward: RewardFunction, completions: list[Any], **columns: Any) -> list[float | None]:
    """As GRPOTrainer does: all by keyword, with arguments nobody asked for."""
    extra = {"prompts": ["q"] * len(completions), "completion_ids": [[1]] * len(completions), "trainer_state": object()}
    return reward(completions=completions, **{**extra, **columns})


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


def test_a_missing_column_is_named_with_those_there_are() -> None:
    reward = RewardFunction(Echo(), reference="gold", name="echo", columns=("unit",))
    with pytest.raises(
        ColumnError,
        match=r"reward 'echo' reads 'gold', 'unit', which the data set lacks; its columns are 'answer', 'level'",
    ):
        call(reward, ["4"], answer=["4"], level=[1])


def test_the_columns_of_a_data_set_are_checked_before_training() -> None:
    from datasets import Dataset

    reward = RewardFunction(Echo(), reference="gold", name="echo")
    reward.check(Dataset.from_dict({"prompt": ["q"], "gold": ["4"]}))
    with pytest.raises(
        ColumnError, match=r"reward 'echo' reads 'gold', which the data set lacks; its columns are 'prompt'"
    ):
        reward.check(Dataset.from_dict({"prompt": ["q"]}))
    with pytest.raises(ColumnError, match=r"the data set has a column 'completions', a name TRL keeps for itself"):
        reward.check(Dataset.from_dict({"prompt": ["q"], "gold": ["4"], "completions": ["x"]}))


def test_a_streamed_data_set_that_does_not_know_its_columns_is_left_to_the_first_step() -> None:
    from datasets import IterableDataset

    RewardFunction(Echo(), reference="gold").check(IterableDataset.from_generator(lambda: iter([{"prompt": "q"}])))


@pytest.mark.parametrize(
    "options", [{"reference": "completions"}, {"columns": ("trainer_state",)}, {"task_column": "prompt"}]
)
def test_a_reserved_column_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(
        ColumnError, match=r"reward 'echo' cannot read a column called '\w+': TRL keeps that name for itself; rename"
    ):
        RewardFunction(Echo(), **{"name": "echo", **options})


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(
        ColumnError, match=r"column 'answer' has 1 values for 2 completions of reward 'echo'; expected one for each"
    ):
        call(RewardFunction(Echo(), name="echo"), ["4", "5"], answer=["4"])


def test_a_verifier_that_cannot_be_pickled_is_named_when_it_has_to_travel() -> None:
    class Local(Echo):
        lock = None

    reward = RewardFunction(Local(), name="local")
    assert call(reward, ["4"], answer=["4"]) == [1.0]
    with pytest.raises(
        InputError,
        match=r"reward 'local' cannot be sent to another process: its verifier Local cannot be pickled .*top level",
    ):
        pickle.dumps(reward)


@pytest.mark.parametrize("kind", [RewardFunction, AsyncRewardFunction])
def test_a_reward_travels_with_its_name(kind: type[RewardFunction]) -> None:
    copy = pickle.loads(pickle.dumps(kind(Echo(), name="mine", weight=0.5)))
    assert copy.__name__ == "mine"
    result = call(copy, ["4"], answer=["4"])
    assert (asyncio.run(result) if kind is AsyncRewardFunction else result) == [0.5]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": float("nan")}, r"the weight of reward 'Echo' is nan; expected a finite number"),
        ({"on_failure": "zero"}, r"on_failure of reward 'Echo' is 'zero'; expected 'none' or 'raise'"),
        ({"deadline_seconds": 0}, r"deadline_seconds of reward 'Echo' is 0; expected more than 0"),
        ({"name": "advantage"}, r"a reward cannot be called 'advantage': TRL's table of completions has the columns"),
        ({"name": ""}, r"a reward cannot be called ''"),
    ],
)
def test_a_bad_argument_says_what_was_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RewardFunction(Echo(), **options)


@pytest.mark.parametrize(
    ("kind", "given", "options", "message"),
    [
        (
            RewardFunction,
            [Echo()],
            {"refrence": "a"},
            "RewardFunction has no option 'refrence'; did you mean 'reference'",
        ),
        (AsyncRewardFunction, [Echo()], {"wieght": 1}, "RewardFunction has no option 'wieght'; did you mean 'weight'"),
        (
            RewardFunction,
            [Echo()],
            {"xyz": 1},
            "RewardFunction has no option 'xyz'; known: verifier, reference, name, ",
        ),
        (RewardFunction, [], {"name": "a"}, "missing a required argument: 'verifier'; it takes verifier, reference"),
        (
            RewardFunction,
            [Echo(), "a", "b", ()],
            {},
            "RewardFunction: too many positional arguments; it takes verifier",
        ),
        (CosineLengthReward, [Echo()], {"longest": 4, "deadline": 1}, "did you mean 'deadline_seconds'"),
        (
            CurriculumConfig,
            [],
            {"max_round": 2},
            "CurriculumConfig has no option 'max_round'; did you mean 'max_rounds'",
        ),
        (CurriculumConfig, [], {"ordr": "stock"}, "CurriculumConfig has no option 'ordr'; did you mean 'order'"),
        (CurriculumConfig, ["resample"], {}, "CurriculumConfig: too many positional arguments; it takes order, "),
        (Monitor, [], {"strickt": "a"}, "Monitor has no option 'strickt'; did you mean 'strict'"),
    ],
)
def test_an_option_that_there_is_not_is_named_with_the_nearest(
    kind: Any, given: list[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        kind(*given, **options)


def test_a_bare_verifier_says_that_it_wants_to_be_wrapped() -> None:
    with pytest.raises(
        InputError, match=r"Echo is a verifier, not a reward function; .*\[RewardFunction\(Echo\(...\), "
    ):
        Echo()(prompts=["a"], completions=["b"], completion_ids=[[1]])


def test_something_that_is_no_verifier_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"the first argument of RewardFunction is <built-in function len>; expected a Verifier"
    ):
        RewardFunction(len)  # type: ignore[arg-type]


def test_a_mixture_is_routed_by_its_task_column() -> None:
    reward = RewardFunction(Echo(), name="echo", task_column="task")
    logs = Logs()
    rewards = call(reward, ["4", "4", "raise"], answer=["4", None, None], task=["echo", "code", "code"], **logs.hooks())
    assert rewards == [1.0, None, None]
    assert logs.extra["echo/verdict"] == ["correct", "", ""]
    assert logs.metrics["echo/correct"] == 1.0
    both = RewardFunction(Echo(), name="echo", task_column="task", tasks=("sums", "echo"))
    assert call(both, ["4", "4"], answer=["4", "5"], task=["sums", "echo"]) == [1.0, 0.0]


def test_a_batch_without_a_row_of_its_task_logs_no_metric() -> None:
    logs = Logs()
    reward = RewardFunction(Echo(), name="echo", task_column="task")
    assert call(reward, ["4"], answer=["4"], task=["code"], **logs.hooks()) == [None]
    assert logs.metrics == {}
    assert logs.extra["echo/answer"] == [""]


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


def test_groups_come_from_equal_prompts_where_there_is_no_id_column() -> None:
    logs = Logs()
    RewardFunction(Echo(), name="e")(
        completions=["4", "5", "4", "4"], prompts=["p", "p", "q", "q"], answer=["4"] * 4, **logs.hooks()
    )
    assert logs.metrics["e/dead_groups"] == 0.5


def test_correctness_in_metrics_is_the_verdicts_not_the_shaped_score() -> None:
    logs = Logs()
    shaped = Weighted({"math": (MathVerifier(), 0.9), "form": (TagFormat("answer"), 0.1)})
    rewards = call(
        RewardFunction(shaped, name="s"), ["<answer>5</answer>", "\\boxed{4}"], answer=["4", "4"], **logs.hooks()
    )
    assert rewards == pytest.approx([0.1, 0.9])
    assert logs.metrics["s/correct"] == 0.5


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


class Slow(Echo):
    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        time.sleep(0.1)
        return super()._verify_one(completion, reference, **columns)


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
