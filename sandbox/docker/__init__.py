"""Programs in hardened containers of a Docker engine, each with a warm fork server; see ``docs/guide/sandbox.md``."""

from .sandbox import DockerSandbox

__all__ = ["DockerSandbox"]
