# ruff: noqa: D102 - inherited
"""The contract for one mode of the local sandbox, with the honest programs that a mode is known not to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pytest

from ..base import Limits, Sandbox
from ..conformance import SandboxConformance
from .census import strays
from .machine import machine
from .sandbox import LocalSandbox

_FILES = "without a folder on a small tmpfs, programs write no files in this mode"
_PROCESSES = "this mode allows no processes beside the first"
WRITES_FILES = (
    "p09_multiprocessing", "p10_tempfiles", "q02_process_pool", "q06_sqlite_and_gzip", "q09_spawn_and_own_file",
    "q11_locks_and_children",
)  # fmt: skip
STARTS_PROCESSES = (
    "p09_multiprocessing", "p16_subprocess", "q01_asyncio", "q02_process_pool", "q07_pipes_and_fork",
    "q09_spawn_and_own_file", "q10_dev_stdout", "q11_locks_and_children",
)  # fmt: skip
NOT_COVERED: Mapping[str, Mapping[str, str]] = {
    "A": {},
    "B": {},
    "C": dict.fromkeys(WRITES_FILES, _FILES),
    "D": dict.fromkeys(WRITES_FILES, _FILES) | dict.fromkeys(STARTS_PROCESSES, _PROCESSES),
}


class LocalConformance(SandboxConformance):
    """Inherit it with ``programs`` and ``mode``; where the machine cannot do the mode, its tests are skipped.

    Attributes:
        mode: A letter from A to D.
    """

    mode: ClassVar[str]
    attack_limits: ClassVar[Limits] = Limits(cpu_seconds=1, wall_seconds=1.5, processes=64)

    def __init_subclass__(cls) -> None:
        cls.uncovered = NOT_COVERED[cls.mode]

    def open(self) -> Sandbox:
        if self.mode not in machine().modes:
            pytest.skip(f"mode {self.mode} is not to be had: this machine and user have {', '.join(machine().modes)}")
        return LocalSandbox(slots=1, mode=self.mode)

    def survivors(self) -> list[str]:
        return strays()
