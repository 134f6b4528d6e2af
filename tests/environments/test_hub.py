"""Environments read from the hub: the real ``datasets`` code, the real calls, on repositories laid out as on the hub.

``load_dataset("owner/name", config, split=..., revision=..., streaming=...)`` takes a folder ``owner/name`` below the
working directory for a repository. So each test writes one, with Parquet files as the hub has them, and makes the very
call that would go to the hub. What is not run here: the network, and whether the pinned commits are still there.
"""

from __future__ import annotations

import itertools
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from assay import make
from assay.environments.datasets import DataFile, read_file, stream_rows
from assay.environments.registry import ENVIRONMENTS
from assay.errors import ColumnError, DataUnavailable

# `datasets` opens its cache's lock files and its progress bar at import and does not always close them in time.
pytestmark = pytest.mark.filterwarnings(
    "ignore:unclosed file:ResourceWarning", "ignore:unclosed.*socket:ResourceWarning"
)

#: Rows in the columns of repositories whose data is not handed to these tests.
MADE: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "math/math-v1": [
        {"problem": f"What is ${n}/2$?", "level": "Level ?" if n == 3 else "Level 5", "type": "Algebra",
         "solution": f"First \\boxed{{no}}, then $\\boxed{{\\frac{{{n}}}{{2}}}}$."}
        for n in (1, 3, 5, 7, 9)
    ],
    "math/aime24-v1": [
        {"id": n, "problem": f"Find ${n}$.", "solution": "", "answer": f"{n:03}", "url": "", "year": "2024"}
        for n in (7, 33, 204)
    ],
    "math/aime25-v1": [{"problem": f"Find ${n}$.", "answer": str(n), "id": str(n)} for n in (70, 588)],
}  # fmt: skip


def built_in() -> list[tuple[str, str, DataFile]]:
    """Every split of a built-in environment whose rows the hub has."""
    own = [name for name in ENVIRONMENTS if name.split("/")[0] in ("code", "format", "logic", "math", "qa")]
    files: list[tuple[str, Mapping[str, DataFile]]] = [
        (name, getattr(ENVIRONMENTS.get(name), "files", {})) for name in own
    ]
    found = {data: (name, split) for name, splits in files for split, data in splits.items() if data.hub}
    return [(name, split, data) for data, (name, split) in found.items()]  # code/repair reads what code/mbpp reads


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No data folder, no cache of anybody's, no network: whoever asks for an address fails at once."""
    import datasets.config
    import huggingface_hub.constants

    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise OSError("there is no network in this test")

    monkeypatch.delenv("ASSAY_DATA", raising=False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.chdir(tmp_path)


def repository(data: DataFile, rows: Sequence[Mapping[str, Any]]) -> None:
    """Parquet files as on the hub, one folder a configuration; a split that is a sum of two is two files."""
    import pyarrow
    from pyarrow import parquet

    config = data.config or "default"
    folder = Path(data.hub, config if data.config else "data")
    folder.mkdir(parents=True, exist_ok=True)
    parts = data.split.split("+")
    for number, part in enumerate(parts):
        mine = rows[number * len(rows) // len(parts) : (number + 1) * len(rows) // len(parts)]
        parquet.write_table(pyarrow.Table.from_pylist(list(mine)), folder / f"{part}-00000-of-00001.parquet")
    files = "\n".join(f"  - split: {part}\n    path: {folder.name}/{part}-*" for part in parts)
    text = f"---\nconfigs:\n- config_name: {config}\n  data_files:\n{files}\n---\n"
    Path(data.hub, "README.md").write_text(text)


def handed(shared: Path, name: str, split: str, data: DataFile) -> list[dict[str, Any]]:
    """A few rows of the split: made up above, or out of the handed file."""
    if name in MADE:
        return [dict(row) for row in MADE[name]]
    own = {task.metadata.get("source_id") for task in make(name, path=shared / "data").tasks(split, limit=4)}
    rows = (dict(row) for row in stream_rows(data, shared / "data").rows)
    mine = (row for row in rows if data.name != "mbpp/mbpp.jsonl" or row["task_id"] in own)  # one file, four splits
    return list(itertools.islice(mine, 4))


@pytest.mark.parametrize("streaming", [False, True], ids=["downloaded", "streamed"])
@pytest.mark.parametrize(("name", "split", "data"), built_in(), ids=lambda value: getattr(value, "hub", value))
def test_an_environment_reads_its_repository_as_the_hub_has_it(
    shared: Path, name: str, split: str, data: DataFile, streaming: bool
) -> None:
    rows = handed(shared, name, split, data)
    assert len(rows) >= 2
    repository(data, rows)
    environment = make(name, streaming=streaming)
    tasks = environment.tasks(split)
    assert environment.origins[split] == f"{data.hub}@{data.revision}"
    wanted = [environment.task_of(row) for row in rows]
    assert [(task.id, task.reference) for task in tasks] == [(task.id, task.reference) for task in wanted]


def test_the_answers_of_the_competitions_are_read_as_they_are_judged() -> None:
    for name, split, data in built_in():
        if name in MADE and split == "test":
            repository(data, MADE[name])
            environment = make(name)
            tasks = environment.tasks(split)
            assert all(
                result.is_correct
                for result in environment.verify([f"\\boxed{{{task.reference}}}" for task in tasks], tasks)
            )
    assert [task.reference for task in make("math/aime24").tasks("test")] == ["7", "33", "204"]
    assert [(task.reference, task.difficulty) for task in make("math/math").tasks("test", limit=2)] == [
        ("\\frac{1}{2}", 5.0),
        ("\\frac{3}{2}", None),
    ]


def test_a_streamed_split_is_read_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataFile("toy/train.jsonl", ("problem", "answer"), "someone/toy", None, "train", "0" * 40)
    repository(data, [{"problem": str(n), "answer": "1"} for n in range(50)])
    rows, origin = stream_rows(data, streaming=True)
    assert origin == f"someone/toy@{'0' * 40}"
    assert not isinstance(rows, Sequence)
    assert [row["problem"] for row in itertools.islice(rows, 3)] == ["0", "1", "2"]


def test_a_repository_with_other_columns_is_named_with_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    [(_, _, data)] = [row for row in built_in() if row[0] == "math/aime25-v1"]
    repository(data, [{"question": "1+1", "answer": "2"}])
    for streaming in (False, True):
        with pytest.raises(
            ColumnError, match=r"math-ai/aime25@563bb84.*, row 1 lacks problem; it has question, answer"
        ):
            make("math/aime25", streaming=streaming).tasks("test")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("name", ["math/math", "math/aime24", "math/aime25"])
def test_without_a_network_the_error_names_the_file_to_put_there(name: str, streaming: bool) -> None:
    with pytest.raises(DataUnavailable) as caught:
        make(name, streaming=streaming).tasks("test")
    said = str(caught.value)
    file = f"{name.split('/')[1]}/test.jsonl"
    assert said.startswith(f"{file} was not found: ASSAY_DATA is not set, and ")
    assert said.endswith(f"Put it at {file} in a folder and set ASSAY_DATA to that folder, or give path=")


def test_the_file_that_the_error_names_is_then_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    (tmp_path / "own/aime24").mkdir(parents=True)
    (tmp_path / "own/aime24/test.jsonl").write_text("\n".join(map(json.dumps, MADE["math/aime24-v1"])))
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "own"))
    assert len(make("math/aime24").tasks("test")) == len(list(read_file(tmp_path / "own/aime24/test.jsonl"))) == 3
