"""Which processes the local sandboxes of this process have: for the soak and the tests, which look for leftovers."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path


def keepers() -> list[int]:
    """The outer processes of this process's slots."""
    return [pid for pid in _children()[os.getpid()] if "keeper.main(" in _command(pid)]


def strays(among: list[int] | None = None) -> list[str]:
    """Processes of programs that are alive between runs: below a keeper is its zygote, below that shall be nothing.

    Args:
        among: The keepers to look at; all of this process where None.
    """
    family = _children()
    return children_of([zygote for keeper in (keepers() if among is None else among) for zygote in family[keeper]])


def children_of(zygotes: list[int]) -> list[str]:
    """The processes just below these, as text: between runs a fork server has none."""
    family = _children()
    return [f"{pid}: {_command(pid)}" for zygote in zygotes for pid in family[zygote]]


def _children() -> dict[int, list[int]]:
    """All processes, by parent."""
    found: dict[int, list[int]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        found[int(fields[1])].append(int(path.parent.name))
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
