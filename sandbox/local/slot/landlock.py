"""Landlock: what of the file system a program may touch; and, from ABI 4 and 6, TCP, abstract sockets and signals.

Source: the kernel's ``include/uapi/linux/landlock.h``.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Sequence

from . import kernel

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE, DEVICE_CONTROL = 1, 2, 4, 8, 1 << 14, 1 << 15
_MAKE_CHARACTER_DEVICE, _MAKE_BLOCK_DEVICE = 1 << 6, 1 << 11
READ = EXECUTE | READ_FILE | READ_FOLDER
WRITE = 0xFFFF & ~(_MAKE_CHARACTER_DEVICE | _MAKE_BLOCK_DEVICE)
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
_HANDLED = {0: 0, 1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}  # by ABI; 0xFFFF from 5 on
TRUNCATE_ABI = 3  # before, a file may be cut by whoever its modes allow to
SCOPED_ABI = 6  # from here on signals and abstract sockets stay within the domain

Rule = tuple[str, int]


def abi() -> int:
    """The version that the running kernel offers, 0 where there is none."""
    try:
        return kernel.call("landlock_create_ruleset", None, 0, 1)
    except OSError:
        return 0


def ruleset(rules: Sequence[Rule]) -> int:
    """A ruleset that allows what ``rules`` name and nothing else; a descriptor.

    Args:
        rules: Paths with the rights below each; a path that does not exist is left out.

    Raises:
        OSError: The kernel has no Landlock.
    """
    version = abi()
    handled = _HANDLED.get(version, 0xFFFF)
    network_and_scope = (3,) * (0 if version < 4 else 1 if version < SCOPED_ABI else 2)
    attributes = struct.pack(f"{1 + len(network_and_scope)}Q", handled, *network_and_scope)
    result = kernel.call(
        "landlock_create_ruleset", ctypes.create_string_buffer(attributes, len(attributes)), len(attributes), 0
    )
    for path, rights in rules:
        try:
            target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = rights & handled
        if not stat.S_ISDIR(os.fstat(target).st_mode):
            allowed &= _OF_FILES
        if allowed:
            record = ctypes.create_string_buffer(struct.pack("=Qi", allowed, target), 12)
            kernel.call("landlock_add_rule", result, 1, record, 0)
        os.close(target)
    return result


def restrict(rules: int) -> None:
    """Confine this process, for ever, to the ruleset of a descriptor."""
    kernel.call("landlock_restrict_self", rules, 0)
