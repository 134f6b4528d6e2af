"""Bounds of the settings that samplers share."""

from __future__ import annotations

from ...errors import InputError


def check_settings(*, temperature: float, top_p: float, max_new_tokens: int, batch_size: int) -> None:
    """Refuse what no sampler can follow.

    Raises:
        InputError: A setting is out of range; the message names it.
    """
    if not 0.0 <= temperature < float("inf"):
        raise InputError(f"the temperature is {temperature!r}; expected 0 (greedy) or more")
    if not 0.0 < top_p <= 1.0:
        raise InputError(f"top_p is {top_p!r}; expected a share in (0, 1]")
    for name, value in {"max_new_tokens": max_new_tokens, "batch_size": batch_size}.items():
        if value < 1:
            raise InputError(f"{name} is {value}; expected at least 1")
