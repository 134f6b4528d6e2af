"""What the kernel counts."""

from __future__ import annotations


def memory_kills(cgroups: list[str]) -> int:
    """How many processes the kernel has killed in these cgroups for want of memory (versions 1 and 2)."""
    files = (f"{folder}/{name}" for folder in cgroups for name in ("memory.oom_control", "memory.events"))
    return next((count for file in files if (count := _kills(file)) is not None), 0)


def machine_kills() -> int:
    """How many processes the kernel has killed on this machine for want of memory."""
    return _kills("/proc/vmstat") or 0


def _kills(path: str) -> int | None:
    """The number beside "oom_kill" in a file of the kernel; None where there is none."""
    try:
        with open(path) as file:
            for line in file:
                key, _, value = line.partition(" ")
                if key == "oom_kill":
                    return int(value)
    except OSError:
        pass
    return None
