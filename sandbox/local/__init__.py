"""The embedded sandbox: warm, isolated workers on this machine; no daemon, no container, no root needed."""

from .sandbox import LocalSandbox

__all__ = ["LocalSandbox"]
