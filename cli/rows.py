"""Rows of a file that a command was given, each with its place for messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..environments.datasets import Row, read_file
from ..environments.json_lines import json_object
from ..errors import InputError

STDIN = "-"


class Placed(NamedTuple):
    """A row and where it stands, as "rows.jsonl, row 2"."""

    where: str
    row: Row


def rows_in(path: Path) -> Iterator[Placed]:
    """The rows of a JSONL, Parquet or CSV file, plain or gzipped; of "-" the JSON lines of standard input.

    Raises:
        InputError: It is no file, cannot be read, or holds no row.
    """
    number = 0
    if str(path) == STDIN:
        for line_number, line in enumerate(sys.stdin.buffer, start=1):
            if line.strip():
                number += 1
                yield Placed(f"standard input, row {number}", json_object("standard input", line_number, line))
    else:
        if path.is_dir():
            raise InputError(f"{str(path)!r} is a folder; give a file of JSON lines in it")
        for number, row in enumerate(read_file(path), start=1):
            yield Placed(f"{path}, row {number}", row)
    if not number:
        raise InputError(f"{'standard input' if str(path) == STDIN else path} holds no row")
