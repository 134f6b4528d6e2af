"""The package ``ray``, found late: importing assay never loads it."""

from __future__ import annotations

import importlib
from typing import Any

from ...errors import MissingExtra, SandboxUnavailable


def ray() -> Any:
    """The package.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error


def connected_ray() -> Any:
    """The package, in a process that belongs to a cluster.

    Raises:
        MissingExtra: It is not installed.
        SandboxUnavailable: This process is not connected.
    """
    package = ray()
    if not package.is_initialized():
        raise SandboxUnavailable(
            "this process is not connected to a Ray cluster; call ray.init(address='auto') first, or ray.init() for "
            "one of this machine alone"
        )
    return package
