"""How requests carry texts and columns."""

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


#: Any text, lone surrogates included, which policies write and pydantic's own type refuses.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]


def one_row(fields: Mapping[str, Any], *without: str) -> dict[str, list[Any]]:
    """Fields of a single task as columns of one row; those with a meaning of their own are left out."""
    return {name: [value] for name, value in fields.items() if name not in RESERVED and name not in without}
