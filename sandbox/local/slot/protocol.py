"""What supervisor and slot say to each other.

The supervisor sends one ``Request`` per run over a SOCK_SEQPACKET socket, with descriptors; the slot answers with one
``Reply``. Job data (source, arguments, files, input, output) lies in memory files whose descriptors travel along: the
zygote passes them on and never reads them, so that a later run, which is a copy of the zygote, cannot find them.
"""

from __future__ import annotations

import struct
from typing import NamedTuple, TypedDict

PYTHON, EXECUTE = 0, 1  # Request.kind

CHANNEL = 1 << 0  # Request.flags: descriptor 3 is handed to the program
COLLECT = 1 << 1  # a descriptor for collected files comes along
BINARY = 1 << 2  # the program to execute comes as a descriptor
NO_ADDRESS_LIMIT = 1 << 3  # the interpreter reserves address space by the gigabyte: limit its data instead
REOPENS = 1 << 4  # the program may open its standard output or error anew: they are pipes

WALL, CPU, OUTPUT, CANCELLED, SETUP_FAILED, DISK_FULL, STARVED, MEMORY_KILL = (
    1 << bit for bit in range(8)
)  # Reply.flags


class Request(NamedTuple):
    """One run: what it is and what it may use; microseconds and bytes."""

    kind: int
    flags: int
    wall: int
    cpu: int
    memory: int
    processes: int
    open_files: int
    stack: int
    scratch: int
    inodes: int
    stdout: int
    stderr: int
    result: int


class Reply(NamedTuple):
    """What one run did; ``exit_code`` and ``signal`` are -1 where they do not apply, times in microseconds."""

    exit_code: int
    signal: int
    flags: int
    wall: int
    cpu: int
    peak_memory: int


REQUEST = struct.Struct("<13Q")
REPLY = struct.Struct("<iiIQQQ")
MESSAGE_BYTES = 8192
FILE_HEADER = struct.Struct("<IQ")  # index of the collected name, bytes that follow


class Config(TypedDict):
    """How a slot is set up; the JSON text that it is started with.

    ``mode`` is one of the letters A to D, or P for the first process of a container, ``own_maps`` whether the slot maps
    its own identity (it is unprivileged), ``enters`` whether it first enters a user namespace (it is root without the
    right to others), ``identity`` the first of the host's user ids it may use. ``binds`` are shown read-only at their
    own place, ``path`` is added to ``sys.path``, ``preload`` imported and ``warm_up`` executed before the first run.
    ``headers`` are folders to make with the command that fills each. ``scratch`` is the host's folder for a slot
    without its own mounts, ``writable`` whether programs may write there. ``cgroups`` are folders to make, with the
    files to write in each; in a container those in which the kernel counts.
    """

    mode: str
    own_maps: bool
    enters: bool
    identity: int
    landlock: bool
    binds: list[str]
    path: list[str]
    preload: list[str]
    warm_up: str
    headers: dict[str, list[str]]
    scratch: str
    writable: bool
    environment: dict[str, str]
    cgroups: dict[str, dict[str, str]]
