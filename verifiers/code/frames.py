"""Reading what a process in a sandbox wrote to its private channel. It may be hostile, so nothing is believed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MAX_FRAME_BYTES = 8 << 20


def frames(channel: bytes, expected: int) -> Iterator[list[Any]]:
    """The lines of a channel that are JSON lists of at least two parts, or ``["loaded"]``.

    Args:
        channel: Its bytes.
        expected: How many lines an honest process writes at most, one greeting apart; more are not read.

    Yields:
        Lists whose first part is a text or an integer. What is too long, cut or no JSON is left out.
    """
    for line in channel.split(b"\n", expected + 1)[: expected + 1]:
        if len(line) > MAX_FRAME_BYTES:
            continue
        try:
            frame = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        if type(frame) is list and frame and type(frame[0]) in (str, int) and (len(frame) > 1 or frame == ["loaded"]):
            yield frame


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
