"""Rows from files, from the data folder and from the hub, and what is said when there are none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay import make
from assay.environments.datasets import DataFile, load_rows, read_file
from assay.errors import ColumnError, DataUnavailable, InputError

ROWS = [{"question": "1+1?", "answer": "2"}, {"question": "naïve ½?", "answer": "0.5"}]
DATA = DataFile("toy/train.jsonl", ("question", "answer"))


def write(path: Path, rows: list[dict[str, str]] = ROWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    if path.name.endswith(".csv"):
        text = "question,answer\n" + "\n".join(f"{row['question']},{row['answer']}" for row in rows)
    if path.name.endswith(".parquet"):
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet", ".csv"])
def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"rows{suffix}")
    assert [dict(row) for row in read_file(path)] == ROWS
    assert [dict(row) for row in load_rows(DATA, path).rows] == ROWS


@pytest.mark.parametrize("name", ["toy/train.jsonl", "train.jsonl", "toy/train.parquet", "train.csv", "train.jsonl.gz"])
def test_a_folder_serves_the_file_by_its_name_or_with_another_suffix(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    rows, origin = load_rows(DATA, tmp_path)
    assert [dict(row) for row in rows] == ROWS
    assert origin == str(path)


def test_the_data_folder_of_the_environment_variable_is_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "toy/train.jsonl")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    assert load_rows(DATA).origin == str(path)


def test_a_path_that_is_given_is_the_only_place_that_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "data/toy/train.jsonl")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    with pytest.raises(
        DataUnavailable, match=r"no toy/train\.jsonl at '.*elsewhere'; expected that file, or a folder that holds it"
    ):
        load_rows(DATA, tmp_path / "elsewhere")


def test_what_is_neither_on_disk_nor_on_the_hub_names_the_file_and_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    expected = (
        r"toy/train\.jsonl was not found: ASSAY_DATA is not set, and it is not on the hub\. "
        r"Put it at toy/train\.jsonl in a folder and set ASSAY_DATA to that folder, or give path="
    )
    with pytest.raises(DataUnavailable, match=expected):
        load_rows(DATA)


def test_an_unreachable_hub_names_the_data_set_its_cause_and_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets.config
    import huggingface_hub.constants

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    data = DataFile("toy/train.jsonl", ("question",), hub="nobody/no-such-data", split="train", revision="0" * 40)
    with pytest.raises(
        DataUnavailable, match=r"nobody/no-such-data could not be loaded from the hub \(.+: .+\)"
    ) as caught:
        load_rows(data)
    assert f"{str(tmp_path)!r} does not hold it" in str(caught.value)
    assert "Put it at toy/train.jsonl in a folder and set ASSAY_DATA" in str(caught.value)


# `datasets` opens its cache's lock files and its progress bar at import and does not always close them in time.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_the_hub_is_read_at_the_pinned_revision_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "repository/train.jsonl")  # what `load_dataset` takes from the hub it also takes from a folder
    hub = str(tmp_path / "repository")
    rows, origin = load_rows(DataFile("toy/train.jsonl", ("answer",), hub=hub, split="train", revision="abc123"))
    assert [dict(row) for row in rows] == ROWS
    assert origin == f"{hub}@abc123"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            b'{"question": 1, "answer": 2}\n{"question": \n',
            r"a\.jsonl, line 2 is not JSON: Expecting value at character 13 of .*; expected one",
        ),
        ("a.jsonl", b"[1, 2]", r"a\.jsonl, line 1 is a list, '\[1, 2\]'; expected one JSON object a line"),
        ("a.jsonl", b"\xff\xfe\xfa", r"a\.jsonl cannot be read: 'utf-8' codec"),
        ("a.jsonl.gz", b"not gzip", r"a\.jsonl\.gz cannot be read: Not a gzipped file"),
        ("a.csv", b'question,answer\n"open', r"a\.csv is not a CSV file with a header line: "),
        ("a.parquet", b"PAR", r"a\.parquet is not a Parquet file: "),
        ("a.txt", b"hello", r"a\.txt has an unknown suffix; expected one of \.jsonl, "),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_rows(DATA, tmp_path / name)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"no file 'nowhere\.jsonl'"):
        list(read_file("nowhere.jsonl"))


def test_a_row_without_a_column_is_named_with_the_columns_it_has(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [*ROWS, {"question": "3?", "result": "3"}])
    with pytest.raises(ColumnError, match=r"a\.jsonl, row 3 lacks answer; it has question, result"):
        load_rows(DATA, path)


def test_a_file_without_rows_is_named_and_not_the_hub(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text("")
    with pytest.raises(InputError, match=r"split 'test' of math/gsm8k-v1 is empty; its source is .*/test\.jsonl$"):
        make("math/gsm8k", path=tmp_path).tasks("test")
