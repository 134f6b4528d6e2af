"""What a policy wrote, out of the shapes in which trainers hand it over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_OPEN, _CLOSE = "<think>", "</think>"


def completion_text(completion: Any, prompt: Any = None, prefill: str = "") -> str:
    """The text of one completion: itself, or its last assistant message.

    Args:
        completion: Text, or messages with ``role`` and ``content`` (text, or blocks of which the text ones count). A
            message's ``reasoning_content`` comes back in front of its content between ``<think>`` tags; the closing tag
            is left out where no content follows, since then the reasoning never ended.
        prompt: The prompt. Where it visibly ends with ``<think>``, the completion continues that tag, which is put
            before it.
        prefill: What the chat template already wrote of the answer, unseen in the prompt's messages; put before a
            completion that does not begin with it.

    Returns:
        The text; empty where there is no assistant message.
    """
    text = completion if isinstance(completion, str) else _last_assistant(completion)
    start = prefill or (_OPEN if _ends_with_open_tag(prompt) else "")
    return text if not start or text.lstrip().startswith(start.strip()) else start + text


def prefill_of(tokenizer: Any) -> str:
    """What a chat template writes at the head of every answer: ``<think>`` with its white space, or nothing.

    Args:
        tokenizer: A tokenizer with a chat template; any other gives the empty text.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return ""
    message = [{"role": "user", "content": "?"}]
    rendered = str(tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True))
    return rendered[rendered.rindex(_OPEN) :] if rendered.rstrip().endswith(_OPEN) else ""


def _last_assistant(messages: Sequence[Mapping[str, Any]]) -> str:
    message = next((m for m in reversed(messages) if m.get("role") == "assistant"), None)
    if message is None:
        return ""
    content = _content(message)
    reasoning = message.get("reasoning_content")
    if not reasoning:
        return content
    return f"{_OPEN}{reasoning}{_CLOSE}{content}" if content else f"{_OPEN}{reasoning}"


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content if block.get("type") == "text")


def _ends_with_open_tag(prompt: Any) -> bool:
    if isinstance(prompt, str):
        return prompt.rstrip().endswith(_OPEN)
    return bool(prompt) and prompt[-1].get("role") == "assistant" and _content(prompt[-1]).rstrip().endswith(_OPEN)
