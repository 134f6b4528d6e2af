"""What is said before the first program: where a fork server calls, what it is told, what it tells."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from typing import Any

from ..local.profiles import environment, profile
from ..local.slot import protocol
from ..local.slot.mountedscratch import CONTAINER_FOLDERS
from ..local.toolchains import HEADERS, TOOLCHAINS, header_command

# Where the kernel counts: versions 1 and 2, as a container sees them.
_CGROUPS: dict[str, dict[str, str]] = {
    "/sys/fs/cgroup/memory": {},
    "/sys/fs/cgroup/cpuacct": {},
    "/sys/fs/cgroup/cpu,cpuacct": {},
    "/sys/fs/cgroup": {},
}


@dataclass(frozen=True)
class Contents:
    """What a container's programs can use.

    Attributes:
        python: Version of its interpreter.
        packages: Versions of the packages that a profile can preload, by name.
        tools: Where compilers and interpreters lie, by name.
        landlock: The version of Landlock there, 0 for none.
    """

    python: str = ""
    packages: dict[str, str] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    landlock: int = 0


def config_of(name: str, identity: int, tools: dict[str, str]) -> dict[str, Any]:
    """What a fork server is told at its start; it adds what only it can see.

    Args:
        name: The profile.
        identity: The user id of programs.
        tools: Where tools lie in the image, as far as known.
    """
    kind = profile(name)
    headers = header_command(HEADERS, tools.get) if name == "c++" else []
    config: protocol.Config = {
        "mode": "P",
        "own_maps": False,
        "enters": False,
        "identity": identity,
        "landlock": True,
        "binds": [],
        "path": [],
        "preload": kind.preload,
        "warm_up": kind.warm_up,
        "headers": {HEADERS: headers} if headers else {},
        "scratch": "",
        "writable": True,
        "environment": _environment(),
        "cgroups": _CGROUPS,
    }
    return {**config, "look_for": [tool for chain in TOOLCHAINS.values() for tool in chain.tools]}


def listen(folder: str) -> socket.socket:
    """A listening socket ``control`` in a folder; its path may be longer than an address can be."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        listener.bind(f"/proc/self/fd/{place}/control")
        os.chmod(f"{folder}/control", 0o666)  # noqa: S103 - the folder is closed; the container's root may be anybody
        listener.listen(1)
    finally:
        os.close(place)
    return listener


def _environment() -> dict[str, str]:
    """As in every sandbox, with the container's folders; its search path is the image's."""
    own = {"HOME": CONTAINER_FOLDERS[0], "TMPDIR": CONTAINER_FOLDERS[1]}
    common = {name: value for name, value in environment(profile("light")).items() if name != "LD_LIBRARY_PATH"}
    return {**common, **own}
