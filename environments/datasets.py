"""Rows of a data set, from a local file or from the hub; every built-in environment with data reads through here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ColumnError, DataUnavailable, InputError, MissingExtra
from .json_lines import json_object

Row = Mapping[str, Any]
FOLDER_VARIABLE = "ASSAY_DATA"
_SUFFIXES = (".jsonl", ".jsonl.gz", ".json.gz", ".parquet", ".csv", ".csv.gz")


class Rows(NamedTuple):
    """Rows with the place they came from.

    Attributes:
        rows: The rows in the order of their source.
        origin: A file's path, or ``name@revision`` on the hub; for logs and reports.
    """

    rows: Sequence[Row]
    origin: str


class RowStream(NamedTuple):
    """Rows that are read while they are asked for, once.

    Attributes:
        rows: The rows in the order of their source.
        origin: As in ``Rows``.
    """

    rows: Iterator[Row]
    origin: str


@dataclass(frozen=True, slots=True)
class DataFile:
    """Where the rows of one split are.

    Attributes:
        name: Path below the data folder, as ``gsm8k/train.jsonl``. The same name with another known suffix
            (``.jsonl.gz``, ``.parquet``, ``.csv``, ``.csv.gz``) serves as well.
        columns: What every row must have.
        hub: Name of the data set on the hub; empty where it is not there.
        config: Its configuration there.
        split: Its split there.
        revision: The commit that is read: a pinned revision never changes under an environment. Without one the newest
            is looked up, and recorded in ``Rows.origin``.
    """

    name: str
    columns: tuple[str, ...]
    hub: str = ""
    config: str | None = None
    split: str = ""
    revision: str | None = None


def load_rows(data: DataFile, path: str | os.PathLike[str] | None = None) -> Rows:
    """The rows of ``data``: from ``path`` where given, else from the data folder, else from the hub.

    Args:
        data: What to look for.
        path: A file, or a folder that holds the file under its name or its last part. Nothing else is tried then.

    Returns:
        At least the columns of ``data`` in every row.

    Raises:
        DataUnavailable: It is in none of these places; the message says where to put it.
        ColumnError: A row lacks a column.
        InputError: A file cannot be read.
    """
    rows, origin = stream_rows(data, path)
    return Rows(list(rows), origin)


def stream_rows(data: DataFile, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> RowStream:
    """As ``load_rows``, but a file is read line by line, while its rows are asked for.

    Args:
        data: What to look for.
        path: As in ``load_rows``.
        streaming: Whether a data set of the hub is read over the network row by row, instead of downloaded first.
    """
    if path is not None:
        found = _in_folder(Path(path), data.name) if Path(path).is_dir() else Path(path)
        if found is None or not found.is_file():
            raise DataUnavailable(
                f"no {data.name} at {os.fspath(path)!r}; expected that file, or a folder that holds it"
            )
    else:
        folder = os.environ.get(FOLDER_VARIABLE)
        found = _in_folder(Path(folder), data.name) if folder else None
    rows, origin = _from_hub(data, streaming) if found is None else (read_file(found), str(found))
    return RowStream(_checked(rows, origin, data.columns), origin)


def read_file(path: str | os.PathLike[str]) -> Iterator[Row]:
    """The rows of a JSONL, Parquet or CSV file, one mapping each; JSONL and CSV may be compressed with gzip.

    Raises:
        InputError: There is no such file, its suffix is unknown, or a line cannot be read; the message names the line.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}")
    name = path.name.lower()
    if name.endswith(".parquet"):
        yield from _read_parquet(path)
    elif name.endswith((".jsonl", ".json", ".jsonl.gz", ".json.gz")):
        yield from _read_jsonl(path)
    elif name.endswith((".csv", ".csv.gz")):
        yield from _read_csv(path)
    else:
        raise InputError(f"{path} has an unknown suffix; expected one of {', '.join(_SUFFIXES)}")


def _in_folder(folder: Path, name: str) -> Path | None:
    """The file called ``name`` in ``folder``: whole or by its last part, with its own or another known suffix."""
    wanted = Path(name)
    stem = wanted.name[: wanted.name.index(".")]
    names = [wanted.name, *(stem + suffix for suffix in _SUFFIXES)]
    candidates = [parent / file for parent in (folder / wanted.parent, folder) for file in names]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _read_jsonl(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        yield json_object(path, number, line)


def _read_parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "trl") from error
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except (ArrowException, OSError) as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error


def _read_csv(path: Path) -> Iterator[Row]:
    import csv

    try:
        yield from csv.DictReader(_lines(path, newline=""), strict=True)
    except csv.Error as error:
        raise InputError(f"{path} is not a CSV file with a header line: {error}") from error


def _lines(path: Path, newline: str | None = "\n") -> Iterator[str]:
    """Lines of a text file. Only the line feed ends one: JSON strings may hold other separators as they are."""
    import gzip  # here, like csv: for the sake of the time to import assay
    import zlib

    try:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8-sig", newline=newline) as file:
            yield from file
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _from_hub(data: DataFile, streaming: bool) -> tuple[Iterable[Row], str]:
    folder = os.environ.get(FOLDER_VARIABLE)
    looked = f"{folder!r} does not hold it" if folder else f"{FOLDER_VARIABLE} is not set"
    advice = f"Put it at {data.name} in a folder and set {FOLDER_VARIABLE} to that folder, or give path="
    if not data.hub:
        raise DataUnavailable(f"{data.name} was not found: {looked}, and it is not on the hub. {advice}")
    try:
        from datasets import load_dataset
    except ImportError as error:
        hint = "pip install 'assay[trl]' brings `datasets`, which reads it from the hub."
        raise DataUnavailable(f"{data.name} was not found: {looked}. {advice}; or: {hint}") from error
    try:
        revision = data.revision or _newest_revision(data.hub)
        parts = data.split.split("+") if streaming else [data.split]  # not every release streams a sum of splits
        tables = [load_dataset(data.hub, data.config, split=p, revision=revision, streaming=streaming) for p in parts]
    except Exception as error:  # whatever the network, the cache or the hub raise, the way out is the same
        cause = f"{type(error).__name__}: {error}"[:300]
        raise DataUnavailable(
            f"{data.name} was not found: {looked}, and {data.hub} could not be loaded from the hub ({cause}). {advice}"
        ) from error
    return chain(*tables) if streaming else tables[0].to_list(), f"{data.hub}@{revision}"


def _newest_revision(hub: str) -> str:
    """The commit that is newest now, so that what is read can be named; "main" where nobody answers."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        return HfApi().dataset_info(hub).sha or "main"
    except (HfHubHTTPError, OfflineModeIsEnabled, OSError, ValueError):
        return "main"


def _checked(rows: Iterable[Row], origin: str, columns: Sequence[str]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        missing = [column for column in columns if row.get(column) is None]
        if missing:
            present = ", ".join(map(str, row)) or "nothing"
            raise ColumnError(f"{origin}, row {number} lacks {', '.join(missing)}; it has {present}")
        yield row
