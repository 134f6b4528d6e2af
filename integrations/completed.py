"""What the policy wrote, in the forms in which other trainers hand it over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# What ends a turn where special tokens are kept: <|im_end|>, <|eot_id|>, <｜end▁of▁sentence｜>, </s>, <eos>, <pad>, ...
_END = re.compile(r"(?:<[|｜][^<>|｜\s]{1,40}[|｜]>|</s>|<eos>|<pad>|<end_of_turn>)\Z")
_LONGEST_TOKEN = 44


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


def text_of(response: Mapping[str, Any]) -> str:
    """What the assistant said in an object of OpenAI's Responses interface: its output texts, joined."""
    output = response.get("output")
    parts = []
    for item in output if isinstance(output, list) else []:
        if isinstance(item, dict) and item.get("type") == "message" and item.get("role") == "assistant":
            content = item.get("content")
            if isinstance(content, str):
                parts.append(content)
            for part in content if isinstance(content, list) else []:
                if isinstance(part, dict) and part.get("type") == "output_text" and isinstance(part.get("text"), str):
                    parts.append(part["text"])
    return "".join(parts)
