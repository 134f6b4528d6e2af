"""Lazy views of splits, flawed rows, and splits that share tasks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest

from assay.environments.base import Environment, Task
from assay.environments.contamination import contamination
from assay.environments.duplicates import Flaw, flawed_rows
from assay.errors import InputError
from assay.verifiers import MathVerifier

LONG = "A farmer has {} hens and each of them lays {} eggs a day which he sells at the market for two coins apiece"


class Counted(Environment):
    """Counts how many tasks were made."""

    name = "test/counted-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"few": 10, "all": None}
    endless = frozenset({"all"})

    def __init__(self) -> None:
        self.verifier = MathVerifier()
        self.made = 0

    def load(self, split: str) -> Iterator[Task]:
        for number in itertools.count() if split == "all" else range(10):
            self.made += 1
            yield Task(f"{number}?", str(number))


def numbers(view: object) -> list[int]:
    return [int(task.reference) for task in view]  # type: ignore[attr-defined]


def test_a_view_reads_only_what_is_asked_for() -> None:
    environment = Counted()
    view = environment.view("all").filter(lambda task: int(task.reference) % 2 == 0).skip(1).take(3)
    assert environment.made == 0
    assert numbers(view) == [2, 4, 6]
    assert environment.made == 7
    assert numbers(view) == [2, 4, 6]  # and can be read again


def test_take_and_skip_count_like_itertools() -> None:
    view = Counted().view("few")
    assert numbers(view.take(3)) == [0, 1, 2]
    assert numbers(view.skip(8)) == [8, 9]
    assert numbers(view.take(0)) == []
    assert numbers(view.take(99)) == list(range(10))


def test_a_shuffle_is_an_order_of_the_same_tasks_fixed_by_its_seed() -> None:
    view = Counted().view("few")
    first, again, other = (numbers(view.shuffle(seed)) for seed in (0, 0, 1))
    assert first == again != other
    assert sorted(first) == sorted(other) == list(range(10))
    assert first != list(range(10))
    assert numbers(view.shuffle(0).take(3)) == first[:3]


def test_a_tasks_rank_in_a_shuffle_does_not_depend_on_the_others() -> None:
    view = Counted().view("few")
    odd = [number for number in numbers(view.shuffle(5)) if number % 2]
    assert numbers(view.filter(lambda task: int(task.reference) % 2 == 1).shuffle(5)) == odd


def test_an_endless_view_is_shuffled_through_a_window() -> None:
    environment = Counted()
    shuffled = numbers(environment.view("all").shuffle(3, buffer=50).take(200))
    assert len(set(shuffled)) == 200
    assert shuffled != sorted(shuffled)
    assert all(number - place <= 50 for place, number in enumerate(shuffled))
    assert sorted(numbers(environment.view("few").shuffle(3, buffer=4))) == list(range(10))


def test_views_refuse_what_cannot_be_done() -> None:
    view = Counted().view("all")
    with pytest.raises(
        InputError, match=r"test/counted-v1/all is endless: shuffle it through a window, as in shuffle\("
    ):
        view.shuffle(0)
    with pytest.raises(InputError, match="buffer is 0; expected a whole number of at least 1"):
        view.shuffle(0, buffer=0)
    with pytest.raises(InputError, match="count is -1; expected 0 or more"):
        view.take(-1)
    with pytest.raises(InputError, match="test/counted-v1 has no split 'dev'; it has few, all"):
        Counted().view("dev")
    assert len(numbers(view.take(5).shuffle(0))) == 5  # a part of an endless view ends


def test_empty_repeated_and_contradicting_rows_are_found() -> None:
    tasks = [
        Task("1+1?", "2"),
        Task([{"role": "user", "content": "1 + 1?"}], "2"),
        Task("1+1?", "3"),
        Task("", "2"),
        Task("2+2?", ""),
        Task("2-2?", 0),
    ]
    found = [(flaw.row, flaw.flaw, flaw.first) for flaw in flawed_rows(tasks)]
    assert found == [(1, Flaw.DUPLICATE, 0), (2, Flaw.CONFLICT, 0), (3, Flaw.EMPTY, None), (4, Flaw.EMPTY, None)]
    assert flawed_rows(tasks)[2].reason == "row 4 has an empty prompt"
    assert flawed_rows(tasks)[3].reason == "row 5 has no reference"
    assert [flaw.flaw for flaw in flawed_rows([Task("2+2?", " \n")])] == [Flaw.EMPTY]


def prompts(*texts: str) -> list[Task]:
    return [Task(text, "1") for text in texts]


def test_an_equal_prompt_is_found_whatever_its_case_and_spaces() -> None:
    found = contamination(prompts("What is 1+1?", "What is 1-1?"), prompts("what is  1 + 1", "What is 1*1?"))
    assert [match[:2] for match in found.matches] == [(0, 0)]
    assert found.exact == 1
    assert str(found).startswith("1 of 2 tasks found among 2 of the first split: 1 word for word, 0 by at least 50%")


def test_a_prompt_that_shares_most_of_its_words_is_found() -> None:
    train = prompts("something else entirely", LONG.format(16, 3) + ". How much does he earn every day?")
    changed = LONG.format(16, 3) + ", as his neighbour does. What is his income?"
    other = LONG.replace("farmer", "baker").replace("hens", "loaves").replace("lays", "makes").replace("coins", "euros")
    found = contamination(train, prompts(changed, other.format(16, 3)), words=8)
    assert [(match.train, match.test, match.exact) for match in found.matches] == [(1, 0, False)]
    assert 0.5 < found.matches[0].overlap < 1


def test_the_form_that_all_prompts_share_counts_for_nothing() -> None:
    form = "Think step by step for as long as you need and put the final answer into a box please. {}"
    train = prompts(*(form.format(f"apples {number}") for number in range(20)))
    test = prompts(*(form.format(f"pears {number}") for number in range(20)))
    assert not contamination(train, test, words=8).matches


def test_what_is_found_can_be_refused() -> None:
    clean = contamination(prompts("a", "b"), prompts("c"))
    clean.refuse()
    with pytest.raises(
        InputError, match=r"1 of 1 task found .* They are row 1 in row 2 of the first \(100%\); leave them out"
    ):
        contamination(prompts("a", "b"), prompts("b")).refuse()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": 0}, "words is 0; expected a whole number of at least 1"),
        ({"threshold": 0.0}, r"threshold is 0.0; expected a share in \(0, 1\]"),
        ({"threshold": 1.5}, r"threshold is 1.5; expected a share in \(0, 1\]"),
    ],
)
def test_options_of_the_contamination_check_are_checked(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        contamination([], [], **options)  # type: ignore[arg-type]
