"""The scratch of a slot in a container: small file systems that the engine mounted, emptied in place after each run."""

from __future__ import annotations

import os
import time

from .filesystem import changed

_TMP, _SHM = "/tmp", "/dev/shm"  # noqa: S108 - the container's own
CONTAINER_MOUNTS = (_TMP, _SHM)
CONTAINER_FOLDERS = (f"{_TMP}/work", *CONTAINER_MOUNTS)


class MountedScratch:
    """Empties what a run changed. A process with the runner's identity does it: the container's root has no power.

    Args:
        identity: The user id of programs.
    """

    def __init__(self, identity: int) -> None:
        self._identity = identity
        self._make_work()
        self._clean = self._state()
        self._dirty = False

    def _make_work(self) -> None:
        work = CONTAINER_FOLDERS[0]
        os.mkdir(work)
        os.chmod(work, 0o1777)  # noqa: S103 - one user's; the sticky bit keeps the folder itself ours
        for folder in CONTAINER_MOUNTS:
            os.utime(folder, (0, 0))

    def _state(self) -> list[int]:
        """Free blocks and inodes, and when each folder last changed in any way."""
        found = [changed(folder) for folder in CONTAINER_FOLDERS]
        for mount in CONTAINER_MOUNTS:
            free = os.statvfs(mount)
            found += [free.f_bfree, free.f_ffree]
        return found

    def prepare(self, size_bytes: int, inodes: int) -> bool:
        """Have empty folders; their sizes are what the engine mounted, whatever is asked for.

        Raises:
            OSError: They could not be emptied; the slot must end.
        """
        if self._dirty:
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    _become(self._identity)
                    _empty(CONTAINER_FOLDERS[0], keep=b"")
                    _empty(_TMP, keep=b"work")
                    _empty(_SHM, keep=b"")
                    code = 0
                finally:
                    os._exit(code)
            if os.waitpid(pid, 0)[1] != 0:
                raise OSError("the scratch could not be emptied")
            os.rmdir(CONTAINER_FOLDERS[0])
            self._make_work()
            self._clean = self._state()
            self._dirty = False
        return False

    def inspect(self) -> bool:
        """Whether one of the file systems is full; what a run changed is emptied by the next ``prepare``."""
        state = self._state()
        self._dirty = self._dirty or state != self._clean
        return 0 in state[len(CONTAINER_FOLDERS) :]


def _become(identity: int) -> None:
    os.setresgid(identity, identity, identity)
    os.setresuid(identity, identity, identity)


def _empty(folder: str, *, keep: bytes) -> None:
    """Remove everything below ``folder`` but one name; trees are flattened first, so none is too deep."""
    root = os.fsencode(folder)
    prefix = b"%s/.%d-" % (root, time.monotonic_ns())  # no name that a program could have guessed
    moved = 0
    while names := [name for name in os.listdir(root) if name != keep]:
        for name in names:
            path = b"%s/%s" % (root, name)
            if not os.path.isdir(path) or os.path.islink(path):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for child in os.listdir(path):
                inner = b"%s/%s" % (path, child)
                if os.path.isdir(inner) and not os.path.islink(inner):
                    os.chmod(inner, 0o700)  # a folder that moves must be writable itself
                    os.rename(inner, b"%s%d" % (prefix, moved))
                    moved += 1
                else:
                    os.unlink(inner)
            os.rmdir(path)
