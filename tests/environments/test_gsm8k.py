"""GSM8K from the handed files, and bad rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import Verdict, make
from assay.environments.math.gsm8k import GSM8K
from assay.errors import InputError


@pytest.mark.parametrize("split", ["train", "test"])
def test_both_splits_load_from_the_data_folder(shared: Path, monkeypatch: pytest.MonkeyPatch, split: str) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))
    tasks = make("math/gsm8k").tasks(split)
    assert len(tasks) == len({task.id for task in tasks}) == GSM8K.splits[split]
    assert all(task.reference.lstrip("-").replace(".", "", 1).isdigit() for task in tasks)
    assert "\\boxed{}" in tasks[0].prompt[0]["content"]  # type: ignore[index]


def test_no_question_is_in_both_splits(shared: Path) -> None:
    environment = GSM8K(shared / "data" / "gsm8k")
    train, test = ({task.id for task in environment.tasks(split)} for split in ("train", "test"))
    assert not train & test


def test_the_published_solutions_pass_and_others_do_not(shared: Path) -> None:
    environment = GSM8K(shared / "data" / "gsm8k")
    tasks = environment.tasks("test", limit=200)
    right = environment.verify([f"So it is \\boxed{{{task.reference}}}." for task in tasks], tasks)
    wrong = environment.verify([f"So it is \\boxed{{{task.reference}1}}." for task in tasks], tasks)
    assert {result.verdict for result in right} == {Verdict.CORRECT}
    assert {result.verdict for result in wrong} == {Verdict.INCORRECT}


def test_thousands_are_written_without_commas(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(json.dumps({"question": "?", "answer": "big\n#### 1,234,567"}))
    assert GSM8K(tmp_path).tasks("test")[0].reference == "1234567"


def test_a_row_without_its_final_number_is_named(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(json.dumps({"question": "?", "answer": "it is 5"}))
    with pytest.raises(InputError, match=r"test\.jsonl, row 1: the answer does not end with '#### N': 'it is 5'"):
        GSM8K(tmp_path).tasks("test")


def test_an_unknown_split_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"math/gsm8k-v1 has no split 'dev'; it has train, test"):
        make("math/gsm8k-v1").tasks("dev")
