"""Tasks, environments and their table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from assay import Result, Verifier, make, register
from assay.environments.base import Environment, Task
from assay.environments.hashing import hashed_fraction, hashed_integer, item_random
from assay.environments.registry import newest
from assay.errors import DuplicateName, InputError, RegistryError, UnknownName


class Same(Verifier[str]):
    def _verify_one(self, completion: str, reference: str, **columns: object) -> Result:
        return Result.correct(answer=completion) if completion == reference else Result.incorrect()


class Counting(Environment):
    name = "test/counting-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"few": 3, "none": 0, "all": None}
    endless = frozenset({"all"})
    source = "generated"

    def __init__(self) -> None:
        self.verifier = Same()

    def load(self, split: str) -> Iterator[Task]:
        size = self.splits[split]
        for number in itertools.count() if size is None else range(size):
            yield Task(f"after {number}?", str(number + 1))


def test_equal_tasks_have_equal_ids_and_others_do_not() -> None:
    assert Task("a", "b").id == Task("a", "b", difficulty=2.0).id == Task("a", "b").id
    assert Task("a", "b").id != Task("a", "c").id
    assert len(Task("a", "b").id) == 16


def test_a_limit_takes_the_first_tasks() -> None:
    assert [task.reference for task in Counting().tasks("few", limit=2)] == ["1", "2"]
    assert len(Counting().tasks("all", limit=5)) == 5
    assert Counting().tasks("few", limit=0) == []


def test_an_endless_split_asks_for_a_limit() -> None:
    with pytest.raises(InputError, match=r"split 'all' of test/counting-v1 is endless; say how many tasks with limit="):
        Counting().tasks("all")


def test_an_empty_split_is_refused() -> None:
    with pytest.raises(InputError, match=r"split 'none' of test/counting-v1 is empty; its source is generated"):
        Counting().tasks("none")


def test_completions_are_judged_against_their_tasks() -> None:
    environment = Counting()
    results = environment.verify(["1", "x"], environment.tasks("few", limit=2))
    assert [result.score for result in results] == [1.0, 0.0]


def test_a_registered_class_is_made_by_its_name_with_and_without_version() -> None:
    register(Counting)
    assert isinstance(make("test/counting-v1"), Counting)
    assert newest("test/counting") == "test/counting-v1"
    assert isinstance(make("test/counting"), Counting)


def test_the_name_of_another_class_is_refused() -> None:
    register(Counting)

    class Other(Counting):
        pass

    with pytest.raises(DuplicateName, match=r"environment 'test/counting-v1' is already registered"):
        register(Other)


@pytest.mark.parametrize("bad", ["counting", "test/counting", "test/counting-v0", "Test/Counting-v1", ""])
def test_a_name_without_namespace_and_version_is_refused(bad: str) -> None:
    with pytest.raises(RegistryError, match=r"Odd\.name is .*; expected 'namespace/name-vN', like 'math/sums-v1'"):
        register(type("Odd", (Counting,), {"name": bad}))


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"no environment is called 'math/gsm8-v1'; did you mean 'math/gsm8k-v1'"):
        make("math/gsm8-v1")


def test_a_file_of_ones_own_is_an_environment(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from assay.environments.base import Environment, Task\n"
        "from assay.verifiers import MathVerifier\n"
        "class Mine(Environment):\n"
        "    name = 'my/sums-v1'\n"
        "    splits = {'train': 1}\n"
        "    verifier = MathVerifier()\n"
        "    def load(self, split):\n"
        "        yield Task('1+1?', '2')\n"
    )
    environment = make(f"{file}:Mine")
    assert environment.tasks("train")[0].reference == "2"
    assert environment.verify(["\\boxed{2}"], environment.tasks("train"))[0].is_correct


def test_hashes_keep_keys_apart_and_stay_the_same() -> None:
    keys: list[tuple[str | int, ...]] = [("a", 1), ("a", "1"), ("a", 1, 0), ("a1",), ("b", 1)]
    assert len({hashed_integer(*key) for key in keys}) == len(keys)
    assert hashed_integer("a", 1) >> 240 == 14621
    fractions = [hashed_fraction("x", index) for index in range(2000)]
    assert all(0.0 <= fraction < 1.0 for fraction in fractions)
    assert sum(fractions) / len(fractions) == pytest.approx(0.5, abs=0.02)


def test_neighbouring_seeds_and_indices_share_no_stream() -> None:
    streams = {
        item_random("e-v1", split, seed, index).random() for split in "ab" for seed in range(20) for index in range(20)
    }
    assert len(streams) == 800
