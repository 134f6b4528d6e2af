"""An environment's arguments for TRL, trained for real, and the references that are found out before."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from datasets import Dataset
from toy_trainer import CHAT_TEMPLATE, ToyVerifier, make_config, make_dataset, make_model, make_reward, make_tokenizer
from trl import GRPOTrainer

from assay import Result, Verifier, make
from assay.environments.base import Environment, Task
from assay.environments.define import make_env
from assay.environments.math.arithmetic import TaggedSum
from assay.errors import ColumnError, InputError
from assay.integrations.trl import CurriculumGRPOTrainer, RewardFunction, lint_references, trl_arguments
from assay.verifiers import MathVerifier


class Pairs(Verifier[tuple[int, int]]):
    """Judges against a pair, which no data set column can hold as it is."""

    def _verify_one(self, completion: str, reference: tuple[int, int], **columns: Any) -> Result:
        return Result.correct() if completion == f"{reference[0]},{reference[1]}" else Result.incorrect()


class Paired(Environment):
    name = "test/paired-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 8, "test": 2}

    def __init__(self) -> None:
        self.verifier = Pairs()

    def load(self, split: str) -> Iterator[Task]:
        start = 0 if split == "train" else 100
        for number in range(self.splits[split] or 0):
            yield Task(f"pair {start + number}", (start + number, number), metadata={"kind": "pair"})


class Flawed(Environment):
    """Two of five references are of no use."""

    name = "test/flawed-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 5}

    def __init__(self, *references: str, **metadata: Any) -> None:
        self.verifier = ToyVerifier()
        self.references = references or ("easy", "broken", "mid", "broken", "hard")
        self.metadata = metadata

    def load(self, split: str) -> Iterator[Task]:
        for number, reference in enumerate(self.references):
            yield Task(f"{reference} {number}:", reference, metadata=self.metadata)


def train(folder: Path, arguments: dict[str, Any], **options: Any) -> GRPOTrainer:
    tokenizer = make_tokenizer()
    trainer = GRPOTrainer(
        make_model(tokenizer), args=make_config(folder, **options), processing_class=tokenizer, **arguments
    )
    trainer.train()
    return trainer


def test_the_arithmetic_environment_trains_two_real_steps(tmp_path: Path) -> None:
    trainer = train(tmp_path, make("math/arithmetic-v1").trl("train", limit=64), log_completions=True)
    assert trainer.state.global_step == 2
    steps: list[Any] = [entry for entry in trainer.state.log_history if "rewards/arithmetic/mean" in entry]
    assert len(steps) == 2
    assert {"arithmetic/correct", "arithmetic/dead_groups", "arithmetic/our_errors"} <= set(steps[0])
    assert {"arithmetic/answer", "arithmetic/verdict"} <= set(trainer._logs["extra"])


def test_the_whole_train_split_is_taken_without_a_limit() -> None:
    assert make("math/arithmetic-v1").trl("validation")["train_dataset"].num_rows == 120


def test_the_data_set_has_prompt_answer_id_difficulty_and_metadata() -> None:
    environment = make("math/arithmetic-v1")
    [first, *_] = environment.tasks("test")
    row = environment.trl("test", limit=3)["train_dataset"][0]
    assert row == {
        "prompt": first.prompt,
        "answer": first.reference,
        "task_id": first.id,
        "difficulty": first.difficulty,
        "level": first.metadata["level"],
    }


def test_the_slots_of_an_environment_are_the_same_arguments() -> None:
    environment = Flawed("easy", "mid")
    assert environment.train_dataset["answer"] == ["easy", "mid"]
    [reward] = environment.reward_funcs
    assert reward.__name__ == "flawed"
    assert environment.environment_factory is None


def test_references_that_no_column_holds_are_found_by_task_id_also_in_another_process() -> None:
    arguments = Paired().trl("train")
    assert "answer" not in arguments["train_dataset"].column_names
    [reward] = arguments["reward_funcs"]
    ids = arguments["train_dataset"]["task_id"][:2]
    for copy in (reward, pickle.loads(pickle.dumps(reward))):
        assert copy(completions=["0,0", "9,9"], task_id=ids) == [1.0, 0.0]
    assert reward(completions=["0,0"], task_id=["unknown"]) == [None]
    [everywhere] = Paired().reward_funcs
    assert everywhere(completions=["100,0"], task_id=[Paired().tasks("test")[0].id]) == [1.0]


def test_such_an_environment_trains(tmp_path: Path) -> None:
    entry: Any = train(tmp_path, Paired().trl("train"), max_steps=1).state.log_history[0]
    assert entry["paired/our_errors"] == 0.0


def test_every_call_makes_a_fresh_list_since_trl_changes_the_one_it_is_given() -> None:
    environment = Flawed("easy")
    assert environment.trl("train")["reward_funcs"] is not environment.trl("train")["reward_funcs"]


def test_options_reach_the_reward() -> None:
    [reward] = Flawed("easy").trl("train", name="mine", weight=0.5)["reward_funcs"]
    assert (reward.__name__, reward.weight) == ("mine", 0.5)


@pytest.mark.parametrize(
    ("option", "meant"),
    [("limt", "limit"), ("spilt", "split"), ("wieght", "weight"), ("processing_clas", "processing_class")],
)
def test_a_misspelt_option_is_named_with_the_one_that_was_meant(option: str, meant: str) -> None:
    with pytest.raises(
        InputError, match=rf"trl\(\) of test/flawed-v1 has no option '{option}'; did you mean '{meant}'"
    ):
        Flawed("easy").trl("train", **{option: 1})


@pytest.mark.parametrize("trainer_class", [GRPOTrainer, CurriculumGRPOTrainer])
def test_a_trainer_that_was_given_a_bare_verifier_says_how_to_wrap_it(tmp_path: Path, trainer_class: Any) -> None:
    tokenizer = make_tokenizer()
    with pytest.raises(InputError, match=r"ToyVerifier is a verifier, not a reward function; .*RewardFunction"):
        trainer_class(
            make_model(tokenizer),
            args=make_config(tmp_path),
            processing_class=tokenizer,
            train_dataset=make_dataset(),
            reward_funcs=ToyVerifier(),
        ).train()


def test_a_template_that_prefills_think_is_made_good() -> None:
    template = CHAT_TEMPLATE.replace("'<|assistant|>' }}{%- endif", "'<|assistant|><think>' }}{%- endif")
    arguments = make("math/arithmetic-v1").trl("test", processing_class=make_tokenizer(chat_template=template))
    [reward] = arguments["reward_funcs"]
    assert reward(completions=["3</think><answer>3</answer>"], answer=["3"]) == [1.0]


def test_bad_references_are_listed_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "assay.trl"):
        dataset = Flawed().trl("train")["train_dataset"]
    assert dataset["answer"] == ["easy", "mid", "hard"]
    assert caplog.messages == [
        "2 of 5 tasks of test/flawed-v1 have references that cannot be judged against, left out: row 2 'broken': this "
        "reference is broken; row 4 'broken': this reference is broken"
    ]


def test_bad_references_can_be_kept_or_refused(caplog: pytest.LogCaptureFixture) -> None:
    assert Flawed().trl("train", bad_references="keep")["train_dataset"].num_rows == 5
    assert "kept: row 2 'broken'" in caplog.text
    with pytest.raises(
        InputError, match=r"2 of 5 tasks of test/flawed-v1 have references that cannot be judged .*row 4"
    ):
        Flawed().trl("train", bad_references="raise")


def test_nothing_but_bad_references_is_refused_and_the_list_is_short() -> None:
    with pytest.raises(InputError, match=r"12 of 12 tasks .*row 10 'broken': this reference is broken; and 2 more"):
        Flawed(*["broken"] * 12).trl("train")


def test_an_unknown_policy_for_bad_references_is_refused() -> None:
    with pytest.raises(InputError, match=r"bad_references is 'ignore'; expected 'drop', 'keep' or 'raise'"):
        Flawed().trl("train", bad_references="ignore")


@pytest.mark.parametrize("name", ["answer", "task_id", "completions", "environments"])
def test_metadata_with_the_name_of_another_column_is_refused(name: str) -> None:
    with pytest.raises(ColumnError, match=rf"test/flawed-v1 has metadata called '{name}', which is a column already"):
        Flawed("easy", **{name: 1}).trl("train")


def test_the_lint_judges_references_against_themselves_where_bare_answers_can_be() -> None:
    dataset = Dataset.from_dict({"prompt": ["a", "b", "c"], "answer": ["4", "four", "1/2"]})
    assert lint_references(dataset, RewardFunction(MathVerifier(), name="math")) == []
    bad = lint_references(dataset, RewardFunction(TaggedSum(), name="sum"))
    assert [(entry.row, entry.reference) for entry in bad] == [(1, "four"), (2, "1/2")]
    assert bad[0].reason == "the reference 'four' is not a whole number"


def test_the_lint_finds_references_that_nothing_but_their_own_text_is_judged_against() -> None:
    dataset = Dataset.from_dict({"prompt": ["a", "b", "c"], "answer": ["4", "x = =", "no real roots"]})
    [bad] = lint_references(dataset, RewardFunction(MathVerifier(), name="math"))
    assert (bad.row, bad.reference) == (1, "x = =")
    assert bad.reason.startswith("the reference x = = cannot be read")


def mixed(*answers: Any, verifier: Any = None, **options: Any) -> Environment:
    rows = [{"question": f"q{n}", "answer": answer} for n, answer in enumerate(answers)]
    return make_env(rows, "{question}", verifier=verifier or MathVerifier(), name="mine/q-v1", **options)


@pytest.mark.parametrize("others", [(7,), (True,), ([1, 2],), (float("nan"),), (None,), (7, None, "", [1], 0.5)])
def test_a_broken_reference_is_found_among_others_of_any_type(
    others: tuple[Any, ...], caplog: pytest.LogCaptureFixture
) -> None:
    good = [answer for answer in ("4", *others) if type(answer) in (str, int, float) and answer == answer and answer]
    made = mixed("4", "x = =", *others)
    arguments = made.trl("train")
    assert len(arguments["train_dataset"]) == len(good)
    assert "row 2 " in caplog.text
    assert "the reference x = = cannot be read" in caplog.text
    with pytest.raises(InputError, match=r"of mine/q-v1 have references that cannot be judged against: row 2 "):
        made.trl("train", bad_references="raise")


def test_a_verifier_that_raises_is_blamed_and_not_the_references(caplog: pytest.LogCaptureFixture) -> None:
    def fails_below_two(completion: str, reference: str) -> bool:
        if int(reference) < 2:
            raise KeyError("boom")
        return True

    assert len(mixed("0", "1", "2", "3", verifier=fails_below_two).trl("train")["train_dataset"]) == 2
    assert caplog.messages == [
        "2 of 4 tasks of mine/q-v1 cannot be judged: the verifier fails_below_two failed, left out: row 1 '0': "
        "fails_below_two failed: KeyError: 'boom'; row 2 '1': fails_below_two failed: KeyError: 'boom'"
    ]
    with pytest.raises(InputError, match=r"2 of 2 tasks of mine/q-v1 cannot be judged: the verifier fails_below_two f"):
        mixed("0", "1", verifier=fails_below_two).trl("train")
    with pytest.raises(InputError, match=r"2 of 2 .* failed on 1 of them, and the other references cannot be judged"):
        mixed("0", None, verifier=fails_below_two).trl("train")


def test_a_window_without_a_profile_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"window is \(0.4, 0.41\), and there is no profile whose pass rates it could c"
    ):
        mixed("4").trl("train", window=(0.4, 0.41))


def test_the_lint_looks_at_the_rows_of_its_task_alone() -> None:
    dataset = Dataset.from_dict(
        {"prompt": ["a"] * 3, "answer": ["easy", "broken", "broken"], "task": ["toy", "toy", "x"]}
    )
    assert [bad.row for bad in lint_references(dataset, make_reward(task_column="task"))] == [1]


def test_the_lint_checks_the_columns_first_and_has_nothing_to_say_without_references() -> None:
    with pytest.raises(ColumnError, match=r"reward 'toy' reads 'gold', which the data set lacks"):
        lint_references(make_dataset(3), make_reward(reference="gold"))
    assert lint_references(make_dataset(3), RewardFunction(ToyVerifier(), None, "toy")) == []


def test_two_rewards_of_one_name_are_refused_in_the_first_step(tmp_path: Path) -> None:
    arguments = {"train_dataset": make_dataset(), "reward_funcs": [make_reward(), make_reward(weight=0.0)]}
    with pytest.raises(InputError, match=r"2 reward functions of this trainer are called 'toy'; TRL would merge their"):
        train(tmp_path, arguments)


def test_rewards_of_several_kinds_train_together_and_a_mixture_is_routed(tmp_path: Path) -> None:
    rewards = [make_reward(task_column="answer", tasks=("easy", "mid")), make_reward(name="rest", weight=0.0)]
    trainer = train(tmp_path, {"train_dataset": make_dataset(), "reward_funcs": rewards}, log_completions=True)
    entry: Any = trainer.state.log_history[0]
    assert entry["rewards/rest/mean"] == 0.0
    assert entry["rest/correct"] <= entry["toy/correct"]


def test_a_judge_that_fails_for_every_row_does_not_end_training(tmp_path: Path) -> None:
    dataset = make_dataset(16, kinds=["broken"])
    trainer = train(tmp_path, {"train_dataset": dataset, "reward_funcs": [make_reward()]}, max_steps=1)
    assert trainer.state.global_step == 1
    entry: Any = trainer.state.log_history[0]
    assert entry["toy/our_errors"] == 1.0


class Hostile(Verifier[str]):
    """A judge that hangs, dies or floods, as its name says."""

    def __init__(self, how: str) -> None:
        self.how = how

    def verify(self, completions: Any, references: Any, **columns: Any) -> list[Result]:
        if self.how == "hangs":
            time.sleep(60)
        if self.how == "dies":
            raise MemoryError("no memory left")
        return [Result.incorrect(answer="9" * 1_000_000, reason="no" * 1_000_000)] * len(completions)


@pytest.mark.parametrize("how", ["hangs", "dies", "floods"])
def test_training_survives_a_judge_that_misbehaves(tmp_path: Path, how: str) -> None:
    reward = RewardFunction(Hostile(how), name="hostile", deadline_seconds=0.2)
    arguments = {"train_dataset": make_dataset(), "reward_funcs": [make_reward(), reward]}
    trainer = train(tmp_path, arguments, log_completions=True)
    assert trainer.state.global_step == 2
    entry: Any = trainer.state.log_history[0]
    assert entry["hostile/our_errors"] == float(how != "floods")
    tables: Any = trainer._logs["extra"]
    assert max(len(cell) for cell in tables["hostile/reason"]) <= 500


def test_the_splits_of_an_environment_are_checked() -> None:
    with pytest.raises(InputError, match=r"test/flawed-v1 has no split 'dev'; it has train"):
        trl_arguments(Flawed(), "dev")
