"""A line of a JSONL file as an object, or an error that says where it is and what stands there."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import InputError

_SHOWN = 60


def json_object(path: str | os.PathLike[str], number: int, line: str | bytes) -> dict[str, Any]:
    """The object on one line.

    Args:
        path: The file, for the message.
        number: The line's number there, from 1, for the message.
        line: The line; bytes are UTF-8.

    Raises:
        InputError: It is no JSON, no UTF-8, or another kind of value.
    """
    where = f"{os.fspath(path)}, line {number}"
    try:
        row = json.loads(line.strip())
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where} is not JSON: {error.msg} at character {error.colno} of {_shown(error.doc)}; "
            "expected one JSON object a line"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {error}; expected one JSON object a line") from error
    if not isinstance(row, dict):
        raise InputError(f"{where} is {_article(row)}, {_shown(_text(line))}; expected one JSON object a line")
    return row


def _text(line: str | bytes) -> str:
    return line if isinstance(line, str) else line.decode("utf-8", errors="replace")


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def _article(value: Any) -> str:
    if value is None:
        return "null"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
