"""``make_env``: a data set, a prompt and a verifier as an environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import ColumnError, InputError, RegistryError
from ..verifiers.base import Verifier
from ..verifiers.choice import ChoiceVerifier
from ..verifiers.compose import Route
from .base import Environment, Prompt, Task
from .datasets import DataFile, Row, read_file, stream_rows
from .functions import FunctionVerifier, Judge
from .names import NAME
from .templates import filled, is_chat, names_a_column

RowsOrPath = str | os.PathLike[str] | Iterable[Row]
_HUB = re.compile(r"[\w.-]+/[\w.-]+\Z")
_FILES = re.compile(r".+\.(jsonl|json|csv)(\.gz)?\Z|.+\.parquet\Z", re.IGNORECASE)


def make_env(
    dataset: RowsOrPath | Mapping[str, RowsOrPath],
    prompt: str | Callable[[Row], Prompt],
    *,
    verifier: Verifier[Any] | Judge,
    reference: str | Callable[[Row], Any] = "answer",
    name: str | None = None,
    splits: Sequence[str] = ("train",),
    metadata: Sequence[str] = (),
    columns: Sequence[str] = (),
    difficulty: str | None = None,
    completion: str | Callable[[Row], str] | None = None,
    config: str | None = None,
    revision: str | None = None,
    streaming: bool = False,
    domain: str = "",
    licence: str = "",
) -> DatasetEnvironment:
    """An environment of one's own from a data set with a verifier.

    Args:
        dataset: Where the rows are: a JSONL, Parquet or CSV file (the split "train"); a folder of such files (one split
            each, named like it); a data set's name on the hub; rows themselves, as mappings or a ``datasets.Dataset``;
            or any of these but the folder by split.
        prompt: Text in which ``{column}`` stands for a column, asked as a user's message; other braces are left alone.
            A column of chat messages alone, as ``"{messages}"``, is the prompt as it is. Or a function that makes a
            prompt, text or messages, of a row.
        verifier: What judges: a ``Verifier``, or a function ``(completion, reference)`` that returns True or False,
            a score in [0, 1] or a ``Result``.
        reference: The column with what the verifier judges against, or a function of a row.
        name: ``namespace/name-vN``; by default ``local/`` and the file's name.
        splits: For a data set on the hub, its splits.
        metadata: Columns to keep with the tasks.
        columns: Columns that the verifier reads beside the reference; kept with the tasks as well. One in ``metadata``
            that a ``ChoiceVerifier`` or a ``Route`` names is handed to it without being listed here.
        difficulty: A column of numbers, larger is harder.
        completion: A column, or a function of a row, with a completion that the verifier must accept: what
            ``assay check`` tries. By default it tries the reference in the usual forms.
        config: For a data set on the hub, its configuration.
        revision: Its commit; the newest is looked up, and recorded in ``origins``, where none is given.
        streaming: Whether the hub is read row by row instead of downloading a split first.
        domain: "math", "code", ... for ``assay list``.
        licence: The licence of the data.

    Raises:
        InputError: An argument is not as described, or there is no such file.
        RegistryError: The name is not of the form ``namespace/name-vN``.

    >>> from assay.verifiers import MathVerifier
    >>> env = make_env([{"q": "1+1", "answer": "2"}], "What is {q}?", verifier=MathVerifier())
    >>> env.tasks("train")[0].prompt
    [{'role': 'user', 'content': 'What is 1+1?'}]
    """
    sources = _sources(dataset, splits, config, revision)
    name = name or f"local/{_stem(dataset)}-v1"
    if not NAME.match(name):
        raise RegistryError(f"the name {name!r} is not of the form 'namespace/name-vN', like 'math/sums-v1'")
    for what, names in (("metadata", metadata), ("columns", columns)):
        if isinstance(names, str):
            raise InputError(f"{what} is {names!r}; expected a list of column names, as {what}=[{names!r}]")
    judge = verifier if isinstance(verifier, Verifier) else FunctionVerifier(verifier)
    read = tuple(dict.fromkeys([*columns, *(name for name in _columns_named_by(judge) if name in metadata)]))
    kept = tuple(dict.fromkeys([*metadata, *read]))
    made = DatasetEnvironment(sources, prompt, judge, reference, kept, difficulty, completion, streaming)
    # Names are class attributes elsewhere; here each object is an environment of its own.
    vars(made).update(
        name=name, splits=_sizes(sources), columns=read, domain=domain, licence=licence, source=_described(dataset)
    )
    return made


class DatasetEnvironment(Environment):
    """What ``make_env`` makes: its arguments are described there."""

    def __init__(
        self,
        sources: Mapping[str, DataFile | Path | Iterable[Row]],
        prompt: str | Callable[[Row], Prompt],
        verifier: Verifier[Any],
        reference: str | Callable[[Row], Any],
        metadata: tuple[str, ...],
        difficulty: str | None,
        completion: str | Callable[[Row], str] | None,
        streaming: bool,
    ) -> None:
        self.verifier = verifier
        self._sources = sources
        self._prompt = prompt
        self._reference = reference
        self._metadata = metadata
        self._difficulty = difficulty
        self._completion = completion
        self._streaming = streaming
        self._completions: dict[str, str] = {}

    def load(self, split: str) -> Iterator[Task]:
        """One task of each row, in the order of the rows."""
        rows, origin = self._rows(self._sources[split], split)
        self.origins[split] = origin
        for number, row in enumerate(rows, start=1):
            where = f"{origin}, row {number}"
            if not isinstance(row, Mapping):
                raise InputError(f"{where} is a {type(row).__name__}; expected a mapping of columns to values")
            self._refuse_constant(row, number)
            task = self._task(row, where)
            if self._completion is not None:
                self._completions[task.id] = _value(row, self._completion, where, "completion")
            yield task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """As given by ``completion=``, else the reference in the usual forms."""
        known = self._completions.get(task.id)
        return super().reference_completions(task) if known is None else (known,)

    def _rows(self, source: DataFile | Path | Iterable[Row], split: str) -> tuple[Iterable[Row], str]:
        if isinstance(source, DataFile):
            return stream_rows(source, streaming=self._streaming)
        if isinstance(source, Path):
            return read_file(source), str(source)
        return source, f"the rows of split {split!r}"

    def _task(self, row: Row, where: str) -> Task:
        reference = _value(row, self._reference, where, "reference")
        difficulty = None if self._difficulty is None else _value(row, self._difficulty, where, "difficulty")
        if difficulty is not None and not isinstance(difficulty, int | float):
            raise InputError(f"{where}: the difficulty is {difficulty!r}; expected a number")
        metadata = {column: _value(row, column, where, "metadata") for column in self._metadata}
        return Task(self._asked(row, where), reference, difficulty, metadata)

    def _asked(self, row: Row, where: str) -> Prompt:
        if isinstance(self._prompt, str):
            return filled(self._prompt, row, where)
        prompt = _value(row, self._prompt, where, "prompt")
        if isinstance(prompt, str) or is_chat(prompt):
            return prompt  # type: ignore[no-any-return]  # checked in the line above
        raise InputError(f"{where}: the prompt is {prompt!r:.200}; expected text, or messages with role and content")

    def _refuse_constant(self, row: Row, number: int) -> None:
        """Refuse a template that names no column, once a second row would ask the same."""
        if number == 2 and isinstance(self._prompt, str) and not names_a_column(self._prompt, row):
            raise InputError(
                f"the prompt {self._prompt!r:.100} names no column, so that every row asks the same; put a column into "
                f"it, as {{{next(iter(row), 'question')}}}. A prompt that is meant to be the same is a function: "
                "lambda row: text"
            )


def _columns_named_by(verifier: Verifier[Any]) -> list[str]:
    """The columns that a verifier, or a part of it, is told the name of."""
    if isinstance(verifier, ChoiceVerifier):
        return [verifier.options]
    if isinstance(verifier, Route):
        return [verifier.column, *(name for part in verifier.verifiers.values() for name in _columns_named_by(part))]
    return [name for part in getattr(verifier, "parts", {}).values() for name in _columns_named_by(part)]


def _value(row: Row, wanted: str | Callable[[Row], Any], where: str, what: str) -> Any:
    """A column's value, or what a function makes of the row."""
    if isinstance(wanted, str):
        if wanted not in row:
            raise ColumnError(f"{where} lacks {wanted}, wanted for the {what}; it has {', '.join(map(str, row))}")
        return row[wanted]
    try:
        return wanted(row)
    except Exception as error:
        name = getattr(wanted, "__name__", repr(wanted))
        raise InputError(f"{where}: {name}, which makes the {what}, raised {type(error).__name__}: {error}") from error


def _sources(
    dataset: RowsOrPath | Mapping[str, RowsOrPath], splits: Sequence[str], config: str | None, revision: str | None
) -> dict[str, DataFile | Path | Iterable[Row]]:
    if isinstance(dataset, Mapping):
        if not dataset:
            raise InputError("the data set is an empty mapping; expected rows or a path by split")
        return {split: _source(rows, split, config, revision) for split, rows in dataset.items()}
    if isinstance(dataset, str | os.PathLike) and Path(dataset).is_dir():
        files = {file.name.split(".")[0]: file for file in sorted(Path(dataset).iterdir()) if _FILES.match(file.name)}
        if not files:
            raise InputError(f"there is no JSONL, Parquet or CSV file in {os.fspath(dataset)!r}")
        return dict(files)
    many = isinstance(dataset, str) and not _FILES.match(dataset)
    return {split: _source(dataset, split, config, revision) for split in (splits if many else ("train",))}


def _source(
    dataset: RowsOrPath, split: str, config: str | None, revision: str | None
) -> DataFile | Path | Iterable[Row]:
    if not isinstance(dataset, str | os.PathLike):
        if not isinstance(dataset, Iterable) or isinstance(dataset, Iterator):
            raise InputError(f"the data set is {dataset!r:.100}; expected a path, a name on the hub, or rows in a list")
        return dataset
    path = Path(dataset)
    if path.is_file():
        return path.resolve()
    if isinstance(dataset, str) and _HUB.match(dataset) and not _FILES.match(dataset):
        return DataFile(f"{dataset}/{split}.jsonl", (), dataset, config, split, revision)
    raise InputError(
        f"no file {os.fspath(dataset)!r}; expected a JSONL, Parquet or CSV file, or 'owner/name' on the hub"
    )


def _sizes(sources: Mapping[str, DataFile | Path | Iterable[Row]]) -> dict[str, int | None]:
    """How many rows there are, where that is known without reading them."""
    sizes = {split: getattr(source, "__len__", None) for split, source in sources.items()}
    return {split: None if size is None else int(size()) for split, size in sizes.items()}


def _stem(dataset: Any) -> str:
    text = Path(dataset).name.split(".")[0] if isinstance(dataset, str | os.PathLike) else "rows"
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-") or "rows"


def _described(dataset: Any) -> str:
    return os.fspath(dataset) if isinstance(dataset, str | os.PathLike) else type(dataset).__name__
