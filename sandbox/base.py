"""What a sandbox is: ``Program``, ``Limits``, ``Execution``, ``Status`` and the ``Sandbox`` protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

#: What a program's ``profile`` may be beside "auto".
PROFILES = ("light", "numpy", "sci")


class Status(IntEnum):
    """How a run ended. The zero value is an error of ours, so that nothing uninitialised looks like success."""

    SANDBOX_ERROR = 0
    OK = 1
    NONZERO_EXIT = 2
    SIGNALLED = 3
    TIME_LIMIT = 4
    MEMORY_LIMIT = 5
    OUTPUT_LIMIT = 6
    PROCESS_LIMIT = 7
    DISK_LIMIT = 8
    COMPILE_ERROR = 9


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use. A limit kills, and names itself in the status.

    Attributes:
        cpu_seconds: CPU time of the program and all its children; it decides TIME_LIMIT.
        wall_seconds: Real time from the start of the run, queue time apart; None means twice the CPU time plus one.
        memory_bytes: Memory of the whole run where a cgroup counts it, address space of each process elsewhere.
        processes: Processes and threads alive at once.
        open_files: File descriptors of each process.
        stdout_bytes: Bytes of standard output.
        stderr_bytes: Bytes of standard error.
        scratch_bytes: Bytes in the scratch folder, the working directory of the run.
        result_bytes: Bytes on the private channel of a program that asks for one.
        scratch_inodes: Files and folders in it.
        stack_bytes: Stack of each process's main thread.
    """

    cpu_seconds: float = 5.0
    wall_seconds: float | None = None
    memory_bytes: int = 512 << 20
    processes: int = 64
    open_files: int = 128
    stdout_bytes: int = 4 << 20
    stderr_bytes: int = 1 << 18
    result_bytes: int = 16 << 20
    scratch_bytes: int = 64 << 20
    scratch_inodes: int = 4096
    stack_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run, with its input.

    Attributes:
        source: Its text.
        stdin: Bytes on standard input.
        language: "python", "c", "c++", "javascript" or "java".
        arguments: Command-line arguments.
        files: Files to lay into the working directory, by relative name.
        collect: Relative names of files to bring back; symbolic links are not followed.
        channel: Whether file descriptor 3 is a private channel: what is written there is ``Execution.result``.
        profile: What is preloaded: "light", "numpy", "sci" (numpy and sympy), or by the imports: "auto".
    """

    source: str
    stdin: bytes = b""
    language: str = "python"
    arguments: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    collect: tuple[str, ...] = ()
    channel: bool = False
    profile: str = "auto"


@dataclass(frozen=True, slots=True)
class Execution:
    """What one run did.

    Attributes:
        status: How it ended.
        exit_code: The exit code, None where a signal or a limit ended it.
        signal: The signal that ended it, None elsewhere.
        stdout: Standard output, cut at the limit.
        stderr: Standard error, cut at the limit.
        result: What the program wrote to its private channel, cut at the limit; it may be forged.
        truncated: Whether any of the three was cut.
        cpu_seconds: CPU time of the program and its children.
        wall_seconds: Real time of the run, without the queue.
        queue_seconds: Real time it waited before.
        peak_memory_bytes: Largest resident memory.
        files: The collected files that exist, by name.
        reason: One sentence for a person, where the status needs one.
        backend: The backend that ran it.
        enforced: What kept the program in.
        missing: What this machine could not enforce.
    """

    status: Status = Status.SANDBOX_ERROR
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    result: bytes = b""
    truncated: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    queue_seconds: float = 0.0
    peak_memory_bytes: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)
    reason: str = ""
    backend: str = ""
    enforced: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@runtime_checkable
class Sandbox(Protocol):
    """Runs programs nobody trusts; its own failure is never the program's failure. Usable from several threads."""

    def run(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """Run each program; the executions come in the order of the programs. Never raises for a program.

        Args:
            programs: What to run, n of them.
            limits: What each run may use; the defaults of ``Limits`` where None.
            deadline_seconds: Real time for the whole batch; programs that did not end by then are SANDBOX_ERROR.

        Returns:
            n executions.
        """

    def run_linked(
        self, pairs: Sequence[tuple[Program, Program]], limits: Limits | None = None
    ) -> list[tuple[Execution, Execution]]:
        """Run the two programs of each pair at the same time in two sandboxes, joined by one stream.

        File descriptor 3 of either program is its end of a connected, bidirectional byte stream; nothing else is
        shared. When one of them ends, the other reads end of file.
        """

    async def arun(
        self, programs: Sequence[Program], limits: Limits | None = None, *, deadline_seconds: float | None = None
    ) -> list[Execution]:
        """``run`` for asyncio: the event loop stays free."""

    def close(self) -> None:
        """End every process of this sandbox; a closed sandbox refuses further runs."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
