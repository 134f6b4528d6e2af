"""The contract of a sandbox, with all attacks, in every mode that root can have here."""

from pathlib import Path
from typing import ClassVar

import pytest

from assay.sandbox import Limits, Sandbox, open_sandbox
from assay.sandbox.conformance import SandboxConformance
from assay.sandbox.local.census import strays
from assay.sandbox.local.machine import machine

PROGRAMS = Path(__file__).parents[1] / "data" / "sandbox"


class Local(SandboxConformance):
    """One mode of the local sandbox."""

    programs = PROGRAMS
    mode: ClassVar[str]

    def open(self) -> Sandbox:
        if self.mode not in machine().modes:
            pytest.skip(f"mode {self.mode} is not to be had here; this machine and user have {machine().modes}")
        return open_sandbox("local", slots=1, mode=self.mode)

    def survivors(self) -> list[str]:
        return strays()


class TestModeA(Local):
    mode = "A"


class TestModeBAsRoot(Local):
    mode = "B"
    attack_limits = Limits(cpu_seconds=1, wall_seconds=1.5, processes=64)
