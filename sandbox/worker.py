"""``Worker``: call one Python function of ours in a process that can be killed.

For our own risky work (computer algebra on somebody's formula), not for somebody's code: the process is not isolated
beyond a memory cap and a deadline, and values cross as pickles. Programs nobody trusts go to a ``Sandbox``.

The process is started by exec, so neither threads nor CUDA of the caller are duplicated into it. It ends when the
caller ends: it reads end of file between calls, and during a call a kernel timer that no code of the function can hold
up kills it soon after the deadline.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

from ..bounds import at_least, positive
from ..errors import InputError, WorkerFailed, WorkerTimeout
from .worker_process import LENGTH, read, serve

_BOOT = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve({fd})"


class Worker:
    """One function, called in one killable process, one call at a time; usable from any thread.

    The process starts with the first call and is started anew after a kill or a crash. Instances are picklable; a copy
    in another process starts a process of its own.

    Args:
        target: The function, as ``"package.module:function"``. Arguments and result must be picklable.
        memory_bytes: Address space of the process.
        start_seconds: Real time that starting and importing the function's module may take.

    Raises:
        InputError: ``target`` has another form, or a number is not positive.

    >>> with Worker("math:factorial") as worker:
    ...     worker.call(5, deadline_seconds=10)
    120
    """

    def __init__(self, target: str, *, memory_bytes: int = 2 << 30, start_seconds: float = 60.0) -> None:
        module, separator, function = target.partition(":")
        if not (module and separator and function.isidentifier()):
            raise InputError(f"worker target {target!r} is not a function's path; expected 'package.module:function'")
        at_least(1, memory_bytes=memory_bytes)
        positive(start_seconds=start_seconds)
        self.target = target
        self.memory_bytes = memory_bytes
        self.start_seconds = start_seconds
        self._lock = threading.Lock()
        self._running: _Process | None = None

    def call(self, *arguments: Any, deadline_seconds: float) -> Any:
        """Call the function and return what it returns.

        Args:
            *arguments: Its positional arguments.
            deadline_seconds: Real time for the call, waiting for other threads' calls and starting apart.

        Raises:
            WorkerTimeout: The deadline passed; the process was killed.
            WorkerFailed: The process could not start, died, or the function raised.
            InputError: The arguments cannot be pickled, or the deadline is not positive.
        """
        positive(deadline_seconds=deadline_seconds)
        try:
            message = pickle.dumps((deadline_seconds, arguments))
        except Exception as error:
            raise InputError(
                f"the arguments of {self.target} cannot be sent to another process: {error}; pass plain values"
            ) from error
        with self._lock:
            process = self._process()
            try:
                process.send(message, deadline_seconds)
                ok, value = process.receive(deadline_seconds)
            except TimeoutError:
                self._end()
                raise WorkerTimeout(
                    f"{self.target} did not return within {deadline_seconds:g} s; its process was killed"
                ) from None
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                code = self._end()
                raise WorkerFailed(f"the process of {self.target} died during a call ({_fate(code)})") from error
            except BaseException:  # KeyboardInterrupt: the answer that is still to come must not meet the next call
                self._end()
                raise
        if not ok:
            raise WorkerFailed(f"{self.target} raised {value}")
        return value

    def close(self) -> None:
        """End the process; a later call starts another one."""
        with self._lock:
            self._end()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_lock", "_running")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock(), _running=None)

    def _process(self) -> _Process:
        """The running process, started if need be; one inherited over a fork is left to its owner."""
        running = self._running
        if running is not None and running.owner == os.getpid() and running.popen.poll() is None:
            return running
        if running is not None and running.owner == os.getpid():
            self._end()
        process = _Process(self.target)
        self._running = process
        try:
            process.send(pickle.dumps((self.target, self.memory_bytes)), self.start_seconds)
            ok, value = process.receive(self.start_seconds)
        except TimeoutError:
            self._end()
            raise WorkerFailed(f"the process of {self.target} did not start within {self.start_seconds:g} s") from None
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise WorkerFailed(f"the process of {self.target} died while it started ({_fate(self._end())})") from error
        except BaseException:
            self._end()
            raise
        if not ok:
            self._end()
            raise WorkerFailed(f"the process of {self.target} could not import it: {value}")
        return process

    def _end(self) -> int | None:
        """Kill and reap the process; its return code."""
        process, self._running = self._running, None
        if process is None or process.owner != os.getpid():
            return None
        process.finalizer()
        return process.popen.returncode


class _Process:
    """A started process with the caller's end of its stream."""

    def __init__(self, target: str) -> None:
        self.owner = os.getpid()
        ours, theirs = socket.socketpair()
        boot = _BOOT.format(path=sys.path, module=serve.__module__, fd=theirs.fileno())
        try:
            self.popen = subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
                [sys.executable, "-c", boot, f"assay worker {target}"],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a terminal's Ctrl-C is for the caller
            )
        except OSError as error:
            ours.close()
            raise WorkerFailed(f"no process could be started for {target}: {error}") from error
        finally:
            theirs.close()
        self.stream = ours
        self.finalizer = weakref.finalize(self, _kill, self.owner, self.popen, ours)

    def send(self, message: bytes, seconds: float) -> None:
        self.stream.settimeout(seconds)
        self.stream.sendall(LENGTH.pack(len(message)) + message)

    def receive(self, seconds: float) -> tuple[bool, Any]:
        deadline = time.monotonic() + seconds
        [length] = LENGTH.unpack(read(self.stream, LENGTH.size, deadline))
        answer: tuple[bool, Any] = pickle.loads(read(self.stream, length, deadline))  # noqa: S301 - our own process
        return answer


def _kill(owner: int, popen: subprocess.Popen[bytes], stream: socket.socket) -> None:
    stream.close()
    if owner != os.getpid():
        popen.returncode = 0  # a forked copy: the process is the parent's, and nothing here is to wait for it
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)
    popen.wait()


def _fate(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit status {code}"
