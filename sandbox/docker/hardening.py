"""What a container is allowed: the flags of every container of the pool, in one place."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ..base import Limits
from ..local.slot.container import CONTROL
from ..local.toolchains import HEADERS
from .engine import Facts
from .seccomp import profile

SLOT = "/assay/slot"
_OWN_PROCESSES = 8  # the fork server, the one that empties the scratch, and a margin
_LEAST_PROCESSES = 64
_LEAST_FILES = 256  # the fork server's own descriptors lie from 100 on
_CPUS = 1_000_000_000  # one processor, in billionths
_HEADERS_SIZE = "rw,nosuid,nodev,exec,size=400m,nr_inodes=64,mode=0755"
# What the engine masks by itself, what tells of the host besides, and what of an image no program needs.
_MASKED = """
/proc/acpi /proc/asound /proc/cmdline /proc/config.gz /proc/diskstats /proc/interrupts /proc/iomem /proc/ioports
/proc/kallsyms /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/kpagecgroup /proc/kpagecount /proc/kpageflags
/proc/latency_stats /proc/locks /proc/modules /proc/partitions /proc/sched_debug /proc/schedstat /proc/scsi
/proc/slabinfo /proc/sysrq-trigger /proc/timer_list /proc/timer_stats /proc/vmallocinfo
/sys/block /sys/bus /sys/class /sys/dev /sys/devices /sys/firmware /sys/hypervisor /sys/kernel /sys/module /sys/power
/sys/fs/bcachefs /sys/fs/bpf /sys/fs/btrfs /sys/fs/erofs /sys/fs/ext4 /sys/fs/f2fs /sys/fs/fuse /sys/fs/gfs2 /sys/fs/nfs
/sys/fs/nilfs2 /sys/fs/ocfs2 /sys/fs/orangefs /sys/fs/pstore /sys/fs/resctrl /sys/fs/selinux /sys/fs/smackfs
/sys/fs/tmpfs /sys/fs/virtiofs /sys/fs/xfs /sys/fs/zonefs
/boot /home /media /mnt /root /run /srv /var/lib /var/log
"""
# What the fork server itself holds, with what it has loaded; for C++ the precompiled header lies in memory too.
_OWN_BYTES = {"light": 48 << 20, "numpy": 96 << 20, "sci": 192 << 20, "c++": 640 << 20}


@dataclass(frozen=True)
class Kind:
    """What containers differ in: a program needs one of its kind. The limit on memory can be set anew at any time.

    Attributes:
        profile: "light", "numpy", "sci" or "c++".
        scratch_bytes: Size of /tmp, in which the working folder lies, and of /dev/shm.
        scratch_inodes: Files and folders in each.
        processes: Processes and threads of all programs together, an outer bound: a run's own limit is exact.
        open_files: Descriptors of a process, likewise.
    """

    profile: str
    scratch_bytes: int
    scratch_inodes: int
    processes: int
    open_files: int

    @classmethod
    def of(cls, profile: str, limits: Limits) -> Kind:
        """The kind that suits a profile and limits."""
        processes, files = max(limits.processes, _LEAST_PROCESSES), max(limits.open_files, _LEAST_FILES)
        return cls(profile, limits.scratch_bytes, limits.scratch_inodes, _rounded(processes), _rounded(files))


def _rounded(count: int) -> int:
    """The next power of two, so that few kinds serve all limits."""
    return 1 << (count - 1).bit_length()


def memory_limit(kind: Kind, memory_bytes: int) -> dict[str, int]:
    """The limit for a container of a kind whose program may use ``memory_bytes``; no swap on top."""
    limit = memory_bytes + _OWN_BYTES[kind.profile]
    return {"mem_limit": limit, "memswap_limit": limit}


@functools.cache
def _seccomp() -> str:
    return profile()


def host_config(
    client: Any, kind: Kind, memory_bytes: int, *, control: str, slot_folder: str, runtime: str, facts: Facts
) -> dict[str, Any]:
    """The host's part of a container's configuration.

    Args:
        client: A ``docker.APIClient``.
        kind: What it must offer.
        memory_bytes: Of the program.
        control: The socket on the host that the fork server connects to.
        slot_folder: Our fork server's code on the host.
        runtime: Its name; "" for the engine's default.
        facts: What the engine can limit.
    """
    from docker.types import LogConfig, Mount, Ulimit

    scratch = f"rw,nosuid,nodev,exec,size={kind.scratch_bytes},nr_inodes={kind.scratch_inodes + 2},mode=1777"
    tmpfs = {"/tmp": scratch, "/dev/shm": scratch}  # noqa: S108 - the container's own
    if kind.profile == "c++":
        tmpfs[HEADERS] = _HEADERS_SIZE
    found: dict[str, Any] = client.create_host_config(
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        cap_add=["SETUID", "SETGID", "KILL"],
        security_opt=["no-new-privileges", f"seccomp={_seccomp()}"],
        ipc_mode="private",
        cgroupns="private",
        shm_size=kind.scratch_bytes,
        tmpfs=tmpfs,
        ulimits=[
            Ulimit(name="core", soft=1, hard=1),
            Ulimit(name="nofile", soft=kind.open_files, hard=kind.open_files),
        ],
        log_config=LogConfig(type="none"),
        init=False,
        mounts=[
            Mount(target=SLOT, source=slot_folder, type="bind", read_only=True),
            Mount(target=CONTROL, source=control, type="bind", read_only=True),
        ],
        **({"runtime": runtime} if runtime else {}),
        **_limits(kind, memory_bytes, facts),
    )
    found["MaskedPaths"] = _MASKED.split()
    return found


def _limits(kind: Kind, memory_bytes: int, facts: Facts) -> dict[str, int]:
    """Of memory, processes and processors those that the engine can limit."""
    limits = {} if _lacks(facts, "memory") else memory_limit(kind, memory_bytes)
    if not _lacks(facts, "processes"):
        limits["pids_limit"] = kind.processes + _OWN_PROCESSES
    if not _lacks(facts, "processors"):
        limits["nano_cpus"] = _CPUS
    return limits


def _lacks(facts: Facts, what: str) -> bool:
    return any(text.endswith(what) for text in facts.unsupported)
