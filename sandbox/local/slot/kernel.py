"""The Linux calls that a slot needs and Python lacks."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Sequence

from .numbers import NUMBERS

NEW_CGROUP, NEW_UTS, NEW_IPC, NEW_USER = 0x2000000, 0x4000000, 0x8000000, 0x10000000
NEW_MOUNT, NEW_PID, NEW_NET = 0x20000, 0x20000000, 0x40000000
NAMESPACES = NEW_CGROUP | NEW_UTS | NEW_IPC | NEW_USER | NEW_MOUNT | NEW_PID | NEW_NET

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
DETACH = 2

SET_DEATH_SIGNAL, SET_DUMPABLE, DROP_BOUNDING, SET_SECURE_BITS, SET_SUBREAPER, NO_NEW_PRIVILEGES = 1, 4, 24, 28, 36, 38
_SECURE_BITS = 0x23  # NOROOT, locked; KEEP_CAPS off, locked

_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_TREE_CLONE, _TREE_CLOEXEC, _MOVE_FROM_EMPTY_PATH = 1, 0o2000000, 4
_HUGE, _COLLAPSE = 2 << 20, 25  # MADV_COLLAPSE
_RESOLVE_BENEATH = 0x01 | 0x02 | 0x04 | 0x08  # NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(name: str, *arguments: object) -> int:
    """One system call by name; integers, bytes, None and ctypes values are passed on.

    Raises:
        OSError: It failed, or this machine has no such call.
    """
    if name not in NUMBERS:
        raise OSError(38, f"{name}: not known on this machine")
    converted = [
        ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value) if value is None else value
        for value in arguments
    ]
    return _checked(_libc.syscall(ctypes.c_long(NUMBERS[name]), *converted), name)


def _checked(value: int, what: str) -> int:
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return value


def unshare(flags: int) -> None:
    """Enter new namespaces."""
    _checked(_libc.unshare(ctypes.c_int(flags)), f"unshare {flags:#x}")


def prctl(option: int, value: int = 0) -> None:
    """Set an attribute of this process."""
    zero = ctypes.c_ulong(0)
    _checked(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), f"prctl {option}")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mount a file system, or change a mount."""
    source_, target_, kind_, options_ = (
        None if text is None else os.fsencode(text) for text in (source, target, kind, options)
    )
    _checked(_libc.mount(source_, target_, kind_, ctypes.c_ulong(flags), options_), f"mount {target}")


def unmount(target: str) -> None:
    """Detach a mount at once; it is freed when nobody uses it any more."""
    _checked(_libc.umount2(os.fsencode(target), DETACH), f"umount {target}")


def clone_tree(path: str, attributes: int) -> int:
    """A detached copy of the mounts below ``path`` with ``attributes`` set on each; a descriptor."""
    tree = call("open_tree", _AT_FDCWD, os.fsencode(path), _TREE_CLONE | _TREE_CLOEXEC | _AT_RECURSIVE)
    record = ctypes.create_string_buffer(struct.pack("QQQQ", attributes, 0, 0, 0))
    call("mount_setattr", tree, b"", _AT_EMPTY_PATH | _AT_RECURSIVE, record, 32)
    return tree


def attach_tree(tree: int, target: str) -> None:
    """Attach what ``clone_tree`` made, and close the descriptor."""
    call("move_mount", tree, b"", _AT_FDCWD, os.fsencode(target), _MOVE_FROM_EMPTY_PATH)
    os.close(tree)


def enter_root(folder: str) -> None:
    """Make ``folder`` the root of this mount namespace and let go of the old one."""
    os.chdir(folder)
    call("pivot_root", b".", b".")
    unmount(".")
    os.chdir("/")


def drop_privilege_sources() -> None:
    """Empty the capability bounding set and lock the secure bits: no exec gives capabilities any more."""
    for capability in range(64):
        try:
            prctl(DROP_BOUNDING, capability)
        except OSError:
            break
    with contextlib.suppress(OSError):  # without CAP_SETPCAP there is nothing that an exec could give
        prctl(SET_SECURE_BITS, _SECURE_BITS)


def use_huge_pages() -> None:
    """Have the kernel put this process's heap on huge pages where it can; without them everything is only slower."""
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file]
    for fields in lines:
        if fields[1] == "rw-p" and (len(fields) < 6 or fields[5] == "[heap]"):
            start, end = (int(text, 16) for text in fields[0].split("-"))
            for address in range(-(-start // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
                _libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(_HUGE), _COLLAPSE)


_CAPABILITIES_OF_CALLER = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
_NO_CAPABILITIES = ctypes.create_string_buffer(struct.pack("6I", *[0] * 6))


def clear_capabilities() -> None:
    """Give up every capability."""
    call("capset", _CAPABILITIES_OF_CALLER, _NO_CAPABILITIES)


def open_beneath(folder: int, name: str) -> int:
    """Open ``name`` under the folder descriptor for reading; no symbolic link and no other mount is followed.

    Raises:
        OSError: There is no such file, or a link or a mount lies on the way.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW
    how = ctypes.create_string_buffer(struct.pack("QQQ", flags, 0, _RESOLVE_BENEATH))
    return call("openat2", folder, os.fsencode(name), how, 24)


def map_identity(process: str, table: str, rows: Sequence[tuple[int, int]], proc: str = "/proc") -> None:
    """Write ``uid_map`` or ``gid_map`` of a process: rows of (inside, outside)."""
    text = "".join(f"{inside} {outside} 1\n" for inside, outside in rows)
    with open(f"{proc}/{process}/{table}", "wb", 0) as file:
        file.write(text.encode())


def enter_user_namespace(identities: Sequence[int]) -> None:
    """Become root of a new user namespace in which root and these ids of the host are themselves.

    For a root that may change identities but not make other namespaces, as in a service with a bounded set of
    capabilities: in there it may make them. The maps are written by a child that stays outside.

    Raises:
        OSError: Not allowed.
    """
    rows = [(identity, identity) for identity in (0, *identities)]
    target, (reader, writer) = str(os.getpid()), os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        os.close(writer)
        try:
            if os.read(reader, 1):
                map_identity(target, "uid_map", rows)
                map_identity(target, "gid_map", rows)
                status = 0
        finally:
            os._exit(status)
    os.close(reader)
    try:
        unshare(NEW_USER)
        os.write(writer, b"1")
    finally:
        os.close(writer)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise OSError("root and the ids of slots cannot be mapped into a user namespace")
