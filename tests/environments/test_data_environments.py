"""The built-in data sets, from the handed files and from rows of the hub's form; and rows that are broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.answers import last_boxed, marked_answer
from assay.environments.contamination import contamination
from assay.environments.datasets import DataFile
from assay.environments.format.ifeval import IFBench, IFEval
from assay.environments.math.aime import AIME24, AIME25
from assay.environments.math.math500 import Math, Math500
from assay.environments.math.svamp import SVAMP
from assay.environments.qa.mmlu_stem import SUBJECTS, MMLUStem
from assay.environments.registry import ENVIRONMENTS
from assay.environments.rows import RowEnvironment
from assay.errors import AssayError, ColumnError, DataUnavailable, InputError


def write(folder: Path, name: str, *rows: dict[str, Any]) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("name", "split", "size"),
    [
        ("math/math500", "test", 500),
        ("math/svamp", "test", 1000),
        ("qa/mmlu-stem", "test", 3018),
        ("format/ifeval", "test", 540),
        ("format/ifbench", "test", 300),
    ],
)
def test_a_data_set_loads_whole_from_the_data_folder(
    shared: Path, monkeypatch: pytest.MonkeyPatch, name: str, split: str, size: int
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(shared / "data"))
    environment = make(name)
    tasks = environment.tasks(split)
    assert len(tasks) == size
    assert Path(environment.origins[split]).is_file()
    assert all(isinstance(task.reference, str) and task.reference for task in tasks)


def test_mathematics_of_the_files_passes_with_its_own_answers(shared: Path) -> None:
    for environment in (Math500(shared / "data/math500"), SVAMP(shared / "data/svamp")):
        tasks = environment.tasks("test")
        results = environment.verify([f"\\boxed{{{task.reference}}}" for task in tasks], tasks)
        assert {result.verdict for result in results} == {Verdict.CORRECT}


def test_the_test_set_of_math500_is_not_in_gsm8k(shared: Path) -> None:
    train = make("math/gsm8k", path=shared / "data/gsm8k").tasks("train")
    assert not contamination(train, Math500(shared / "data/math500").tasks("test"), words=8).matches


def test_a_question_with_options_is_judged_by_letter_and_by_the_options_text(shared: Path) -> None:
    environment = MMLUStem(shared / "data/mmlu_stem")
    [task] = environment.tasks("test", limit=1)
    assert task.reference == "C"
    assert "\n\nA) maintain the population at a point" in task.prompt[0]["content"]  # type: ignore[index]
    texts = ["\\boxed{C}", f"<answer>{task.metadata['options'][2]}</answer>", "\\boxed{A}", "\\boxed{A, C}"]
    assert [result.is_correct for result in environment.verify(texts, [task] * 4)] == [True, True, False, False]
    assert {task.metadata["subject"] for task in environment.tasks("test")} == SUBJECTS


def test_rows_of_the_hubs_form_leave_other_subjects_out(tmp_path: Path) -> None:
    row = {"question": "?", "choices": list("wxyz"), "answer": 3}
    path = write(tmp_path, "test.jsonl", {**row, "subject": "astronomy"}, {**row, "subject": "philosophy"})
    [task] = MMLUStem(path).tasks("test")
    assert (task.reference, task.metadata["subject"]) == ("D", "astronomy")


def test_instructions_are_judged_one_by_one(shared: Path) -> None:
    environment = IFEval(shared / "data/ifeval")
    task = environment.tasks("test", limit=2)[1]
    assert task.metadata["instructions"] == ["punctuation:no_comma"]
    assert [r.is_correct for r in environment.verify(["No comma here", "Well, no"], [task, task])] == [True, False]
    [strange] = IFBench(shared / "data/ifbench").tasks("test", limit=1)
    assert "null" not in strange.reference


def test_math_takes_the_last_box_of_a_solution_and_its_level(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "train.jsonl",
        {
            "problem": "?",
            "solution": "so \\boxed{1}, no, $\\boxed{\\frac{1}{2}}$.",
            "level": "Level 5",
            "type": "Algebra",
        },
        {"problem": "!", "solution": "it is \\boxed 2", "level": "Level ?", "type": "Algebra"},
    )
    first, second = Math(path).tasks("train")
    assert (first.reference, first.difficulty, first.metadata) == ("\\frac{1}{2}", 5.0, {"subject": "Algebra"})
    assert (second.reference, second.difficulty) == ("2", None)


@pytest.mark.parametrize(("environment", "answer"), [(AIME24, "033"), (AIME25, "33"), (AIME24, 33)])
def test_the_answer_of_an_aime_problem_is_a_number_without_leading_zeros(
    tmp_path: Path, environment: type[AIME24], answer: object
) -> None:
    [task] = environment(write(tmp_path, "test.jsonl", {"problem": "?", "answer": answer})).tasks("test")
    assert task.reference == "33"


@pytest.mark.parametrize(
    ("environment", "row", "error", "message"),
    [
        (
            AIME24,
            {"problem": "?", "answer": "1000"},
            InputError,
            "row 1: the answer is '1000'; expected a whole number f",
        ),
        (Math, {"problem": "?", "solution": "none"}, InputError, "row 1: the solution has no \\boxed{} with an answer"),
        (Math500, {"problem": "?"}, ColumnError, "row 1 lacks answer; it has problem"),
        (
            SVAMP,
            {"Body": 5, "Question": "?", "Answer": 1},
            InputError,
            "row 1 has a value that cannot be used: Attribut",
        ),
        (
            SVAMP,
            {"Body": "a", "Question": "?", "Answer": "b"},
            InputError,
            "row 1 has a value that cannot be used: Value",
        ),
        (
            MMLUStem,
            {"question": "?", "choices": ["a"], "answer": 7, "type": "astronomy"},
            InputError,
            "row 1: it has 1 options and the answer 7; expected 4, and 0 to 3",
        ),
        (
            IFEval,
            {"prompt": "?", "instruction_id_list": 3, "kwargs": []},
            InputError,
            "row 1 has a value that cannot be us",
        ),
    ],
)
def test_a_broken_row_is_named_with_what_is_wrong(
    tmp_path: Path, environment: type[RowEnvironment], row: dict[str, Any], error: type[AssayError], message: str
) -> None:
    made = environment(write(tmp_path, "rows.jsonl", row))
    with pytest.raises(error) as caught:
        made.tasks(next(iter(made.splits)))
    assert "rows.jsonl, " in str(caught.value)
    assert message in str(caught.value)


def test_an_empty_file_is_an_empty_split(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="split 'test' of math/math500-v1 is empty; its source is .*test"):
        Math500(write(tmp_path, "test.jsonl")).tasks("test")


def from_rows() -> list[str]:
    """Built-in environments whose tasks are rows of files."""
    own = [name for name in ENVIRONMENTS if name.startswith(("code/", "format/", "logic/", "math/", "qa/"))]
    return [
        name for name in own if isinstance(kind := ENVIRONMENTS.get(name), type) and issubclass(kind, RowEnvironment)
    ]


@pytest.mark.parametrize("name", from_rows())
def test_without_data_an_environment_names_the_file_and_the_variable(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And each built-in that reads the hub is pinned to a commit."""
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    environment = make(name)
    assert isinstance(environment, RowEnvironment)
    for data in environment.files.values():
        assert isinstance(data, DataFile)
        assert not data.hub or (data.revision is not None and len(data.revision) == 40)
    split, data = next(iter(environment.files.items()))
    with pytest.raises(DataUnavailable) as caught:
        environment.tasks(split, limit=1)
    assert f"Put it at {data.name} in a folder and set ASSAY_DATA to that folder, or give path=" in str(caught.value)


def test_a_task_is_made_only_when_it_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "test.jsonl", {"problem": "1", "answer": "1"}, {"problem": "broken"})
    assert len(Math500(path).tasks("test", limit=1)) == 1
    assert [task.reference for task in Math500(path).view("test").take(1)] == ["1"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<answer> 1 </answer>", "1"),
        ("<answer>1</answer> or <answer>2</answer>", "2"),
        ("\\boxed{1} then <answer>2</answer>", "2"),
        ("<answer>1</answer> then \\boxed{\\frac{2}{3}}", "\\frac{2}{3}"),
        ("<answer><answer>3</answer>", "3"),
        ("\\boxed{1", None),
        ("<answer>1", None),
        ("1", None),
        ("<answer>" * 3000, None),
    ],
)
def test_the_last_marked_answer_counts(text: str, answer: str | None) -> None:
    assert marked_answer(text) == answer


def test_boxes_in_solutions_are_read_with_and_without_braces() -> None:
    assert last_boxed("\\boxed{1}") == "1"
    assert last_boxed("\\boxed 7.") == "7"
    assert last_boxed("\\boxed{1} \\boxed{2") is None
    assert last_boxed("none") is None
