"""Bring named files back from a scratch folder after the run, following no link."""

from __future__ import annotations

import marshal
import os
import stat

from . import kernel
from .protocol import FILE_HEADER


def collect(folder: str, job: int, target: int, limit_bytes: int, identity: int | None = None) -> None:
    """Write the files that the job names into the descriptor ``target``, each after a ``FILE_HEADER``.

    A process of its own reads the names, so that none of them stays in the zygote; it becomes the user ``identity``
    where the zygote itself may not read a program's files.
    """
    pid = os.fork()
    if pid == 0:
        try:
            if identity is not None:
                os.setresgid(identity, identity, identity)
                os.setresuid(identity, identity, identity)
            _collect(folder, job, target, limit_bytes)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _collect(folder: str, job: int, target: int, limit_bytes: int) -> None:
    names = marshal.loads(os.pread(job, os.fstat(job).st_size, 0))["collect"]  # noqa: S302 - the supervisor wrote it
    root = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    left = limit_bytes
    for index, name in enumerate(names):
        try:
            source = kernel.open_beneath(root, name)
        except OSError:
            continue  # not there, or a link
        state = os.fstat(source)
        if stat.S_ISREG(state.st_mode) and state.st_size <= left:
            left -= state.st_size
            os.write(target, FILE_HEADER.pack(index, state.st_size))
            _copy(source, target, state.st_size)
        os.close(source)


def _copy(source: int, target: int, count: int) -> None:
    offset = 0
    while offset < count:
        sent = os.sendfile(target, source, offset, count - offset)
        if sent == 0:  # cut short meanwhile: impossible once every process is dead, but never loop
            os.write(target, b"\0" * min(count - offset, 1 << 20))
            sent = min(count - offset, 1 << 20)
        offset += sent
