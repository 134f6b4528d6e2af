"""The contract of a sandbox, with all attacks, in every mode that this user can have.

Other users' modes are in `test_other_users.py`.
"""

from pathlib import Path

from assay.sandbox import Limits
from assay.sandbox.local.conformance import LocalConformance

PROGRAMS = Path(__file__).parents[1] / "data" / "sandbox"


class TestModeA(LocalConformance):
    programs = PROGRAMS
    mode = "A"
    attack_limits = Limits(cpu_seconds=2, wall_seconds=3, memory_bytes=512 << 20, processes=64)


class TestModeB(LocalConformance):
    programs = PROGRAMS
    mode = "B"


class TestModeD(LocalConformance):
    programs = PROGRAMS
    mode = "D"
