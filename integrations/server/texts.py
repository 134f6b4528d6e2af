"""How requests carry texts and columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

#: Names that ``Verifier.verify`` and its hooks use themselves.
RESERVED = frozenset({"self", "completion", "completions", "reference", "references"})
# What ends a turn where special tokens are kept: <|im_end|>, <|eot_id|>, <｜end▁of▁sentence｜>, </s>, <eos>, <pad>, ...
_END = re.compile(r"(?:<[|｜][^<>|｜\s]{1,40}[|｜]>|</s>|<eos>|<pad>|<end_of_turn>)\Z")
_LONGEST_TOKEN = 44


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, not {type(value).__name__}")  # noqa: TRY004 - pydantic reports ValueError
    return value


#: Any text, lone surrogates included, which policies write and pydantic's own type refuses.
Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]


def completion_in(query: str, prompt: str) -> str:
    """What the policy wrote: the query without the prompt that it starts with and the special tokens that end it.

    >>> completion_in("<|im_start|>2+2?<|im_end|>It is 4.<|im_end|>", "<|im_start|>2+2?<|im_end|>")
    'It is 4.'
    """
    written = query.removeprefix(prompt)
    end = len(written)
    while end:  # from the right, so that a long run of white space within the text costs nothing
        if written[end - 1].isspace():
            end -= 1
        elif found := _END.search(written[max(0, end - _LONGEST_TOKEN) : end]):
            end -= len(found[0])
        else:
            break
    return written[:end]


def one_row(fields: Mapping[str, Any], *without: str) -> dict[str, list[Any]]:
    """Fields of a single task as columns of one row; those with a meaning of their own are left out."""
    return {name: [value] for name, value in fields.items() if name not in RESERVED and name not in without}
