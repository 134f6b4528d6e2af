"""``Appender``: samples at the end of a file, whole lines or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .files import writing

if TYPE_CHECKING:
    from .samples import Sample


class Appender:
    """Appends samples to an open, locked file."""

    def __init__(self, handle: int, path: Path) -> None:
        self._handle = handle
        self._path = path
        self._cut_torn_line()

    def append(self, samples: Iterable[Sample]) -> None:
        """Append lines by one write, down to the disk; when that fails nothing of them stays.

        Raises:
            StorageFailed: The disk is full, or refuses.
        """
        lines = "".join(json.dumps(sample.to_json(), ensure_ascii=False) + "\n" for sample in samples)
        data = lines.encode("utf-8", errors="backslashreplace")
        end = os.fstat(self._handle).st_size
        with writing(self._path):
            try:
                written = os.write(self._handle, data)
                while written < len(data):
                    written += os.write(self._handle, data[written:])
                os.fsync(self._handle)
            except OSError:
                if os.fstat(self._handle).st_size > end:
                    os.ftruncate(self._handle, end)
                raise

    def _cut_torn_line(self) -> None:
        """Cut what follows the last line end: the rest of a write that was interrupted."""
        size = end = os.fstat(self._handle).st_size
        while end:
            start = max(0, end - (1 << 16))
            at = os.pread(self._handle, end - start, start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            with writing(self._path):
                os.ftruncate(self._handle, end)
