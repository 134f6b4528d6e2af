"""What no backend can run is refused before anything starts; and the wall limit that a request comes to."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import InputError
from .base import PROFILES, Limits, Program

_LONGEST_PART, _LONGEST_NAME = 255, 1024  # bytes; Linux takes names of 255, and paths of 4096 from the root on
_LEAST = {"memory_bytes": 16 << 20, "open_files": 16, "stack_bytes": 256 << 10}


def check_request(programs: Sequence[Program], limits: Limits) -> None:
    """Refuse a batch that cannot be run as it is, before any of it runs.

    Raises:
        InputError: There is no list of programs, no ``Limits``, or something in one of them is not what it should be.
    """
    if not isinstance(limits, Limits):
        raise InputError(f"limits is {limits!r:.80}; expected Limits(cpu_seconds=5, ...)")
    _check_limits(limits)
    if isinstance(programs, str | bytes) or not isinstance(programs, Sequence):
        raise InputError(f"programs is {programs!r:.80}; expected a list, as [Program(source)]")
    for program in programs:
        if not isinstance(program, Program):
            raise InputError(f"a program is {program!r:.80}; expected Program(source, ...)")
        _check_program(program)


def _check_program(program: Program) -> None:
    """Refuse what no run can do.

    Raises:
        InputError: The source is no text, or input or a file no bytes; a file name is not relative and plain, or none
            that a file system takes; an argument holds a zero byte; or the profile is unknown.
    """
    if not isinstance(program.source, str):
        raise InputError(f"the source is {program.source!r:.80}; expected text")
    for name, content in [("stdin", program.stdin), *program.files.items()]:
        if not isinstance(content, bytes):
            raise InputError(f"{name} is {content!r:.80}; expected bytes")
    for name in [*program.files, *program.collect]:
        parts = name.split("/")
        if not name or "\0" in name or any(part in ("", ".", "..") for part in parts):
            raise InputError(f"file name {name!r} is not relative and plain; expected one like 'data/input.txt'")
        sizes = [len(part.encode("utf-8", "surrogatepass")) for part in parts]
        if max(sizes) > _LONGEST_PART or sum(sizes) + len(sizes) > _LONGEST_NAME:
            raise InputError(
                f"file name {name[:60]!r}... is too long; expected at most {_LONGEST_PART} bytes between slashes and "
                f"{_LONGEST_NAME} in all"
            )
    for name in program.files:
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(f"file name {name!r} is not Unicode; expected one like 'data/input.txt'")
        above = next((folder for folder in _folders(name) if folder in program.files), None)
        if above is not None:
            raise InputError(f"file name {name!r} makes a folder of {above!r}, which is a file as well; rename one")
    for argument in program.arguments:
        if "\0" in argument:
            raise InputError(f"argument {argument!r} holds a zero byte, which no command line can")
    if program.profile not in ("auto", *PROFILES):
        raise InputError(f"profile is {program.profile!r}; expected 'auto' or one of {', '.join(PROFILES)}")


def _folders(name: str) -> list[str]:
    """The folders that a file lies in, as names: "a" and "a/b" of "a/b/c"."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _check_limits(limits: Limits) -> None:
    """Refuse limits that allow nothing.

    Raises:
        InputError: A limit is not positive and finite, or too small for any program.
    """
    for name in limits.__dataclass_fields__:
        value = getattr(limits, name)
        if value is None and name == "wall_seconds":
            continue
        if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
            raise InputError(f"limit {name} is {value!r}; expected a positive number")
        if value < _LEAST.get(name, 0):
            raise InputError(f"limit {name} is {value!r}; no program can start with less than {_LEAST[name]}")


def wall_limit(limits: Limits) -> float:
    """The wall seconds in force."""
    return 2 * limits.cpu_seconds + 1 if limits.wall_seconds is None else limits.wall_seconds
