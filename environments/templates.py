"""Prompts made of a template in which ``{column}`` stands for a column of the row."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..errors import ColumnError, InputError
from .base import Prompt
from .datasets import Row
from .rows import asked

_WORDS = re.compile(r"\{(\w[\w .,/-]*)\}")
_ALIKE = 0.8


def filled(template: str, row: Row, where: str) -> Prompt:
    """The template with the row's values, as a user's message; a chat where the template is its column alone.

    Args:
        template: ``{column}`` stands for a column, whatever its name; other braces are left alone.
        row: The row.
        where: Its place, for messages.

    Raises:
        ColumnError: The row lacks a column that the template names, or has None there.
        InputError: The template is a column's bare name, or has other text beside a column of chat messages.
    """
    found = list(_places(tuple(map(str, row))).finditer(template))
    if template in row:
        raise InputError(
            f"the prompt is {template!r}, the name of a column, so that every row would ask just that; "
            f"write {'{' + template + '}'!r} for what the column holds"
        )
    _refuse_misspelt(template, row, where)
    values = [_value(row, place[1] or place[2], where) for place in found]
    chats = [place[0] for place, value in zip(found, values, strict=True) if is_chat(value)]
    if chats and template.strip() == chats[0]:
        return values[0]  # type: ignore[no-any-return]  # messages, as the line above found
    if chats:
        raise InputError(
            f"{where}: {chats[0]} is a column of chat messages and cannot stand inside a text; expected the prompt "
            f"{chats[0]!r} alone, or a function that makes the messages of a row"
        )
    rest = iter(values)
    return asked(_places(tuple(map(str, row))).sub(lambda _: str(next(rest)), template))


def names_a_column(template: str, row: Row) -> bool:
    """Whether anything in the template stands for a column."""
    return _places(tuple(map(str, row))).search(template) is not None


def is_chat(value: Any) -> bool:
    """Whether a value is messages, each with ``role`` and ``content``."""
    many = not isinstance(value, str | bytes | Mapping) and isinstance(value, Sequence) and bool(value)
    return many and all(map(_is_message, value))


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) and all(isinstance(message.get(key), str) for key in ("role", "content"))


@lru_cache(maxsize=64)
def _places(columns: tuple[str, ...]) -> re.Pattern[str]:
    """Where columns stand: those of the row under any name, the longest first, and whatever else looks like one."""
    names = "|".join(map(re.escape, sorted(columns, key=len, reverse=True))) or r"(?!)"
    return re.compile(rf"\{{(?:({names})|([A-Za-z_]\w*))\}}")


def _value(row: Row, column: str, where: str) -> Any:
    if column not in row:
        raise ColumnError(f"{where} lacks {column}, wanted for the prompt; it has {', '.join(map(str, row))}")
    if row[column] is None:
        raise ColumnError(f"{where} has None in {column}, wanted for the prompt; expected a value")
    return row[column]


def _refuse_misspelt(template: str, row: Row, where: str) -> None:
    """Words in braces that are nearly a column's name; a name of one word is missed by ``_value``."""
    columns = {str(column).casefold(): str(column) for column in row}
    for place in _WORDS.finditer(template):
        name = place[1]
        near = difflib.get_close_matches(name.casefold(), columns, n=1, cutoff=_ALIKE)
        if not name.isidentifier() and name not in columns.values() and near:
            raise ColumnError(f"{where} lacks {name!r}, wanted for the prompt; did you mean {columns[near[0]]!r}?")
