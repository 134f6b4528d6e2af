"""A few attacks that every sandbox must stand before it gets real work."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import SandboxUnavailable
from ..base import Execution, Limits, Program, Status

Run = Callable[[Sequence[Program], Limits], list[Execution]]
_FORKS = 48
_STACK_BYTES = 8 << 20  # Linux's own: a machine that allows no more may still run programs that ask for no more
_LIMITS = Limits(cpu_seconds=5, wall_seconds=20, processes=_FORKS // 2, stack_bytes=_STACK_BYTES)
_SHORT = replace(_LIMITS, cpu_seconds=1, wall_seconds=0.1)
_ATTACKS = """
import ctypes, os, socket, sys, time
canary, port, supervisor, forks = {canary!r}, {port}, {supervisor}, {forks}
libc = ctypes.CDLL(None)
def attempt(what, attack):
    try:
        attack()
    except BaseException:
        return
    print("OUT", what, flush=True)
def must(condition):
    if not condition:
        raise OSError
attempt("read a file of the host", lambda: open(canary).read())
for path in ("/usr/assay-self-test", "/etc/assay-self-test", "/proc/sys/kernel/core_pattern", canary):
    attempt("opened " + path + " for writing", lambda: open(path, "ab"))
attempt("reached the network", lambda: socket.create_connection(("127.0.0.1", port), 1))
attempt("made a socket to the hypervisor", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("signalled the supervisor", lambda: must(supervisor != os.getpid()) or os.kill(supervisor, 0))
attempt("entered a new user namespace", lambda: must(libc.unshare(0x10000000) == 0))
attempt("became root again", lambda: must(libc.setuid(0) == 0 and os.getuid() == 0 and os.path.exists("/root/.")))
try:
    import decimal, wave
except ImportError as error:
    print("OUT of order: the standard library cannot be imported:", error)
started = 0
try:
    while started < forks:
        if os.fork() == 0:
            time.sleep(60)
        started += 1
    print("OUT started", started, "processes")
except OSError:
    pass
print("END", flush=True)
"""


def sweep() -> None:
    """Remove what the self-tests of processes left that were killed meanwhile, as this user, an hour ago or earlier."""
    for path in Path(tempfile.gettempdir()).glob("assay-*-self-test-*"):
        owner = path.name.split("-")[1]
        with contextlib.suppress(OSError):
            look = path.lstat()
            stale = stat.S_ISDIR(look.st_mode) and look.st_uid == os.geteuid() and look.st_mtime < time.time() - 3600
            if stale and owner.isdecimal() and not os.path.exists(f"/proc/{owner}"):
                shutil.rmtree(path)


def check(run: Run, strays: Callable[[], list[str]], name: str) -> None:
    """Attack a sandbox.

    Args:
        run: Runs programs in it.
        strays: Tells which processes of programs are alive although nothing runs.
        name: What to call it.

    Raises:
        SandboxUnavailable: An attack got out, or the sandbox does not work at all.
    """
    found = _findings(run, strays)
    if found:
        raise SandboxUnavailable(
            f"the sandbox ({name}) failed its self-test, so no program is run in it: {'; '.join(found)}. "
            "Please report this with the output of `assay doctor`."
        )


def _findings(run: Run, strays: Callable[[], list[str]]) -> list[str]:
    """What got out; empty when all is well."""
    sweep()
    with (
        tempfile.TemporaryDirectory(prefix=f"assay-{os.getpid()}-self-test-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        canary = Path(folder, secrets.token_hex(8))
        canary.write_text("canary")
        canary.chmod(0o666)
        Path(folder).chmod(0o755)
        source = _ATTACKS.format(
            canary=str(canary), port=listener.getsockname()[1], supervisor=os.getpid(), forks=_FORKS
        )
        [attack] = run([Program(source)], _LIMITS)
        left = strays()
        [sleeper] = run([Program("import time; time.sleep(60)")], _SHORT)
    lines = attack.stdout.decode("utf-8", "replace").splitlines()
    found = [line.removeprefix("OUT ") for line in lines if line.startswith("OUT ")]
    if "END" not in lines:
        found.append(f"the attacks did not run to their end: {attack.reason or attack.stderr[-300:]!r}")
    if left:
        found.append(f"processes were left: {', '.join(left)}")
    if sleeper.status is not Status.TIME_LIMIT:
        found.append(f"a sleeping program was not ended in time: {sleeper.status.name} {sleeper.reason}")
    return found
