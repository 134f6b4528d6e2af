"""``env.trl(tasks=...)``: a filtered, shuffled, shortened view of a split is what is trained on."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from assay import Result, Verifier, make
from assay.environments.base import Environment, Task
from assay.errors import InputError


class Pairs(Verifier[tuple[int, int]]):
    def _verify_one(self, completion: str, reference: tuple[int, int], **columns: Any) -> Result:
        return Result.correct() if completion == f"{reference[0]},{reference[1]}" else Result.incorrect()


class Paired(Environment):
    """References that no column of a data set holds; endless, so that nothing can be looked up by reading it all."""

    name = "test/paired-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": None}
    endless = frozenset({"train"})

    def __init__(self) -> None:
        self.verifier = Pairs()

    def load(self, split: str) -> Iterator[Task]:
        number = 0
        while True:
            yield Task(f"pair {number}", (number, number))
            number += 1


def test_a_view_is_trained_on_in_its_order() -> None:
    puzzles = make("math/countdown", levels=[3, 4])
    view = puzzles.view("train").filter(lambda task: task.difficulty == 3).shuffle(1, buffer=50).take(6)
    arguments = puzzles.trl(tasks=view)
    assert arguments["train_dataset"]["task_id"] == [task.id for task in view]
    assert set(arguments["train_dataset"]["difficulty"]) == {3.0}
    assert len(puzzles.trl(tasks=view, limit=2)["train_dataset"]) == 2
    assert len(puzzles.trl(tasks=list(view)[:3])["train_dataset"]) == 3
    [reward] = arguments["reward_funcs"]
    row = arguments["train_dataset"][0]
    [right] = puzzles.reference_completions(next(iter(view)))
    completions = [[{"role": "assistant", "content": text}] for text in (right, "no")]
    assert reward(prompts=[row["prompt"]] * 2, completions=completions, answer=[row["answer"]] * 2) == [1.0, 0.0]


def test_references_that_no_column_holds_go_with_the_view_even_to_another_process() -> None:
    environment = Paired()
    view = environment.view("train").skip(1000).take(3)
    arguments = environment.trl(tasks=view)
    assert "answer" not in arguments["train_dataset"].column_names
    reward = pickle.loads(pickle.dumps(arguments["reward_funcs"][0]))
    ids = arguments["train_dataset"]["task_id"]
    texts = ["1000,1000", "no", "1002,1002"]
    assert reward(prompts=["", "", ""], completions=texts, task_id=list(ids)) == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (lambda env: env.view("train"), r"the view of tasks is endless: end it with \.take\(count\), or give limit="),
        (lambda env: env.view("train").take(0), r"tasks= holds none; expected tasks, as in tasks=env\.view\('train'\)"),
        (lambda env: [("pair 1", (1, 1))], r"tasks= holds \('pair 1', \(1, 1\)\); expected tasks"),
    ],
)
def test_what_is_no_list_of_tasks_is_refused(tasks: Any, message: str) -> None:
    environment = Paired()
    with pytest.raises(InputError, match=message):
        environment.trl(tasks=tasks(environment))
    assert len(environment.trl(tasks=environment.view("train"), limit=2)["train_dataset"]) == 2
