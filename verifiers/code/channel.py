"""Reading what a process in a sandbox wrote to its private channel. It may be hostile, so nothing is believed."""

from __future__ import annotations

import json
from typing import Any

from .codec import MAX_LINE


class Forged(Exception):
    """Something wrote to the channel that is not the process that may."""


def read_channel(channel: bytes, token: str, expected: int) -> list[list[Any]]:
    """The lines of a channel, in order; a last line that was cut is left out.

    Args:
        channel: Its bytes.
        token: What every line starts with.
        expected: How many lines an honest process writes at most.

    Returns:
        JSON lists whose first part is a text or an integer; no integer comes twice.

    Raises:
        Forged: A line lacks the token, is no such list, is too long, or comes twice; or there are too many.
    """
    *lines, cut = channel.split(b"\n", expected + 1)
    if len(lines) > expected or not token.encode().startswith(cut[: len(token)]):
        raise Forged("the program wrote to the channel of the judge")
    found = [_frame(line, token.encode()) for line in lines]
    numbers = [frame[0] for frame in found if type(frame[0]) is int]
    if len(set(numbers)) < len(numbers):
        raise Forged("the program answered a call twice")
    return found


def _frame(line: bytes, token: bytes) -> list[Any]:
    frame: Any = None
    if line.startswith(token) and len(line) <= MAX_LINE + 1000:
        try:
            frame = json.loads(line[len(token) :], parse_constant=_refuse)
        except (ValueError, RecursionError):
            frame = None
    if type(frame) is list and frame and type(frame[0]) in (str, int):
        return frame
    raise Forged("the program wrote to the channel of the judge")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
