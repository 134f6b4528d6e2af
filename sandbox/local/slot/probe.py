"""Try each isolation mechanism for real, each in a process of its own; print what was found as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable

from . import bpf, kernel, landlock, seccomp

_NOBODY = 65534
_SPACES = kernel.NEW_MOUNT | kernel.NEW_PID | kernel.NEW_NET | kernel.NEW_IPC | kernel.NEW_UTS


def main() -> None:
    """Print a JSON object: True or a version for each mechanism that works, else the reason as text."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the trainer may ignore it; then no trial could be waited for
    findings: dict[str, object] = {"root": os.geteuid() == 0}
    findings["seccomp"] = attempt(_seccomp)
    findings["landlock"] = attempt(_landlock)
    findings["user_namespaces"] = attempt(_user_namespaces)
    if findings["root"]:
        findings["root_namespaces"] = attempt(_root_namespaces)
        findings["change_identity"] = attempt(_change_identity)
    else:
        findings["root_namespaces"] = findings["change_identity"] = "not root"
    json.dump(findings, sys.stdout)


def attempt(trial: Callable[[], object]) -> object:
    """What ``trial`` returns in a process of its own, or why it failed, as text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            answer = trial()
        except BaseException as error:  # noqa: BLE001 - the reason is the answer
            answer = f"{error}" or type(error).__name__
        os.write(writer, json.dumps(answer).encode()[:4096])
        os._exit(0)
    os.close(writer)
    data = b""
    while part := os.read(reader, 4096):
        data += part
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    if data:
        return json.loads(data)
    return f"the trial ended with wait status {status}"


def _seccomp() -> object:
    kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
    bpf.Filter(seccomp.slot_filter(sockets=True)).load()
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError:
        return True
    return "a filter was loaded but does not filter"


def _landlock() -> object:
    rules = landlock.ruleset([("/usr", landlock.READ)])
    kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
    landlock.restrict(rules)
    try:
        os.listdir("/etc")
    except OSError:
        return landlock.abi()
    return "rules were loaded but do not hold"


def _mounts() -> object:
    kernel.mount(None, "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    kernel.mount("tmpfs", "/mnt" if os.path.isdir("/mnt") else "/tmp", "tmpfs", 0, "size=1m")  # noqa: S108
    os.close(kernel.clone_tree("/usr", kernel.READ_ONLY))
    pid = os.fork()
    if pid == 0:
        try:
            kernel.mount("proc", "/proc", "proc", 14, "subset=pid,hidepid=2")
        except OSError:
            os._exit(1)
        os._exit(0)
    return True if os.waitpid(pid, 0)[1] == 0 else "proc cannot be mounted in a new process namespace"


def _user_namespaces() -> object:
    user, group = os.geteuid(), os.getegid()
    if user == 0:  # its own id would do for namespaces, but limits on processes do not count what root starts
        kernel.enter_user_namespace([_NOBODY])
        kernel.unshare(_SPACES)
        return _mounts()
    kernel.unshare(kernel.NEW_USER | _SPACES)
    with open("/proc/self/setgroups", "wb", 0) as file:
        file.write(b"deny")
    kernel.map_identity("self", "uid_map", [(0, user)])
    kernel.map_identity("self", "gid_map", [(0, group)])
    return _mounts()


def _root_namespaces() -> object:
    kernel.unshare(_SPACES)
    return _mounts()


def _change_identity() -> object:
    """Root's right to give a folder to another user, to move it all the same, and to become that user."""
    folder = tempfile.mkdtemp(prefix="assay-probe-")
    path, moved = f"{folder}/run", f"{folder}/trash"
    try:
        os.mkdir(path, 0o700)
        os.chown(path, _NOBODY, _NOBODY)
        os.listdir(path)
        os.rename(path, moved)
    except OSError as error:
        return f"root cannot own and enter folders of others, which takes CAP_CHOWN and CAP_DAC_OVERRIDE: {error}"
    finally:
        for name in (path, moved, folder):
            with contextlib.suppress(OSError):
                os.rmdir(name)
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    return True
