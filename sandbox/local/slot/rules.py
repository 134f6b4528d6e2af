"""The Landlock rules of a slot: what of the file system its programs may touch."""

from __future__ import annotations

import os

from . import filesystem, landlock
from .mountedscratch import CONTAINER_MOUNTS
from .protocol import Config

_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/sbin", "/nix/store", "/etc/alternatives", "/etc/ld.so.cache")
_OF_HOST = (
    "/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/usr/share/zoneinfo",
    "/usr/share/nodejs", "/usr/local/lib", "/usr/local/bin", "/bin", "/lib", "/lib32", "/lib64", "/nix/store",
    "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/passwd",
)  # fmt: skip
_OF_CONTAINER = ("/proc", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl/openssl.cnf")


def of_slot(config: Config, folders: list[str]) -> int:
    """The ruleset; a descriptor.

    Args:
        config: The slot's.
        folders: Its working and temporary folders.
    """
    isolated = config["mode"] in "AB"
    binds = [filesystem.shown_at(path) if isolated else path for path in config["binds"]]
    readable = list(_SYSTEM if isolated else _OF_HOST) + binds + list(config["headers"])
    listable: list[str] = []
    if isolated:
        # Rules on the folders themselves would be lost with the mount that they lie in.
        readable += ["/etc", "/proc"]
        listable.append("/")  # there is nothing in it but what is shown
        folders = ["/scratch"]
    elif config["mode"] == "P":
        readable += [*_OF_CONTAINER, *(f"/etc/{name}" for name in os.listdir("/etc") if name.startswith("java-"))]
        listable.append("/")  # the image's own; what tells of the host is masked by the engine
        folders = list(CONTAINER_MOUNTS)
    found = [(path, landlock.READ) for path in readable]
    found += [(path, landlock.READ_FOLDER) for path in listable]
    found += [(path, landlock.WRITE if isolated or config["writable"] else landlock.READ) for path in folders]
    found += [(f"/dev/{name}", landlock.READ_FILE | landlock.WRITE_FILE) for name in ("null", "zero", "full")]
    found += [(f"/dev/{name}", landlock.READ_FILE) for name in ("random", "urandom")]
    return landlock.ruleset(found)
