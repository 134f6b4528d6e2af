"""Files written whole or not at all, JSON lines, and one clear error where the system refuses."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..environments.json_lines import json_object
from ..errors import InputError, StorageFailed


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write ``path`` into one clear error."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be written: {error.strerror or error}. What was written before is kept: make room or "
            "choose another folder, then ask for the same again to resume"
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing, by a temporary one beside it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with writing(path):
        try:
            beside.write_text(text, encoding="utf-8", errors="backslashreplace")
            beside.replace(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a JSONL file or nothing; values that JSON lacks are written as their ``repr``."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False, default=repr) + "\n" for row in rows))


def read_lines(path: Path, *, torn_end: bool = False) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file; a last line without a line end is left out where ``torn_end`` allows it.

    Raises:
        InputError: The file cannot be read, or a line is not a JSON object.
    """
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip() and not (torn_end and not line.endswith(b"\n")):
                    yield json_object(path, number, line)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
