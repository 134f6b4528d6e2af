"""Control groups, versions 1 and 2: where a slot's may be made, and what is written into them."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

_NAME = "assay-{pid}-{index}"
_OWNER = re.compile(r"assay-(\d+)-\d+")


@dataclass(frozen=True)
class Place:
    """Where cgroups can be made.

    Attributes:
        version: 1 or 2.
        memory: The folder below which memory is limited.
        processes: The folder below which processes are limited; the same one in version 2.
        cpu: The folder below which CPU time is counted; the same one in version 2, "" where there is none.
    """

    version: int
    memory: str
    processes: str
    cpu: str = ""

    def folders(self, pid: int, index: int) -> list[str]:
        """The folders of one slot: that for memory first."""
        name = _NAME.format(pid=pid, index=index)
        parents = [self.memory, self.processes, *([self.cpu] if self.cpu else [])]
        return [f"{parent}/{name}" for parent in dict.fromkeys(parents)]

    def plan(self, pid: int, index: int, process_limit: int) -> dict[str, dict[str, str]]:
        """Folders to make for one slot, with the files to write in each."""
        files: dict[str, dict[str, str]] = {folder: {} for folder in self.folders(pid, index)}
        files[f"{self.processes}/{_NAME.format(pid=pid, index=index)}"]["pids.max"] = str(process_limit)
        return files

    def set_memory(self, folder: str, limit_bytes: int) -> None:
        """Limit the memory of the cgroup, swap included where it can be."""
        if self.version == 2:
            _write(f"{folder}/memory.max", limit_bytes)
            with contextlib.suppress(OSError):
                _write(f"{folder}/memory.swap.max", 0)
            return
        with contextlib.suppress(OSError):  # growing: the sum must be raised first; absent without swap accounting
            _write(f"{folder}/memory.memsw.limit_in_bytes", limit_bytes)
        _write(f"{folder}/memory.limit_in_bytes", limit_bytes)
        with contextlib.suppress(OSError):
            _write(f"{folder}/memory.memsw.limit_in_bytes", limit_bytes)

    def memory_used(self, folder: str) -> int:
        """Bytes charged to the cgroup now."""
        name = "memory.current" if self.version == 2 else "memory.usage_in_bytes"
        return int(Path(folder, name).read_text())


def sweep(place: Place) -> None:
    """Remove cgroups of sandboxes whose process is gone; one that still has processes stays."""
    for parent in {place.memory, place.processes, place.cpu} - {""}:
        for entry in os.scandir(parent):
            owner = _OWNER.fullmatch(entry.name)
            if owner and not os.path.exists(f"/proc/{owner[1]}"):
                with contextlib.suppress(OSError):
                    os.rmdir(entry.path)


def find(root: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup") -> Place | None:
    """A place where this process may make cgroups for memory and processes; seen by making one.

    Args:
        root: Where the hierarchies are mounted.
        own: The file that tells this process's cgroups.
    """
    try:
        lines = [line.split(":", 2) for line in Path(own).read_text().splitlines()]
    except OSError:
        return None
    paths = {controller: path for _, controllers, path in lines for controller in controllers.split(",")}
    if {"memory", "pids"} <= paths.keys():
        memory, processes = (_usable(f"{root}/{name}", paths[name], f) for name, f in _FIRST_FILES.items())
        if memory and processes:
            return Place(1, memory, processes, _usable(f"{root}/cpuacct", paths.get("cpuacct", "/"), _CPU) or "")
    if "" in paths:
        folder = _usable(root, paths[""], "memory.max", "pids.max")
        if folder:
            return Place(2, folder, folder, folder)
    return None


_FIRST_FILES = {"memory": "memory.limit_in_bytes", "pids": "pids.max"}
_CPU = "cpuacct.usage"


def _usable(mount: str, path: str, *files: str) -> str | None:
    """The nearest folder, from a process's own cgroup upwards, in which a new cgroup has ``files``."""
    parts = [part for part in path.split("/") if part and part != ".."]
    for length in range(len(parts), -1, -1):
        folder = "/".join([mount, *parts[:length]])
        trial = f"{folder}/assay-probe-{os.getpid()}"
        try:
            os.mkdir(trial)
        except OSError:
            continue
        try:
            if all(os.access(f"{trial}/{name}", os.W_OK) for name in files):
                return folder
        finally:
            with contextlib.suppress(OSError):
                os.rmdir(trial)
    return None


def _write(path: str, value: int) -> None:
    with open(path, "wb", 0) as file:
        file.write(str(value).encode())
