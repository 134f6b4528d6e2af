"""Environments of one's own: ``make_env``, the decorator, files, and other processes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Result, Verdict
from assay.environments.define import make_env
from assay.environments.functions import FunctionVerifier
from assay.errors import ColumnError, InputError, RegistryError
from assay.verifiers import ChoiceVerifier, MathVerifier, Route, Weighted

ROWS = [
    {"question": "What is 1+1?", "answer": "2", "hard": 1.5, "topic": "sums", "worked": "1+1 is \\boxed{2}"},
    {"question": "What is 2*3?", "answer": "6", "hard": 2.0, "topic": "products", "worked": "it is \\boxed{6}"},
]


def same(completion: str, reference: str) -> bool:
    return completion == reference


def test_a_data_set_with_a_verifier_is_an_environment_in_one_call() -> None:
    environment = make_env(ROWS, "{question} Use \\boxed{}.", verifier=MathVerifier())
    first, second = environment.tasks("train")
    assert first.prompt == [{"role": "user", "content": "What is 1+1? Use \\boxed{}."}]
    assert environment.verify(["\\boxed{2}", "\\boxed{7}"], [first, second])[0].is_correct
    assert environment.name == "local/rows-v1"
    assert environment.splits == {"train": 2}
    assert environment.origins == {"train": "the rows of split 'train'"}


def test_every_argument_of_make_env_arrives_in_the_tasks() -> None:
    environment = make_env(
        {"train": ROWS, "test": ROWS[:1]},
        lambda row: [{"role": "system", "content": "Be brief."}, {"role": "user", "content": row["question"]}],
        verifier=same,
        reference=lambda row: int(row["answer"]),
        name="my/brief-v3",
        metadata=["topic"],
        difficulty="hard",
        completion="worked",
        domain="math",
        licence="CC0",
    )
    first, second = environment.tasks("train")
    assert (second.reference, second.difficulty, second.metadata) == (6, 2.0, {"topic": "products"})
    assert first.prompt[0] == {"role": "system", "content": "Be brief."}
    assert environment.reference_completions(first) == ("1+1 is \\boxed{2}",)
    assert (environment.name, environment.domain, environment.licence) == ("my/brief-v3", "math", "CC0")
    assert environment.splits == {"train": 2, "test": 1}


def write(path: Path) -> None:
    rows = [{"question": row["question"], "answer": row["answer"]} for row in ROWS]
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in rows))
    elif path.suffix == ".csv":
        path.write_text("question,answer\n" + "\n".join(f"{row['question']},{row['answer']}" for row in rows))
    else:
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_file_and_a_folder_of_files_are_data_sets(tmp_path: Path, suffix: str) -> None:
    for split in ("train", "test"):
        write(tmp_path / f"{split}{suffix}")
    one = make_env(tmp_path / f"train{suffix}", "{question}", verifier=same)
    both = make_env(str(tmp_path), "{question}", verifier=same, name="my/both-v1")
    assert one.tasks("train") == both.tasks("train")
    assert [str(task.reference) for task in both.tasks("test")] == ["2", "6"]
    assert list(both.splits) == ["test", "train"]
    assert both.origins["test"] == str((tmp_path / f"test{suffix}").resolve())


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_a_hub_data_set_is_read_whole_or_as_a_stream_with_its_revision_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    made = [
        make_env("owner/name", "{question}", verifier=same, revision="abc123", streaming=streaming)
        for streaming in (False, True)
    ]
    (tmp_path / "owner/name").mkdir(parents=True)  # what `load_dataset` takes from the hub it also takes from a folder
    (tmp_path / "owner/name/train.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS))
    for environment in made:
        assert [task.reference for task in environment.tasks("train")] == ["2", "6"]
        assert environment.origins == {"train": "owner/name@abc123"}


def test_rows_of_the_datasets_package_serve_as_they_are() -> None:
    from datasets import Dataset, DatasetDict

    table = Dataset.from_list(ROWS)
    assert len(make_env(table, "{question}", verifier=same).tasks("train")) == 2
    assert len(make_env(DatasetDict({"dev": table}), "{question}", verifier=same).tasks("dev")) == 2


@pytest.mark.parametrize(
    ("value", "verdict", "score"),
    [
        (True, Verdict.CORRECT, 1.0),
        (False, Verdict.INCORRECT, 0.0),
        (1, Verdict.CORRECT, 1.0),
        (0.25, Verdict.PARTIAL, 0.25),
        (Result.no_answer("none"), Verdict.NO_ANSWER, 0.0),
        (1.5, Verdict.ERROR, None),
        (float("nan"), Verdict.ERROR, None),
        ("yes", Verdict.ERROR, None),
        (None, Verdict.ERROR, None),
        (np.bool_(True), Verdict.CORRECT, 1.0),
        (np.bool_(False), Verdict.INCORRECT, 0.0),
        (np.float32(0.25), Verdict.PARTIAL, 0.25),
        (np.int64(1), Verdict.CORRECT, 1.0),
        (np.array(1.0), Verdict.CORRECT, 1.0),
        (np.array([1.0]), Verdict.ERROR, None),
        (np.float32(2.0), Verdict.ERROR, None),
    ],
)
def test_what_a_function_returns_becomes_a_result(value: Any, verdict: Verdict, score: float | None) -> None:
    [result] = FunctionVerifier(lambda completion, reference: value).verify(["x"], ["x"])
    assert (result.verdict, result.score) == (verdict, score)
    assert type(result.score) in (float, type(None))
    if verdict is Verdict.ERROR:
        assert "expected True, False, a number in [0, 1] or a Result" in result.reason


def test_a_function_that_raises_costs_its_item_the_score() -> None:
    [bad, good] = FunctionVerifier(lambda c, r: 1 / int(c) > 0).verify(["0", "1"], ["", ""])
    assert bad.score is None
    assert "ZeroDivisionError" in bad.reason
    assert good.score == 1.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"prompt": "{qestion}"}, ColumnError, "row 1 lacks qestion, wanted for the prompt; it has question, answer"),
        ({"reference": "gold"}, ColumnError, "row 1 lacks gold, wanted for the reference; it has question"),
        (
            {"reference": lambda row: row["gold"]},
            InputError,
            "row 1: <lambda>, which makes the reference, raised KeyErr",
        ),
        (
            {"prompt": lambda row: 5},
            InputError,
            "row 1: the prompt is 5; expected text, or messages with role and cont",
        ),
        ({"prompt": lambda row: [{"role": "user"}]}, InputError, "expected text, or messages with role and content"),
        ({"difficulty": "topic"}, InputError, "row 1: the difficulty is 'sums'; expected a number"),
        ({"dataset": ["a"]}, InputError, "row 1 is a str; expected a mapping of columns to values"),
        (
            {"dataset": [{"question": None, "answer": "1"}]},
            ColumnError,
            "row 1 has None in question, wanted for the prompt; expected a value",
        ),
        ({"dataset": []}, InputError, "local/rows-v1 is empty; its source is the rows of split 'train'"),
    ],
)
def test_rows_that_do_not_fit_say_which_and_why(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = {"dataset": ROWS, "prompt": "{question}", "verifier": same, **arguments}
    with pytest.raises(error) as caught:
        make_env(given.pop("dataset"), given.pop("prompt"), **given).tasks("train")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"dataset": "nowhere.jsonl"}, InputError, "no file 'nowhere.jsonl'; expected a JSONL, Parquet or CSV file"),
        ({"dataset": {}}, InputError, "the data set is an empty mapping"),
        ({"dataset": iter(ROWS)}, InputError, "expected a path, a name on the hub, or rows in a list"),
        ({"dataset": 5}, InputError, "the data set is 5; expected a path"),
        ({"name": "sums"}, RegistryError, "the name 'sums' is not of the form 'namespace/name-vN'"),
        ({"verifier": 5}, InputError, "the verifier is 5; expected a Verifier or a function"),
        (
            {"verifier": MathVerifier},
            InputError,
            "the verifier is the class MathVerifier; expected an object of it: MathVerifier()",
        ),
        ({"metadata": "topic"}, InputError, "metadata is 'topic'; expected a list of column names, as metadata=['topi"),
        ({"columns": "topic"}, InputError, "columns is 'topic'; expected a list of column names, as columns=['topic']"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_at_once(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = {"dataset": ROWS, "verifier": same, **arguments}
    with pytest.raises(error) as caught:
        make_env(given.pop("dataset"), "{question}", **given)
    assert message in str(caught.value)


def test_a_folder_without_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no JSONL, Parquet or CSV file in "):
        make_env(str(tmp_path), "{question}", verifier=same)


def test_a_function_that_cannot_be_sent_says_how_to_define_it() -> None:
    with pytest.raises(
        InputError, match=r"the verifier '<lambda>' cannot be sent to another process .*define it with def"
    ):
        pickle.dumps(FunctionVerifier(lambda completion, reference: True))
    assert pickle.loads(pickle.dumps(FunctionVerifier(same))).verify(["a"], ["a"])[0].is_correct


def test_a_row_without_a_reference_is_a_task_that_cannot_be_judged_and_hides_no_other() -> None:
    rows: list[dict[str, Any]]
    rows = [{"question": "1?", "answer": "1"}, {"question": "2?", "answer": None}, {"question": "3?", "answer": "3"}]
    environment = make_env(rows, "{question}", verifier=MathVerifier())
    tasks = environment.tasks("train")
    assert [task.reference for task in tasks] == ["1", None, "3"]
    assert environment.verify(["1"], [tasks[1]])[0].verdict is Verdict.BAD_REFERENCE


def test_the_options_of_a_choice_reach_its_verifier() -> None:
    rows: list[dict[str, Any]] = [
        {"question": "Capital of France?", "options": ["Rome", "Paris"], "texts": ["a", "b"], "answer": "Paris"}
    ]
    for options in ({"metadata": ["options"]}, {"columns": ["options"]}):
        environment = make_env(rows, "{question}", verifier=ChoiceVerifier("AB"), **options)  # type: ignore[arg-type]
        [task] = environment.tasks("train")
        assert environment.columns == ("options",)
        assert task.metadata == {"options": ["Rome", "Paris"]}
        results = environment.verify(["The answer is B.", r"\boxed{Paris}", r"\boxed{A}"], [task] * 3)
        assert [result.score for result in results] == [1.0, 1.0, 0.0]
        arguments = environment.trl("train")
        [reward], [row] = arguments["reward_funcs"], arguments["train_dataset"]
        assert reward(completions=["Answer: B"], answer=["Paris"], options=[row["options"]]) == [1.0]
    graded = Weighted({"choice": (ChoiceVerifier("AB", options="texts"), 1.0)})
    assert make_env(rows, "{question}", verifier=graded, metadata=["texts", "options"]).columns == ("texts",)
    routed = Route({"mc": ChoiceVerifier(options="texts")}, column="kind")
    assert make_env(rows, "{question}", verifier=routed, metadata=["kind"], columns=["texts"]).columns == (
        "texts",
        "kind",
    )
    assert make_env(rows, "{question}", verifier=MathVerifier(), metadata=["options"]).columns == ()
