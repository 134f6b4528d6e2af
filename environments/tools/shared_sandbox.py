"""``SharedSandbox``: one sandbox for all episodes of a process, opened when first used and closed with its owner."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from ...sandbox.base import Sandbox


class SharedSandbox:
    """Opens a sandbox at its first use, in each process its own; every run in it is isolated from every other.

    It is closed when nobody holds it any more, and at the interpreter's exit.

    Args:
        backend: A backend's name, or an open sandbox, which stays the caller's to close and is not pickled: a copy
            opens "auto".
    """

    def __init__(self, backend: Sandbox | str | None = None) -> None:
        self._backend = backend if isinstance(backend, str) else "auto"
        self._given = None if isinstance(backend, str) else backend
        self._opened: Sandbox | None = None
        self._lock = threading.Lock()

    def get(self) -> Sandbox:
        """The sandbox, opened if need be.

        Raises:
            SandboxUnavailable: This machine cannot isolate programs.
        """
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                from ...sandbox import open_sandbox  # here, so that importing the environments stays light

                self._opened = open_sandbox(self._backend)
                weakref.finalize(self, self._opened.close)
            return self._opened

    def __getstate__(self) -> dict[str, Any]:
        return {"_backend": self._backend}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_backend"])  # type: ignore[misc]  # a copy begins anew
