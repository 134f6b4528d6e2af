# ruff: noqa: D102 - inherited
"""The contract for the Docker sandbox, and whether there is an engine to test it on. Needs pytest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

import pytest

from ...errors import MissingExtra, SandboxUnavailable
from ..base import Limits, Sandbox
from ..conformance import SandboxConformance
from ..local.census import children_of
from .engine import Engine
from .images import IMAGE, check_image
from .sandbox import DockerSandbox

REQUIRED = "ASSAY_REQUIRE_DOCKER"


def need_engine(image: str = IMAGE) -> None:
    """Skip the present test where no daemon answers or its image is missing; fail where REQUIRED is set."""
    try:
        check_image(Engine(), image)
    except (MissingExtra, SandboxUnavailable) as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(str(error))


class DockerConformance(SandboxConformance):
    """Inherit it with ``programs``; without an engine and its image the tests are skipped."""

    attack_limits: ClassVar[Limits] = Limits(cpu_seconds=1, wall_seconds=1.5, processes=64)
    uncovered: ClassVar[Mapping[str, str]] = {
        "a29_times_of_devices": "a container's devices are its own, but serve many programs, which may write to them"
    }
    _opened: ClassVar[list[DockerSandbox]] = []

    def open(self) -> Sandbox:
        need_engine()
        sandbox = DockerSandbox(slots=1)
        self._opened.append(sandbox)
        return sandbox

    def survivors(self) -> list[str]:
        return children_of([slot.zygote for sandbox in self._opened for slot in sandbox._pool.idle()])
