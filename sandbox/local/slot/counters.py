"""What the kernel counts."""

from __future__ import annotations


def memory_kills(cgroups: list[str]) -> int:
    """How many processes the kernel has killed in these cgroups for want of memory (versions 1 and 2)."""
    for folder in cgroups:
        for name in ("memory.oom_control", "memory.events"):
            try:
                with open(f"{folder}/{name}") as file:
                    for line in file:
                        key, _, value = line.partition(" ")
                        if key == "oom_kill":
                            return int(value)
            except OSError:
                continue
    return 0


def machine_kills() -> int:
    """How many processes the kernel has killed on this machine for want of memory."""
    try:
        with open("/proc/vmstat") as file:
            for line in file:
                key, _, value = line.partition(" ")
                if key == "oom_kill":
                    return int(value)
    except OSError:
        pass
    return 0
