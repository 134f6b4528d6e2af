"""Settings that samplers share: their bounds, and what stands for a chat template."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from ...bounds import at_least, share
from ...errors import InputError


def check_settings(*, temperature: float, top_p: float, max_new_tokens: int, batch_size: int) -> None:
    """Refuse what no sampler can follow.

    Raises:
        InputError: A setting is out of range; the message names it.
    """
    if not 0.0 <= temperature < float("inf"):
        raise InputError(f"the temperature is {temperature!r}; expected 0 (greedy) or more")
    share(top_p=top_p)
    at_least(1, max_new_tokens=max_new_tokens, batch_size=batch_size)


def template_digest(tokenizer: Any) -> str | None:
    """Sixteen hexadecimal digits that change when a tokenizer's chat template does; None where it has none."""
    template = getattr(tokenizer, "chat_template", None)
    return sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:16] if template else None
