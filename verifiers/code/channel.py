"""Reading what a process in a sandbox wrote to its private channel. It may be hostile, so nothing is believed."""

from __future__ import annotations

import json
import re
from typing import Any

from .codec import MAX_LINE, MAX_NODES, NotComparable, TooLarge

MAX_REPORT = 100_000  # bytes of a line that brings no value
_LONGEST_INTEGER = 20  # characters
_VALUE = re.compile(rb'\[(\d{1,9}),"ok",')


class Forged(Exception):
    """Something wrote to the channel that is not the process that may."""


def read_channel(channel: bytes, token: str, expected: int) -> list[list[Any]]:
    """The lines of a channel, in order; a last line that was cut is left out.

    Args:
        channel: Its bytes.
        token: What every line starts with.
        expected: How many lines an honest process writes at most.

    Returns:
        JSON lists whose first part is a text or an integer; no integer comes twice. In ``[number, "ok", value]`` the
        value is left as it came, for ``read_form``: parsed, it takes ten times the memory.

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


def read_form(text: bytes) -> Any:
    """The form of a value that a channel brought.

    Raises:
        NotComparable: It is no JSON, or too large.
    """
    if text[:1] == b"[" and text.count(b"[") > MAX_NODES:
        raise TooLarge("the value is too large or nested too deeply")
    try:
        return json.loads(text, parse_constant=_refuse, parse_int=_integer)
    except (ValueError, RecursionError):
        raise NotComparable("malformed value") from None


def _frame(line: bytes, token: bytes) -> list[Any]:
    frame: Any = None
    value = _VALUE.match(line, len(token))
    if line.startswith(token) and value and line.endswith(b"]") and len(line) <= MAX_LINE + 1000:
        return [int(value[1]), "ok", line[value.end() : -1]]
    if line.startswith(token) and len(line) <= MAX_REPORT:
        try:
            frame = json.loads(line[len(token) :], parse_constant=_refuse, parse_int=_integer)
        except (ValueError, RecursionError):
            frame = None
    if type(frame) is list and frame and type(frame[0]) in (str, int):
        return frame
    raise Forged("the program wrote to the channel of the judge")


def _integer(text: str) -> int:
    """An integer as ``encode`` writes them; for longer ones Python takes the square of their length."""
    if len(text) > _LONGEST_INTEGER:
        raise ValueError("larger integers come as hexadecimal text")
    return int(text)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
