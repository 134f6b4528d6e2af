"""What this machine offers: the probe's answer, and the mode that follows from it."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError, SandboxUnavailable
from . import cgroups

MODES = {
    "A": "namespaces, seccomp and a cgroup, started by root",
    "B": "namespaces and seccomp, no cgroup",
    "C": "Landlock and seccomp with a user id for each slot, started by root",
    "D": "Landlock and seccomp, one process for each run",
    "E": "nothing",
}
_PROBE = "import sys; sys.path.insert(0, {folder!r}); from slot import probe; probe.main()"
SLOT_FOLDER = str(Path(__file__).parent)


@dataclass(frozen=True)
class Machine:
    """What the probe found.

    Attributes:
        findings: By mechanism: True or a version where it works, else the reason as text.
        cgroup: Where cgroups can be made; None where they cannot.
    """

    findings: dict[str, Any]
    cgroup: cgroups.Place | None

    def works(self, mechanism: str) -> bool:
        """Whether a mechanism was seen working."""
        return not isinstance(self.findings.get(mechanism, ""), str)

    @property
    def modes(self) -> list[str]:
        """The modes that this machine can do, strongest first; ["E"] where it can do none."""
        seccomp, landlock = self.works("seccomp"), self.works("landlock")
        root, namespaces = bool(self.findings["root"]), self.works("root_namespaces") or self.works("user_namespaces")
        found = [
            letter
            for letter, possible in (
                ("A", seccomp and self.works("root_namespaces") and self.cgroup is not None),
                ("B", seccomp and namespaces),
                ("C", seccomp and landlock and root and self.works("change_identity")),
                ("D", seccomp and landlock and not root),
            )
            if possible
        ]
        return found or ["E"]

    def enforced(self, mode: str) -> tuple[str, ...]:
        """What keeps a program in, by mode."""
        landlock = ("landlock",) if self.works("landlock") else ()
        return {
            "A": ("namespaces", "own root", "seccomp", *landlock, "memory and process cgroup", "rlimits", "user ids"),
            "B": ("namespaces", "own root", "seccomp", *landlock, "rlimits"),
            "C": ("seccomp", "landlock", "rlimits", "user id of the slot"),
            "D": ("seccomp", "landlock", "rlimits", "no fork"),
            "E": (),
        }[mode]

    def missing(self, mode: str, *, writable: bool = True) -> tuple[str, ...]:
        """What this machine cannot enforce in this mode."""
        gaps = [] if self.works("landlock") or mode == "E" else ["landlock (kernel 5.13 and lsm=landlock)"]
        if mode == "B":
            gaps.append("a limit on the memory of all processes of a run together (needs root and a cgroup)")
        if mode in "CD":
            gaps += ["namespaces", "a limit on the memory of all processes of a run together"]
            gaps.append(
                "a limit on disk space: the scratch folder's file system" if writable else "files: none may be written"
            )
        if mode == "D":
            gaps.append("processes: a program cannot start any")
        if mode == "E":
            gaps.append("everything")
        return tuple(gaps)


@functools.lru_cache(maxsize=4)
def _probe(_user: int) -> Machine:
    if not sys.platform.startswith("linux"):
        return Machine({"root": False, "system": f"{sys.platform} is not Linux"}, None)
    command = [interpreter(), *FLAGS, "-c", _PROBE.format(folder=SLOT_FOLDER)]
    try:
        text = subprocess.run(  # noqa: S603 - our own interpreter and our own words
            command, capture_output=True, timeout=60, check=True, stdin=subprocess.DEVNULL, env=library_path()
        ).stdout
        findings: dict[str, Any] = json.loads(text)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        findings = {"root": os.getuid() == 0, "probe": f"the probe itself failed: {error}"}
    place = cgroups.find() if findings.get("root_namespaces") is True else None
    if place is not None:
        cgroups.sweep(place)
    return Machine(findings, place)


def machine() -> Machine:
    """What this machine offers to the present user; each mechanism is tried once in a process's life."""
    return _probe(os.geteuid())


FLAGS = ("-s", "-S", "-P", "-B")  # no user site, no site at all, no working folder on the path, no bytecode


def interpreter() -> str:
    """The interpreter that programs run under: this one, without its virtual environment."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def library_path() -> dict[str, str]:
    """The part of LD_LIBRARY_PATH that lies with the interpreter, which some builds of Python cannot start without."""
    parts = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    own = os.pathsep.join(part for part in parts if part.startswith(f"{sys.base_prefix}/"))
    return {"LD_LIBRARY_PATH": own} if own else {}


def choose(mode: str, *, unsafe_allow_unisolated: bool = False) -> str:
    """The mode to use for "auto" or a letter; "E" only where running without isolation is allowed.

    Raises:
        InputError: There is no such mode.
        SandboxUnavailable: This machine cannot do it.
    """
    if mode != "auto" and mode not in MODES:
        raise InputError(f"sandbox mode is {mode!r}; expected 'auto' or one of {', '.join(MODES)}")
    here = machine()
    if mode == "auto" and here.modes[0] != "E":
        return here.modes[0]
    if mode in here.modes and mode != "E":
        return mode
    if unsafe_allow_unisolated and mode in ("auto", "E"):
        return "E"
    wanted = "programs" if mode == "auto" else f"programs in mode {mode} ({MODES[mode]})"
    reasons = "; ".join(f"{name}: {why}" for name, why in here.findings.items() if isinstance(why, str))
    raise SandboxUnavailable(
        f"this machine cannot isolate {wanted}. Not available: {reasons or 'what it needs'}. One of these helps: run "
        "as root with its capabilities, or as a user who is not root; allow unprivileged user namespaces (sysctl "
        "user.max_user_namespaces, and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0); use a kernel with "
        "seccomp and Landlock (5.13 or newer). `assay doctor` shows what was tried. To run without isolation all the "
        "same, say unsafe_allow_unisolated=True."
    )


def check_scratch_folder(folder: str, mode: str) -> None:
    """Refuse a scratch folder that the slots could not use.

    Raises:
        InputError: The mode takes none, there is no such folder, or the slots' users cannot enter it.
    """
    path = Path(folder)
    if mode not in "CD":
        raise InputError(f"scratch_folder is given, but mode {mode} has scratch of its own; leave it out")
    if not path.is_absolute() or not path.is_dir():
        raise InputError(f"scratch_folder is {folder!r}; expected the absolute path of a folder that exists")
    closed = [str(step) for step in (path, *path.parents) if not step.stat().st_mode & 0o001]
    if mode == "C" and closed:
        raise InputError(
            f"scratch_folder is {folder!r}, but slots run as users of their own and cannot enter {', '.join(closed)}; "
            f"choose another folder, or say chmod o+x"
        )


def usable_cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
