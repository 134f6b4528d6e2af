"""What a slot leaves on the host where its keeper could not clean up, because somebody killed it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time

from .slot.protocol import Config


class Remains:
    """The cgroups, the scratch folder and, in mode C, the processes of one slot.

    Args:
        config: What the slot was started with.
    """

    def __init__(self, config: Config) -> None:
        self._cgroups = list(config["cgroups"])
        self._scratch = config["scratch"]
        self._identity = config["identity"] if config["mode"] == "C" else None

    def remove(self) -> None:
        """Remove them; never raises."""
        if self._identity is not None:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(
                    ["/bin/sh", "-c", "kill -9 -1"],
                    user=self._identity,
                    group=self._identity,
                    extra_groups=[],
                    stdin=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=10,
                )
        for folder in self._cgroups:
            remove_cgroup(folder)
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)


def remove_cgroup(folder: str) -> None:
    """Remove a cgroup; waits a little for the kernel to take its last process apart."""
    for _ in range(100):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
