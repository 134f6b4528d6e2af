"""The scratch of a slot without mounts: a folder on the host, whose parts are swapped, never walked, here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from .filesystem import FOLDERS, look_of

RUN, TRASH = "run", "trash"


def make(folder: str, owner: int | None) -> None:
    """Lay out ``folder``: ``run``, which programs see, and ``trash``, which they do not; ``owner`` gets the parts."""
    for name in (RUN, TRASH):
        os.mkdir(f"{folder}/{name}", 0o711)
        os.chmod(f"{folder}/{name}", 0o711 if name == RUN else 0o700)
    for name in FOLDERS:
        _make_part(f"{folder}/{RUN}/{name}", owner)


def _make_part(path: str, owner: int | None) -> None:
    os.mkdir(path, 0o700)
    os.chmod(path, 0o700)
    if owner is not None:
        os.chown(path, owner, owner)


class HostScratch:
    """Swaps the parts that a run changed for new ones, and tells the keeper, which deletes the old ones at leisure.

    Args:
        folder: Laid out by ``make``.
        owner: The user the parts belong to; None for the caller.
        tell: Called when there is something to delete.
    """

    def __init__(self, folder: str, owner: int | None, tell: Callable[[], object]) -> None:
        self._folder = folder
        self._owner = owner
        self._tell = tell
        self._clean = self._state()

    def _state(self) -> list[tuple[object, ...]]:
        return [look_of(f"{self._folder}/{RUN}/{name}") for name in FOLDERS]

    def prepare(self, size_bytes: int, inodes: int) -> bool:
        """Have empty parts; whether there are new ones. Their size is the file system's, whatever is asked for."""
        state = self._state()
        if state == self._clean:
            return False
        for name, now, before in zip(FOLDERS, state, self._clean, strict=True):
            if now != before:
                path = f"{self._folder}/{RUN}/{name}"
                os.rename(path, f"{self._folder}/{TRASH}/{name}-{time.monotonic_ns()}")
                _make_part(path, self._owner)
        self._clean = self._state()
        self._tell()
        return True

    def inspect(self) -> bool:
        """Whether the host's file system is full."""
        state = os.statvfs(f"{self._folder}/{RUN}")
        return state.f_bavail == 0 or (state.f_files > 0 and state.f_favail == 0)
