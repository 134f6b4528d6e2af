"""What a run's own process does: lay out its descriptors, take on the limits, shut the doors, become the program."""

from __future__ import annotations

import atexit
import builtins
import fcntl
import gc
import linecache
import marshal
import os
import resource
import signal
import sys
import threading
import traceback
import types
from typing import Any

from . import kernel, landlock
from .protocol import BINARY, CHANNEL, EXECUTE, NO_ADDRESS_LIMIT, Request
from .seccomp import Filter

SETUP_DONE = b"\x01"
_NOTE, _RULES, _BINARY = 4, 5, 6  # descriptors while setting up; the program sees 0, 1, 2 and, with a channel, 3


class Doors:
    """What the zygote prepared, once, for its children to shut behind them."""

    def __init__(self, *, identity: int | None, rules: int, address_slack: int, proc: bool) -> None:
        self.identity = identity
        self.rules = rules
        self.address_slack = address_slack
        self.proc = proc
        self.work = ""
        self.note = -1  # where a process that is setting up can tell what went wrong


def become(request: Request, fds: dict[str, int], doors: Doors, last_door: Filter) -> None:
    """Turn this freshly forked process into the program; returns never, except by an exception while setting up."""
    doors.note = fds["note"]
    os.setsid()
    job = _read_job(fds["job"])
    _arrange(request, fds, doors)
    if doors.proc:
        _offer_to_the_oom_killer()
    os.umask(0o077)
    os.chdir(doors.work)
    _limit(request, doors)
    _drop_identity(doors.identity)
    _lay_files(job["files"])
    _limit_processes(request)
    kernel.prctl(kernel.SET_DUMPABLE, 1)  # else the program cannot even read its own /proc entries
    if doors.rules >= 0:
        landlock.restrict(_RULES)
        os.close(_RULES)
    last_door.load()
    if request.kind == EXECUTE:
        _execute(request, job)
    os.write(_NOTE, SETUP_DONE)
    os.close(_NOTE)
    os._exit(_run_python(job))


def _read_job(fd: int) -> dict[str, Any]:
    size = os.fstat(fd).st_size
    parts = []
    offset = 0
    while offset < size:
        part = os.pread(fd, size - offset, offset)
        parts.append(part)
        offset += len(part)
    job: dict[str, Any] = marshal.loads(b"".join(parts))  # noqa: S302 - the supervisor wrote it
    return job


def _arrange(request: Request, fds: dict[str, int], doors: Doors) -> None:
    """Descriptors 0 to 3 for the program, 4 to 6 for setting up, nothing else."""
    wanted = {0: fds["stdin"], 1: fds["stdout"], 2: fds["stderr"], _NOTE: fds["note"]}
    if request.flags & CHANNEL:
        wanted[3] = fds["result"]
    if doors.rules >= 0:
        wanted[_RULES] = doors.rules
    if request.flags & BINARY:
        wanted[_BINARY] = fds["binary"]
    high = {target: fcntl.fcntl(source, fcntl.F_DUPFD, 64) for target, source in wanted.items()}
    for target, source in high.items():
        os.dup2(source, target, inheritable=target <= 3)
    for number in (3, _RULES, _BINARY):
        if number not in wanted:
            _close_quietly(number)
    doors.note = _NOTE
    os.closerange(7, 1 << 20)


def _close_quietly(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        pass  # it was not open


def _offer_to_the_oom_killer() -> None:
    """Where a cgroup runs out of memory, the kernel shall take the program, not the zygote."""
    kernel.prctl(kernel.SET_DUMPABLE, 1)  # else the file belongs to the host's root
    try:
        with open("/proc/self/oom_score_adj", "wb", 0) as file:
            file.write(b"1000")
    except OSError:
        pass


def _limit(request: Request, doors: Doors) -> None:
    seconds = -(-request.cpu // 1_000_000)
    file_bytes = max(request.stdout, request.stderr, request.result, request.scratch)
    for which, soft, hard in (
        (resource.RLIMIT_CORE, 1, 1),  # 1, not 0: with 0 the kernel still starts a core handler of the host
        (resource.RLIMIT_CPU, seconds + 1, seconds + 2),
        (resource.RLIMIT_FSIZE, file_bytes, file_bytes),
        (resource.RLIMIT_NOFILE, request.open_files, request.open_files),
        (resource.RLIMIT_STACK, request.stack, request.stack),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_MSGQUEUE, 0, 0),
        (resource.RLIMIT_NICE, 0, 0),
        (resource.RLIMIT_RTPRIO, 0, 0),
        (resource.RLIMIT_SIGPENDING, 1024, 1024),
    ):
        resource.setrlimit(which, (soft, hard))
    memory = request.memory + doors.address_slack
    kind = resource.RLIMIT_DATA if request.flags & NO_ADDRESS_LIMIT else resource.RLIMIT_AS
    resource.setrlimit(kind, (memory, memory))


def _drop_identity(identity: int | None) -> None:
    if identity is not None:
        try:
            os.setgroups([])
        except PermissionError:
            pass  # a user namespace made without privilege forbids it; its groups are unmapped there
        os.setresgid(identity, identity, identity)
        os.setresuid(identity, identity, identity)
    kernel.clear_capabilities()


def _limit_processes(request: Request) -> None:
    if request.processes:
        resource.setrlimit(resource.RLIMIT_NPROC, (request.processes, request.processes))


def _lay_files(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        folder = os.path.dirname(name)
        if folder:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(name, "xb", 0) as file:
            view = memoryview(content)
            while view:
                view = view[file.write(view) :]
        os.chmod(name, 0o700)


def _execute(request: Request, job: dict[str, Any]) -> None:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    target: int | str = _BINARY if request.flags & BINARY else job["arguments"][0]
    os.write(_NOTE, SETUP_DONE)  # the note itself closes with the exec
    os.execve(target, job["arguments"], job["environment"])  # noqa: S606 - to run a program is the purpose


def _run_python(job: dict[str, Any]) -> int:
    """Execute the source as ``python program.py`` would; the exit code."""
    name = "program.py"
    source: bytes = job["source"]
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __file__=f"{os.getcwd()}/{name}")
    for key in [key for key in sys.modules if key == "slot" or key.startswith("slot.")]:
        del sys.modules[key]
    sys.modules["__main__"] = module
    sys.argv = [name, *job["arguments"]]
    sys.path.insert(0, os.getcwd())
    os.environ.update(job["environment"])
    linecache.cache[name] = (lambda: source.decode("utf-8", "replace"),)  # type: ignore[assignment]  # read when needed
    gc.enable()
    code = 0
    try:
        exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the purpose
    except SystemExit as stop:
        code = _exit_code(stop)
    except BaseException as error:  # noqa: BLE001 - the program's, reported as Python would
        code = 1
        _report(error)
    return _finish(code)


def _exit_code(stop: SystemExit) -> int:
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code & 0xFF
    try:
        print(stop.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001, S110 - the program's own objects may raise anything
        pass
    return 1


def _report(error: BaseException) -> None:
    """Print the traceback without our own frame, by the program's hook if it set one."""
    try:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        if sys.excepthook is sys.__excepthook__:
            traceback.print_exception(type(error), error, trace)
        else:
            sys.excepthook(type(error), error, trace)
    except BaseException:  # noqa: BLE001, S110 - the program may have broken sys.stderr or the hook
        pass


def _finish(code: int) -> int:
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException:  # noqa: BLE001 - handlers of the program
        code = code or 1
    try:
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001
        code = code or 120
    try:
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001, S110
        pass
    return code
