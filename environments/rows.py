"""``RowEnvironment``: tasks made one by one of a data set's rows."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar

from ..errors import InputError
from .base import Environment, Task
from .datasets import DataFile, Row, stream_rows


class RowEnvironment(Environment):
    """An environment whose tasks are the rows of files: subclasses name the files and write ``task_of``.

    Args:
        path: A folder with the files of ``files`` under their last names, or the file of a single split. Without it the
            rows come from the folder ``ASSAY_DATA``, else from the hub.
        streaming: Whether the hub is read row by row instead of downloading a split first.

    Attributes:
        files: For each split where its rows are.
    """

    files: ClassVar[Mapping[str, DataFile]]

    def __init__(self, path: str | os.PathLike[str] | None = None, *, streaming: bool = False) -> None:
        self._path = path
        self._streaming = streaming

    @abstractmethod
    def task_of(self, row: Row) -> Task | None:
        """The task of one row, None for a row that is no task. What this raises is reported with the row's number."""

    def load(self, split: str) -> Iterator[Task]:
        """The tasks in the order of their rows."""
        rows, origin = stream_rows(self.files[split], self._path, streaming=self._streaming)
        self.origins[split] = origin
        for number, row in enumerate(rows, start=1):
            try:
                task = self.task_of(row)
            except InputError as error:
                raise type(error)(f"{origin}, row {number}: {error}") from error
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                raise InputError(f"{origin}, row {number} has a value that cannot be used: {error!r}") from error
            if task is not None:
                yield task


def asked(content: str) -> list[dict[str, str]]:
    """A prompt of one user message."""
    return [{"role": "user", "content": content}]
