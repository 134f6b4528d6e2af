"""HumanEval and MBPP: every canonical solution passes its own verifier, and nothing easier does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import Verdict, make
from assay.environments.code.humaneval import HumanEval
from assay.environments.code.mbpp import MBPP
from assay.environments.datasets import read_file
from assay.errors import InputError


@pytest.fixture(scope="module")
def humaneval(shared: Path) -> Iterator[HumanEval]:
    environment = HumanEval(shared / "data" / "humaneval")
    yield environment
    environment.verifier.close()


@pytest.fixture(scope="module")
def mbpp(shared: Path) -> Iterator[MBPP]:
    environment = MBPP(shared / "data" / "mbpp")
    yield environment
    environment.verifier.close()


def test_every_canonical_solution_of_humaneval_passes(shared: Path, humaneval: HumanEval) -> None:
    rows = list(read_file(shared / "data" / "humaneval" / "HumanEval.jsonl.gz"))
    tasks = humaneval.tasks("test")
    assert len(tasks) == HumanEval.splits["test"] == 164
    continued = humaneval.verify([row["canonical_solution"] for row in rows], tasks)
    assert [row["task_id"] for row, result in zip(rows, continued, strict=True) if not result.is_correct] == []
    whole = [f"```python\n{row['prompt']}{row['canonical_solution']}```" for row in rows]
    assert {result.verdict for result in humaneval.verify(whole, tasks)} == {Verdict.CORRECT}


def test_every_canonical_solution_of_mbpp_passes(shared: Path, mbpp: MBPP) -> None:
    codes = {row["task_id"]: row["code"] for row in read_file(shared / "data" / "mbpp" / "mbpp.jsonl")}
    tasks = [task for split in MBPP.splits for task in mbpp.tasks(split)]
    assert len(tasks) == len({task.id for task in tasks}) == 974
    results = mbpp.verify([codes[task.metadata["source_id"]] for task in tasks], tasks)
    assert [t.metadata["source_id"] for t, result in zip(tasks, results, strict=True) if not result.is_correct] == []


def test_functions_that_do_nothing_pass_no_task(humaneval: HumanEval, mbpp: MBPP) -> None:
    for environment, split in ((humaneval, "test"), (mbpp, "validation")):
        tasks = environment.tasks(split)
        empty = [f"def {task.reference.entry_points[0]}(*a, **k): return None" for task in tasks]
        passed = [
            task.metadata["source_id"]
            for task, r in zip(tasks, environment.verify(empty, tasks), strict=True)
            if r.score
        ]
        assert passed == []


def test_splits_are_the_published_ones(mbpp: MBPP) -> None:
    for split, first, last in (("prompt", 1, 10), ("test", 11, 510), ("validation", 511, 600), ("train", 601, 974)):
        numbers = [task.metadata["source_id"] for task in mbpp.tasks(split)]
        assert (numbers[0], numbers[-1], len(numbers)) == (first, last, MBPP.splits[split])


def test_prompts_say_what_is_asked_and_hide_the_other_tests(humaneval: HumanEval, mbpp: MBPP, shared: Path) -> None:
    message = humaneval.tasks("test", limit=1)[0].prompt[0]
    assert "has_close_elements" in message["content"]  # type: ignore[index]
    bare = HumanEval(shared / "data" / "humaneval", chat=False).tasks("test", limit=1)[0].prompt
    assert isinstance(bare, str)
    assert bare.startswith("from typing import List")
    task = mbpp.tasks("prompt", limit=1)[0]
    shown = task.prompt[0]["content"]  # type: ignore[index]
    assert "min_cost([[1, 2, 3], [4, 8, 2], [1, 5, 3]], 2, 2) == 8" in shown
    assert shown.count("assert") == 1
    assert task.reference.source.count("assert") == 3


def test_a_part_of_the_tests_is_worth_nothing_unless_asked(shared: Path, mbpp: MBPP) -> None:
    task = mbpp.tasks("prompt", limit=1)[0]
    program = ["def min_cost(cost, m, n): return 8"]
    assert mbpp.verify(program, [task])[0].score == 0.0
    partial = MBPP(shared / "data" / "mbpp", partial=True)
    assert partial.verify(program, [task])[0].score == pytest.approx(1 / 3)
    partial.verifier.close()


def test_both_are_found_by_name_and_read_the_data_folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))
    assert len(make("code/humaneval").tasks("test")) == 164
    assert len(make("code/mbpp").tasks("train")) == 374


def test_a_row_with_a_wrong_value_is_named(tmp_path: Path) -> None:
    row = {"task_id": 601, "text": "?", "code": "?", "test_list": [3]}
    (tmp_path / "mbpp.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError, match=r"mbpp\.jsonl, row 1"):
        MBPP(tmp_path).tasks("train")
