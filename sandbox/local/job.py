"""One program as a request to a slot, and the slot's answer as an ``Execution``."""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import signal
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from ..base import Execution, Limits, Program, Status
from ..complaints import limit_named
from .server import Answer
from .slot import protocol

_BIGGEST = 1 << 62
# A program that may look at its own file finds it, also a process that it spawns; laying it for all would cost each run
# a new scratch folder.
_READS_ITSELF = re.compile(r"__file__|__loader__|inspect|multiprocessing|concurrent|argv\[0\]|program\.py|runpy")
_REOPENS_OUTPUT = re.compile(r"/dev/std(?:out|err)|/dev/fd|/proc/self/fd")


@dataclass(frozen=True)
class Command:
    """How a slot runs a program: Python source in its own process, or a file to execute.

    Attributes:
        kind: ``protocol.PYTHON`` or ``protocol.EXECUTE``.
        profile: Of the slot.
        arguments: Of the program; for EXECUTE the whole command.
        files: Laid into the working directory, beside the program's own.
        binary: The file to execute, where it is not on the slot's disk.
        address_limit: Whether RLIMIT_AS fits this interpreter.
    """

    kind: int
    arguments: tuple[str, ...]
    profile: str = "light"
    files: dict[str, bytes] = field(default_factory=dict)
    binary: bytes | None = None
    address_limit: bool = True


class Job:
    """The descriptors of one run. A context manager: they are closed at its end.

    Args:
        program: What to run.
        limits: What it may use.
        command: How.
        wall_seconds: The wall limit in force.
        channel: A connected socket to hand to the program as descriptor 3 instead of a memory file.
    """

    def __init__(
        self, program: Program, limits: Limits, command: Command, wall_seconds: float, *, channel: int | None = None
    ) -> None:
        self.program = program
        self.limits = limits
        self._fds: list[int] = []
        self._stream = channel
        flags = 0 if command.address_limit else protocol.NO_ADDRESS_LIMIT
        content = {
            "source": program.source.encode("utf-8", "surrogatepass"),
            "arguments": list(command.arguments),
            "files": {**command.files, **program.files},
            "collect": list(program.collect),
            "own_file": _READS_ITSELF.search(program.source) is not None,
        }
        self.fds = [self._memory(marshal.dumps(content)), self._memory(program.stdin), self._memory(), self._memory()]
        if _REOPENS_OUTPUT.search(program.source):
            flags |= protocol.REOPENS
        if program.channel or channel is not None:
            flags |= protocol.CHANNEL
            self.fds.append(self._memory() if channel is None else channel)
        if program.collect:
            flags |= protocol.COLLECT
            self.fds.append(self._memory())
        if command.binary is not None:
            flags |= protocol.BINARY
            self.fds.append(self._memory(command.binary))
        self.request = _request(command.kind, flags, limits, wall_seconds)

    def _memory(self, content: bytes = b"") -> int:
        fd = os.memfd_create("assay", os.MFD_CLOEXEC)
        self._fds.append(fd)
        if content:
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            os.lseek(fd, 0, os.SEEK_SET)
        return fd

    @property
    def cgroup_bytes(self) -> int:
        """Memory that the run's cgroup allows."""
        return allowance(self.limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for fd in self._fds:
            with contextlib.suppress(OSError):
                os.close(fd)

    def execution(self, answer: Answer) -> Execution:
        """What the run did."""
        reply, limits = answer.reply, self.limits
        stdout, cut_out = _read(self.fds[2], limits.stdout_bytes)
        stderr, cut_error = _read(self.fds[3], limits.stderr_bytes)
        result, cut_result = b"", False
        if self.program.channel and self._stream is None:
            result, cut_result = _read(self.fds[4], limits.result_bytes)
        truncated = cut_out or cut_error or cut_result
        status, reason = self._judge(answer, stderr, truncated=truncated)
        return Execution(
            status=status,
            exit_code=reply.exit_code if reply.exit_code >= 0 else None,
            signal=reply.signal if reply.signal >= 0 else None,
            stdout=stdout,
            stderr=stderr,
            result=result,
            truncated=truncated,
            cpu_seconds=reply.cpu / 1e6,
            wall_seconds=reply.wall / 1e6,
            peak_memory_bytes=reply.peak_memory,
            files=self._collected() if self.program.collect else {},
            reason=reason,
        )

    def _judge(self, answer: Answer, stderr: bytes, *, truncated: bool) -> tuple[Status, str]:
        """The status, by what ended the run; only then by what the program says."""
        reply, limits = answer.reply, self.limits
        if reply.flags & protocol.SETUP_FAILED:
            return Status.SANDBOX_ERROR, f"the run could not be set up: {answer.reason}"
        if reply.flags & protocol.CANCELLED:
            return Status.SANDBOX_ERROR, "the run was cancelled"
        if reply.flags & protocol.OUTPUT or truncated:
            return Status.OUTPUT_LIMIT, _output_reason(limits)
        if reply.flags & protocol.CPU or reply.cpu > _micro(limits.cpu_seconds):  # not by SIGXCPU: anybody can send it
            return Status.TIME_LIMIT, f"it used more than {limits.cpu_seconds:g} s of CPU time"
        if reply.flags & protocol.WALL:
            return Status.TIME_LIMIT, f"it ran for more than {self.request.wall / 1e6:g} s"
        if answer.memory_kill:
            return Status.MEMORY_LIMIT, f"it used more than {limits.memory_bytes >> 20} MiB of memory"
        if reply.signal == signal.SIGXFSZ and self.request.kind == protocol.EXECUTE:  # in Python it is an error number
            return Status.DISK_LIMIT, f"it wrote a file of more than {limits.scratch_bytes >> 20} MiB"
        if reply.exit_code == 0:
            return Status.OK, ""
        return self._judge_failure(reply, stderr[-8192:])

    def _judge_failure(self, reply: protocol.Reply, words: bytes) -> tuple[Status, str]:
        named = limit_named(words)
        if named is Status.MEMORY_LIMIT:
            return named, f"it asked for more than {self.limits.memory_bytes >> 20} MiB of memory"
        if named is Status.PROCESS_LIMIT:
            return named, f"it wanted more than {self.limits.processes} processes and threads"
        if named is Status.DISK_LIMIT or reply.flags & protocol.DISK_FULL:
            return Status.DISK_LIMIT, f"it filled its {self.limits.scratch_bytes >> 20} MiB of disk"
        if reply.signal >= 0:
            return Status.SIGNALLED, f"signal {reply.signal} ended it"
        return Status.NONZERO_EXIT, f"exit code {reply.exit_code}"

    def _collected(self) -> dict[str, bytes]:
        fd = self.fds[5 if self.request.flags & protocol.CHANNEL else 4]
        data = os.pread(fd, os.fstat(fd).st_size, 0)
        found, offset = {}, 0
        while offset < len(data):
            index, count = protocol.FILE_HEADER.unpack_from(data, offset)
            offset += protocol.FILE_HEADER.size
            if len(data) - offset < count:
                break  # its reader was ended in the middle
            found[self.program.collect[index]] = data[offset : offset + count]
            offset += count
        return found


def _request(kind: int, flags: int, limits: Limits, wall_seconds: float) -> protocol.Request:
    return protocol.Request(
        kind=kind,
        flags=flags,
        wall=_micro(wall_seconds),
        cpu=_micro(limits.cpu_seconds),
        memory=limits.memory_bytes,
        processes=limits.processes,
        open_files=limits.open_files,
        stack=limits.stack_bytes,
        scratch=limits.scratch_bytes,
        inodes=limits.scratch_inodes,
        stdout=limits.stdout_bytes,
        stderr=limits.stderr_bytes,
        result=limits.result_bytes,
    )


def allowance(limits: Limits) -> int:
    """Bytes that all processes of a run may hold together: the program's, and what it may put into files and output."""
    written = limits.scratch_bytes + limits.stdout_bytes + limits.stderr_bytes + limits.result_bytes
    return limits.memory_bytes + written


def _micro(seconds: float) -> int:
    return min(int(seconds * 1e6), _BIGGEST)


def _read(fd: int, cap: int) -> tuple[bytes, bool]:
    size = os.fstat(fd).st_size
    return os.pread(fd, min(size, cap), 0), size > cap


def _output_reason(limits: Limits) -> str:
    return (
        f"it wrote more than {limits.stdout_bytes} bytes to standard output, {limits.stderr_bytes} to standard error"
        f" or {limits.result_bytes} to its channel"
    )
