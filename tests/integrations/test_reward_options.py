"""What ``RewardFunction`` refuses before training, by what message, and what of it travels to other processes."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import pytest
from reward_doubles import Echo, call

from assay import Result, Verifier
from assay.errors import ColumnError, InputError
from assay.integrations.trl import AsyncRewardFunction, CurriculumConfig, Monitor, RewardFunction
from assay.integrations.trl.shapers import CosineLengthReward
from assay.verifiers import MathVerifier


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


def test_the_references_of_a_data_set_are_checked_before_training(caplog: pytest.LogCaptureFixture) -> None:
    from datasets import Dataset

    reward = RewardFunction(MathVerifier(), reference="solution", name="math")
    dataset = Dataset.from_dict({"prompt": ["a", "b", "c", "d"], "solution": ["4", "x =", None, "1/2"]})
    bad = reward.check(dataset)
    assert [(entry.row, entry.reference, entry.failed) for entry in bad] == [(1, "x =", False), (2, None, False)]
    assert bad[1].reason == "column 'solution' is None"
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(
        "reward 'math' cannot judge 2 of 4 rows, which get no reward: row 2 'x =': the reference x = cannot be read"
    )
    assert caplog.messages[0].endswith("; row 3 'None': column 'solution' is None")
    rows = {entry.row for entry in bad}
    left = dataset.select([row for row in range(len(dataset)) if row not in rows])
    assert reward.check(left) == []
    assert RewardFunction(MathVerifier(), None, "math").check(dataset) == []
    assert reward.check(dataset.to_iterable_dataset()) == []  # and what is streamed is judged as it comes


def test_the_class_of_a_verifier_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(
        InputError, match=r"is <class '.*MathVerifier'>; expected a Verifier, an object of the class: M"
    ):
        RewardFunction(MathVerifier)  # type: ignore[arg-type]


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
    class Local(Verifier[str]):
        def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
            return Result.correct(answer=completion)

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
    assert (asyncio.run(result) if kind is AsyncRewardFunction else result) == [0.5]


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
