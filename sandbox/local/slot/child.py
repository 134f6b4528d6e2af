"""What a run's own process does: lay out its descriptors, take on the limits, shut the doors, become the program."""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import resource
import signal
import sys
from typing import Any

from . import closedfolders, kernel, landlock, pythonprogram
from .bpf import Filter
from .protocol import BINARY, CHANNEL, EXECUTE, NO_ADDRESS_LIMIT, Request

SETUP_DONE = b"\x01"
_RUNTIME_BYTES = 256 << 20
# What execve answers for want of something that the machine, not the program, has too little of.
_OURS = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.EPERM, errno.ETXTBSY)
_COMMAND_NOT_FOUND, _CANNOT_EXECUTE = 127, 126  # as a shell ends
_NOTE, _RULES, _BINARY = 4, 5, 6  # descriptors while setting up; the program sees 0, 1, 2 and, with a channel, 3


class Doors:
    """What the zygote prepared, once, for its children to shut behind them."""

    def __init__(
        self, *, identity: int | None, rules: int, work: str, dies_with_zygote: bool, dies_first: bool
    ) -> None:
        self.identity = identity
        self.rules = rules
        self.work = work
        self.dies_with_zygote = dies_with_zygote  # by its own doing; in a pid namespace the kernel sees to it
        self.dies_first = dies_first  # when memory runs out: where no keeper outlives the zygote to tell of it
        self.address_slack = 0  # what the zygote itself has mapped
        self.ways = closedfolders.Ways()  # by which modules are found
        self.note = -1  # where a process that is setting up can tell what went wrong


def become(request: Request, fds: dict[str, int], doors: Doors, last_door: Filter) -> None:
    """Turn this freshly forked process into the program; returns never, except by an exception while setting up."""
    doors.note = fds["note"]
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # here: the first process of a namespace shall have none
    job = _read_job(fds["job"])
    _arrange(request, fds, doors)
    if doors.dies_first:
        _offer_to_die()
    os.umask(0o077)
    os.chdir(doors.work)
    _limit(request, doors)
    _drop_identity(doors.identity)
    if doors.dies_with_zygote:
        kernel.prctl(kernel.SET_DEATH_SIGNAL, signal.SIGKILL)  # here, for a change of identity clears it
    _lay_files(job["files"])
    if job["own_file"] and request.kind != EXECUTE:
        with contextlib.suppress(OSError):  # there is no room for it, or the program brings a file of that name
            _lay_files({pythonprogram.OWN_FILE: job["source"]})
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
    doors.ways.point_at_the_interpreter()
    os._exit(pythonprogram.run(job))


def _offer_to_die() -> None:
    """The kernel then takes the program, not its zygote, however small it is; a program cannot take that back."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", 0) as file:
        file.write(b"1000")


def _read_job(fd: int) -> dict[str, Any]:
    size = os.fstat(fd).st_size
    content = os.pread(fd, size, 0)
    while len(content) < size:
        content += os.pread(fd, size - len(content), len(content))
    job: dict[str, Any] = marshal.loads(content)  # noqa: S302 - the supervisor wrote it
    return job


def _arrange(request: Request, fds: dict[str, int], doors: Doors) -> None:
    """Descriptors 0 to 3 for the program, 4 to 6 for setting up, those by which it finds modules, nothing else.

    Those that came with the request all lie above; the zygote keeps the low ones occupied.
    """
    for target, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(fds[name], target)
    os.dup2(fds["note"], _NOTE, inheritable=False)
    doors.note = _NOTE
    if request.flags & CHANNEL:
        os.dup2(fds["result"], 3)
    else:
        os.close(3)
    if doors.rules >= 0:
        os.dup2(doors.rules, _RULES, inheritable=False)
    if request.flags & BINARY:
        os.dup2(fds["binary"], _BINARY, inheritable=False)
    os.closerange(_BINARY + 1 if request.flags & BINARY else _BINARY, closedfolders.FIRST)
    os.closerange(closedfolders.FIRST + doors.ways.descriptors, 1 << 20)


def _limit(request: Request, doors: Doors) -> None:
    seconds = -(-request.cpu // 1_000_000)
    file_bytes = max(request.stdout, request.stderr, request.result, request.scratch)
    _set("CPU", seconds + 1, seconds + 2)
    _set("FSIZE", file_bytes)
    _set("NOFILE", request.open_files)
    _set("STACK", request.stack)
    if request.flags & NO_ADDRESS_LIMIT:
        # Such a runtime keeps its heap within the limit by an option; stacks, code and caches come on top.
        _set("DATA", 2 * request.memory + _RUNTIME_BYTES)
    else:
        _set("AS", request.memory + doors.address_slack)


def _set(name: str, soft: int, hard: int | None = None) -> None:
    """A limit of the run; under a lower one of the machine it is not run, since its verdict could differ there."""
    kind = getattr(resource, "RLIMIT_" + name)
    try:
        resource.setrlimit(kind, (soft, soft if hard is None else hard))
    except ValueError as error:
        most = resource.getrlimit(kind)[1]
        raise ValueError(
            f"the hard RLIMIT_{name} of this process is {most}, and the run asks for {soft}; raise it (`ulimit -H`, "
            "Docker's --ulimit) or ask for less in Limits"
        ) from error


def limit_for_all_runs() -> None:
    """The limits that are the same for every run: the zygote takes them on, its children inherit them.

    A lower limit of the machine's own stays: hardened hosts allow no core file at all.
    """
    for which, value in (
        (resource.RLIMIT_CORE, 1),  # 1, not 0: with 0 the kernel still starts a core handler of the host
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
        (resource.RLIMIT_SIGPENDING, 1024),
    ):
        most = resource.getrlimit(which)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(which, (value, value))


def _drop_identity(identity: int | None) -> None:
    if identity is not None:
        os.setresgid(identity, identity, identity)
        os.setresuid(identity, identity, identity)
    kernel.clear_capabilities()


def _limit_processes(request: Request) -> None:
    if request.processes:
        _set("NPROC", request.processes)


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
    try:
        os.execve(target, job["arguments"], os.environ)  # noqa: S606 - to run a program is the purpose
    except OSError as error:
        if not _fault_of_the_program(error.errno, of_its_own=target == _BINARY):
            raise
        print(f"{job['arguments'][0][:100]}: {os.strerror(error.errno or 0)}", file=sys.stderr, flush=True)
        os._exit(_COMMAND_NOT_FOUND if error.errno == errno.ENOENT else _CANNOT_EXECUTE)


def _fault_of_the_program(number: int | None, *, of_its_own: bool) -> bool:
    """Whether ``execve`` failed for what the program is: a binary can be made such that no kernel starts it.

    Args:
        number: The error's.
        of_its_own: Whether the program itself is the file to execute, not a tool of the machine.
    """
    return number not in _OURS if of_its_own else number == errno.E2BIG
