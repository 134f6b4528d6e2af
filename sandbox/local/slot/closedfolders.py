"""Folders of the interpreter that other users cannot enter, as in root's home: they are reached by descriptors.

In mode C programs run under an identity of their own on the host's tree, where a Python in ``/root`` could import
nothing that was not loaded before. The fork server, which is root, opens such folders once; programs keep these
descriptors, look for modules by way of ``/proc/self/fd``, and start further interpreters by way of their own. Landlock
holds as before: its rules are on folders, whatever path leads there.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import NamedTuple

FIRST = 200  # descriptors from here on; a slot has 256 at the least


class Ways(NamedTuple):
    """How many descriptors from ``FIRST`` on a program is to keep; where the interpreter lies, behind ``/proc/PID``."""

    descriptors: int = 0
    interpreter: str = ""

    def point_at_the_interpreter(self) -> None:
        """Say to the program where it finds the interpreter: by its own number, since descriptors end with an exec."""
        if self.interpreter:
            sys.executable = f"/proc/{os.getpid()}{self.interpreter}"


def reach(folders: list[str]) -> Ways:
    """Open those folders that are closed to others, and look for modules in them by way of the descriptors."""
    ways: dict[str, str] = {}
    for folder in folders:
        if os.path.isdir(folder) and _is_closed(folder):
            number = FIRST + len(ways)
            opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            os.dup2(opened, number, inheritable=False)
            os.close(opened)
            ways[os.path.realpath(folder)] = f"/proc/self/fd/{number}"
    if not ways:
        return Ways()
    lists = [getattr(module, "__path__", None) for module in list(sys.modules.values())]
    for paths in [sys.path, *(found for found in lists if isinstance(found, list))]:
        paths[:] = [_by(ways, path) for path in paths]
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
    interpreter = _by(ways, sys.executable)
    return Ways(len(ways), interpreter.removeprefix("/proc/self") if interpreter != sys.executable else "")


def _is_closed(folder: str) -> bool:
    path = os.path.realpath(folder)
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            return True
        path = os.path.dirname(path)
    return False


def _by(ways: dict[str, str], path: str) -> str:
    real = os.path.realpath(path)
    for folder, way in ways.items():
        if real == folder or real.startswith(f"{folder}/"):
            return way + real[len(folder) :]
    return path
