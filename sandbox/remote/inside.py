"""Runs on the service, in front of a Python program: gives it input, limits and a private channel, and reports.

The service sees one ordinary program, the text of this file and of ``traffic.py``. Standard input brings a line with a
length, so many bytes of JSON, and a second JSON object. The first is the job, ``{"source", "stdin", "arguments",
"channel", "collect", "cpu", "wall", "memory", "open_files", "stack", "caps": [stdout, stderr, result, files], "taken":
whether a file of the program's has the name of its source}`` with bytes as base64. The second, ``{"token", "report"}``,
is read only after the program's process was made, so it is not in that process's memory. Standard output takes lines
that start with the token: ``ready`` before the program's first instruction, then the report as JSON; one that is too
long for a pipe's patience goes to the file ``report`` instead.

The program is a fork of this process and of the same user. It can kill this one, which costs it its answer; where it
runs as root it could even forge the report, and nothing is won by that, since what decides is not here. Only the
standard library of Python 3.8 is used.
"""

from __future__ import annotations

import binascii
import builtins
import contextlib
import fcntl
import importlib.machinery
import json
import linecache
import os
import resource
import signal
import sys
import time
import traceback
import types
from typing import Any

from .traffic import Traffic, encoded

INLINE_BYTES = 32000
TICK_SECONDS = 0.02
PR_SET_DUMPABLE = 4
FIRST_HIGH = 20  # descriptors below are the program's


def start() -> Any:
    """Watch over the program and never return; in the program's own process, return its source and its names."""
    head = b""
    while not head.endswith(b"\n"):
        head += os.read(0, 1)
    job: dict[str, Any] = json.loads(_read(int(head)))
    pipes = [os.pipe() for _ in range(4)]  # standard input, output and error, and the channel
    made, go = os.pipe(), os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        pid = os.fork()
    except OSError as error:
        _say(json.loads(_read(-1))["token"], f"no process can be started: {error}")
        os._exit(1)
    theirs = [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
    if pid == 0:
        return _become(job, theirs, made[1], go[0])
    for fd in [*theirs, made[1], go[0]]:
        os.close(fd)
    words = json.loads(_read(-1))
    traffic = Traffic([pipes[0][1], *(pipe[0] for pipe in pipes[1:])], binascii.a2b_base64(job["stdin"]), job["caps"])
    if not os.read(made[0], 1):
        os.waitpid(pid, 0)
        traffic.finish()
        _say(words["token"], f"no process can be set up: {traffic.last_words()}")
        os._exit(1)
    _watch(job, words, pid, traffic, go[1])


def _read(size: int) -> bytes:
    """So many bytes of standard input, or all that is left."""
    parts: list[bytes] = []
    while size:
        part = os.read(0, min(size, 1 << 20) if size > 0 else 1 << 20)
        if not part:
            break
        parts.append(part)
        size -= len(part) if size > 0 else 0
    return b"".join(parts)


def _say(token: str, text: str) -> None:
    line = f"{token} {text}\n".encode()
    while line:
        line = line[os.write(1, line) :]


def _become(job: dict[str, Any], fds: list[int], made: int, go: int) -> tuple[bytes, dict[str, Any]]:
    """Lay out descriptors, limits and modules as a program finds them."""
    os.setsid()
    *high, made, go = [fcntl.fcntl(fd, fcntl.F_DUPFD, FIRST_HIGH) for fd in [*fds, made, go]]
    for target, fd in enumerate(high if job["channel"] else high[:3]):
        os.dup2(fd, target)
    os.closerange(4 if job["channel"] else 3, made)
    os.closerange(go + 1, 4096)
    _limit(job)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, LANG="C.UTF-8", TZ="UTC", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    time.tzset()
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    errors = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = errors  # type: ignore[misc]
    source = binascii.a2b_base64(job["source"])
    path = os.path.join(os.getcwd(), "program.py")
    if not job["taken"]:
        with contextlib.suppress(OSError), open(path, "wb") as file:  # for what reads its own text, or starts it anew
            file.write(source)
    module = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    module.__dict__.update(__builtins__=builtins, __file__=path, __loader__=loader)
    sys.modules["__main__"] = module
    sys.argv = ["program.py", *job["arguments"]]
    linecache.cache["program.py"] = (lambda: source.decode("utf-8", "replace"),)
    os.write(made, b"x")
    os.close(made)
    os.read(go, 1)
    os.close(go)
    return source, module.__dict__


def _limit(job: dict[str, Any]) -> None:
    with open("/proc/self/statm", "rb") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    seconds = int(job["cpu"]) + 1
    for which, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, job["memory"] + mapped),
        (resource.RLIMIT_FSIZE, max(job["caps"]) + 1),
        (resource.RLIMIT_NOFILE, job["open_files"]),
        (resource.RLIMIT_STACK, job["stack"]),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def _watch(job: dict[str, Any], words: dict[str, str], pid: int, traffic: Any, go: int) -> None:
    """Wait for the program's end, bring it about at a limit, and report."""
    _hide()
    _say(words["token"], "ready")
    started = time.monotonic()
    os.write(go, b"x")
    killed = ""
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = started + job["wall"] - time.monotonic()
        if left <= 0 or traffic.full:
            killed = "output" if traffic.full else "wall"
            break
        traffic.move(min(left, TICK_SECONDS))
    wall = time.monotonic() - started
    with contextlib.suppress(OSError):  # nobody may be left in the group
        os.killpg(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    traffic.finish()
    report: dict[str, Any] = {
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "killed": killed,
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": wall,
        "peak": usage.ru_maxrss * 1024,
        "outputs": traffic.report(),
        "files": _collect(job["collect"], job["caps"][3]),
    }
    _deliver(words, json.dumps(report))
    os._exit(0)


def _hide() -> None:
    """Close this process's memory and descriptors to the program, where the kernel lets a user do that."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _collect(names: list[str], cap: int) -> dict[str, str]:
    """The files of these names; what a link leads to is not brought back."""
    found: dict[str, str] = {}
    here = os.path.realpath(os.getcwd())
    for name in names:
        path = os.path.join(here, name)
        if os.path.realpath(path) == path and os.path.isfile(path) and os.path.getsize(path) <= cap:
            with open(path, "rb") as file:
                found[name] = encoded(file.read())
    return found


def _deliver(words: dict[str, str], report: str) -> None:
    if len(report) > INLINE_BYTES:
        with contextlib.suppress(OSError):  # where no file can be written, standard output has to take it
            fd = os.open(words["report"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            with os.fdopen(fd, "wb") as file:
                file.write(f"{words['token']} {report}\n".encode())
            return
    _say(words["token"], report)


def run() -> None:
    """The whole of it. At its end the program's process goes on as any interpreter at the end of a script."""
    source, names = start()
    try:
        exec(compile(source, "program.py", "exec", dont_inherit=True), names)  # noqa: S102 - the whole purpose
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - shown as Python would, without the frame of this function
        shown = error.__traceback__.tb_next if error.__traceback__ else None
        if sys.excepthook is sys.__excepthook__:
            traceback.print_exception(type(error), error, shown)
        else:
            sys.excepthook(type(error), error, shown)
        sys.exit(1)
