"""How requests carry texts and columns.

Lists and objects are checked whole, and the first fault is all that is told: pydantic collects one error for each item,
and a few megabytes of wrong items would cost minutes and gigabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

#: Names that ``Verifier.verify`` and its hooks use themselves.
RESERVED = frozenset({"self", "completion", "completions", "reference", "references"})


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, not {type(value).__name__}")  # noqa: TRY004 - pydantic reports ValueError
    return value


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list of texts, not {type(value).__name__}")  # noqa: TRY004 - see above
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise ValueError(f"expected a text, not {type(item).__name__}, as item {index}")  # noqa: TRY004
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, not {type(value).__name__}")  # noqa: TRY004 - see above
    return value


def _columns(value: Any) -> dict[str, list[Any]]:
    for name, values in _object(value).items():
        if not isinstance(values, list):
            raise ValueError(f"expected a list, not {type(values).__name__}, as column {name[:100]!r}")  # noqa: TRY004
    return value  # type: ignore[no-any-return]


def _files(value: Any) -> dict[str, str | None]:
    for name, content in _object(value).items():
        if content is not None and not isinstance(content, str):
            raise ValueError(f"expected base64, not {type(content).__name__}, as file {name[:100]!r}")
    return value  # type: ignore[no-any-return]


#: Any text, lone surrogates included, which policies write and pydantic's own type refuses.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]
Texts = Annotated[list[str], PlainValidator(_texts), WithJsonSchema({"type": "array", "items": {"type": "string"}})]
Object = Annotated[dict[str, Any], PlainValidator(_object), WithJsonSchema({"type": "object"})]
Columns = Annotated[
    dict[str, list[Any]],
    PlainValidator(_columns),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "array"}}),
]
Files = Annotated[
    dict[str, str | None],
    PlainValidator(_files),
    WithJsonSchema({"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
]


def one_row(fields: Mapping[str, Any], *without: str) -> dict[str, list[Any]]:
    """Fields of a single task as columns of one row; those with a meaning of their own are left out."""
    return {name: [value] for name, value in fields.items() if name not in RESERVED and name not in without}
