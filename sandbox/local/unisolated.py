"""Mode E: programs as plain processes of this user, with resource limits and a deadline, and nothing else.

Only for somebody who says ``unsafe_allow_unisolated=True``: a program can read, write, send and kill whatever the user
can, and a process of it that starts a session of its own outlives the run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

from ..base import Execution, Limits, Program, Status
from .job import Command
from .slot import protocol

_BOOT = """
import os, resource, sys
channel, cpu, files, output, memory = map(int, sys.argv[1:6])
for name, value in (("CPU", cpu), ("NOFILE", files), ("FSIZE", output), ("CORE", 0), ("AS", memory)):
    try:
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    except (ValueError, OSError):
        pass
if channel >= 0 and channel != 3:
    os.dup2(channel, 3)
    os.close(channel)
os.execv(sys.argv[6], sys.argv[6:])
"""


def run(programs: list[Program], commands: list[Command], limits: Limits, wall_seconds: float) -> list[Execution]:
    """Run programs at the same time; two of them share a stream on descriptor 3."""
    ends: list[socket.socket] = list(socket.socketpair()) if len(programs) == 2 else []
    executions: dict[int, Execution] = {}

    def one(index: int) -> None:
        end = ends[index] if ends else None
        executions[index] = _Run(programs[index], commands[index], limits, wall_seconds, end).execution()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(1, len(programs))]
    for thread in threads:
        thread.start()
    one(0)
    for thread in threads:
        thread.join()
    return [executions[index] for index in range(len(programs))]


class _Run:
    """One program in a temporary folder."""

    def __init__(
        self, program: Program, command: Command, limits: Limits, wall_seconds: float, end: socket.socket | None
    ) -> None:
        self.program = program
        self.command = command
        self.limits = limits
        self.wall_seconds = wall_seconds
        self.end = end

    def execution(self) -> Execution:
        """Run it; what it did."""
        with tempfile.TemporaryDirectory(prefix=f"assay-{os.getpid()}-", ignore_cleanup_errors=True) as folder:
            for name, content in {**self.command.files, **self.program.files}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as result:
                return self._run(folder, out, err, result)

    def _arguments(self, folder: str) -> list[str]:
        if self.command.kind == protocol.PYTHON:
            Path(folder, "program.py").write_text(self.program.source, encoding="utf-8", errors="surrogateescape")
            return [sys.executable, "program.py", *self.command.arguments]
        if self.command.binary is not None:
            path = Path(folder, "program")
            path.write_bytes(self.command.binary)
            path.chmod(0o700)
            return [str(path), *self.command.arguments[1:]]
        return list(self.command.arguments)

    def _run(self, folder: str, out: IO[bytes], err: IO[bytes], result: IO[bytes]) -> Execution:
        started, before = time.monotonic(), os.times()
        process = self._start(folder, out, err, result)
        late = self._outlasts(process)
        after = os.times()
        limits = self.limits
        stdout, cut_out = _read(out, limits.stdout_bytes)
        stderr, cut_error = _read(err, limits.stderr_bytes)
        private, cut_result = _read(result, limits.result_bytes)
        truncated = cut_out or cut_error or cut_result
        status, reason = self._judge(process.returncode, stderr, late=late, truncated=truncated)
        return Execution(
            status=status,
            exit_code=process.returncode if process.returncode >= 0 else None,
            signal=-process.returncode if process.returncode < 0 else None,
            stdout=stdout,
            stderr=stderr,
            result=private if self.program.channel and self.end is None else b"",
            truncated=truncated,
            cpu_seconds=after.children_user + after.children_system - before.children_user - before.children_system,
            wall_seconds=time.monotonic() - started,
            files=self._collected(folder),
            reason=reason,
        )

    def _start(self, folder: str, out: IO[bytes], err: IO[bytes], result: IO[bytes]) -> subprocess.Popen[bytes]:
        limits = self.limits
        channel = self.end.fileno() if self.end is not None else result.fileno() if self.program.channel else -1
        largest = max(limits.stdout_bytes, limits.stderr_bytes, limits.result_bytes, limits.scratch_bytes)
        memory = limits.memory_bytes + (1 << 30 if not self.command.address_limit else 128 << 20)
        numbers = [channel, -(-limits.cpu_seconds // 1), limits.open_files, largest, memory]
        process = subprocess.Popen(  # noqa: S603 - the caller asked for exactly this
            [sys.executable, "-I", "-S", "-c", _BOOT, *(str(int(n)) for n in numbers), *self._arguments(folder)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            pass_fds=[channel] if channel >= 0 else [],
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        if self.end is not None:
            self.end.close()
        return process

    def _outlasts(self, process: subprocess.Popen[bytes]) -> bool:
        """Feed the program and wait; whether it has to be ended at its wall limit."""
        try:
            process.communicate(self.program.stdin, timeout=self.wall_seconds)
        except subprocess.TimeoutExpired:
            return True
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return False

    def _judge(self, code: int, stderr: bytes, *, late: bool, truncated: bool) -> tuple[Status, str]:
        if truncated:
            return Status.OUTPUT_LIMIT, "it wrote more than it may"
        if late or code == -signal.SIGXCPU:
            return (
                Status.TIME_LIMIT,
                f"it ran for more than {self.wall_seconds:g} s or {self.limits.cpu_seconds:g} s of CPU",
            )
        if code and b"MemoryError" in stderr[-4096:]:
            return Status.MEMORY_LIMIT, f"it asked for more than {self.limits.memory_bytes >> 20} MiB of memory"
        if code < 0:
            return Status.SIGNALLED, f"signal {-code} ended it"
        return (Status.NONZERO_EXIT, f"exit code {code}") if code else (Status.OK, "")

    def _collected(self, folder: str) -> dict[str, bytes]:
        """The named files; one with a link on its way is left out."""
        found = {}
        for name in self.program.collect:
            path = Path(folder, name)
            if path.is_file() and path.resolve() == Path(folder).resolve() / name:
                found[name] = path.read_bytes()
        return found


def _read(file: IO[bytes], cap: int) -> tuple[bytes, bool]:
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), min(size, cap), 0), size > cap
