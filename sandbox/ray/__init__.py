"""Programs, and whatever else comes in batches, on the nodes of a Ray cluster; see ``docs/guide/scaling.md``."""

from .sandbox import RaySandbox

__all__ = ["RaySandbox"]
