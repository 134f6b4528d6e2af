"""Sandboxes by name, and ``open_sandbox``."""

from __future__ import annotations

from typing import Any, cast

from ..registry import Registry
from .base import Sandbox

BACKENDS: Registry[Any] = Registry(
    "sandbox backend",
    {
        "docker": "assay.sandbox.docker:DockerSandbox",
        "local": "assay.sandbox.local:LocalSandbox",
        "ray": "assay.sandbox.ray:RaySandbox",
        "remote": "assay.sandbox.remote:RemoteSandbox",
    },
    group="assay.sandboxes",
)


def open_sandbox(name: str = "auto", **options: Any) -> Sandbox:
    r"""A sandbox, ready to run programs; use it as a context manager, or ``close`` it.

    Args:
        name: "local", the name of another backend, or "auto": the local one.
        **options: What the backend takes; see its class.

    Raises:
        UnknownName: There is no such backend.
        SandboxUnavailable: It cannot isolate programs here.

    >>> from assay.sandbox import Program
    >>> with open_sandbox() as sandbox:
    ...     [execution] = sandbox.run([Program("print(6 * 7)")])
    >>> execution.stdout
    b'42\n'
    """
    backend = BACKENDS.get("local" if name == "auto" else name)
    return cast(Sandbox, backend(**options))
