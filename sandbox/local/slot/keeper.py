"""The outer process of a slot: makes the namespaces, starts the zygote, watches, and cleans up.

It never meets a program. It ends the slot when the supervisor closes the lifeline or is gone, so a killed trainer
leaves nothing behind: no process, no cgroup, no scratch folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
import time

from . import clocks, counters, filesystem, hostscratch, kernel, processes, zygote
from .protocol import Config

_WATCH_SECONDS = 1.0
_OOM_SCORE = 500
_DESCRIPTORS = 256  # a slot numbers its own from 100 on, and those by which modules are found from 200 on
_IN_SLOT = kernel.NEW_PID | kernel.NEW_NET | kernel.NEW_IPC | kernel.NEW_UTS


def main(control_fd: int, lifeline_fd: int, text: str) -> None:
    """Run a slot until its supervisor lets go of it.

    Args:
        control_fd: The zygote's end of the control socket.
        lifeline_fd: The keeper's end of a socket whose other end the supervisor holds and never writes to.
        text: The ``Config`` as JSON.
    """
    supervisor = os.getppid()
    config: Config = json.loads(text)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored by the trainer, it would be ignored here: none to wait for
    control = socket.socket(fileno=control_fd)
    lifeline = socket.socket(fileno=lifeline_fd)
    ours, theirs = socket.socketpair()
    try:
        have_descriptors()
        _make_cgroups(config)
        if config["scratch"]:
            hostscratch.make(config["scratch"], config["identity"] if config["mode"] == "C" else None)
        pid = _start(control, lifeline, ours, theirs, config)
    except OSError as error:
        control.send(json.dumps({"error": str(error)}).encode())
        _clean(config)
        return
    control.close()
    _watch(pid, lifeline, ours, supervisor, config)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # of a pid namespace's first process: the kernel then kills all the others
    os.waitpid(pid, 0)
    if config["mode"] == "C":
        _kill_leftovers(config["identity"])
    with contextlib.suppress(OSError):
        lifeline.send(json.dumps({"memory_kills": counters.memory_kills(list(config["cgroups"]))}).encode())
    _clean(config)


def _start(
    control: socket.socket, lifeline: socket.socket, ours: socket.socket, theirs: socket.socket, config: Config
) -> int:
    """Fork the zygote into its namespaces; its process id."""
    if config["mode"] in "AB":
        if config["own_maps"]:
            user, group = os.getuid(), os.getgid()
            kernel.unshare(kernel.NEW_USER | _IN_SLOT | kernel.NEW_MOUNT | kernel.NEW_CGROUP)
            with open("/proc/self/setgroups", "wb", 0) as file:
                file.write(b"deny")
            kernel.map_identity("self", "uid_map", [(0, user)])
            kernel.map_identity("self", "gid_map", [(0, group)])
        else:
            if config["enters"]:
                kernel.enter_user_namespace([config["identity"], config["identity"] + 1])
            kernel.unshare(_IN_SLOT)
    pid = os.fork()
    if pid == 0:
        ours.close()
        lifeline.close()
        _become_zygote(control, theirs, config)
    theirs.close()
    for folder in config["cgroups"]:
        _write(f"{folder}/cgroup.procs", str(pid))
    ours.send(b"1")
    if config["mode"] in "AB" and not config["own_maps"] and ours.recv(1):
        rows = [(0, config["identity"]), (1000, config["identity"] + 1)]
        kernel.map_identity(str(pid), "uid_map", rows)
        kernel.map_identity(str(pid), "gid_map", rows)
        ours.send(b"1")
    return pid


def _become_zygote(control: socket.socket, keeper: socket.socket, config: Config) -> None:
    try:
        kernel.prctl(kernel.SET_DEATH_SIGNAL, signal.SIGKILL)
        _await(keeper)
        go_first_when_memory_runs_out()
        clock = clocks.of_cgroup(config["cgroups"])  # now: within, cgroups are out of sight
        if config["mode"] in "AB":
            _enter(keeper, config)
    except BaseException as error:  # noqa: BLE001 - told to the supervisor, which raises it
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    zygote.main(control, keeper, config, clock)


def _await(keeper: socket.socket) -> None:
    if not keeper.recv(1):
        raise OSError("the keeper ended")


def have_descriptors() -> None:
    """Raise the soft limit on descriptors to what a slot needs, whatever its supervisor's is.

    Raises:
        OSError: The hard limit is in the way.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _DESCRIPTORS:
        raise OSError(
            f"the hard RLIMIT_NOFILE of this process is {hard}, and a slot needs {_DESCRIPTORS}; raise it "
            "(`ulimit -H`, Docker's --ulimit)"
        )
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _DESCRIPTORS), hard))


def go_first_when_memory_runs_out() -> None:
    """Where the machine runs out of memory, programs shall go before their trainer; never lowers what is set."""
    with contextlib.suppress(OSError, ValueError):
        with open("/proc/self/oom_score_adj") as file:
            present = int(file.read())
        if present < _OOM_SCORE:
            _write("/proc/self/oom_score_adj", str(_OOM_SCORE))


def _enter(keeper: socket.socket, config: Config) -> None:
    """Build the root and take on the slot's identity; what the host's root does, it does before it stops being root."""
    if not config["own_maps"]:
        kernel.unshare(kernel.NEW_MOUNT | kernel.NEW_CGROUP)
    if not filesystem.build_root(config["binds"]):
        raise OSError("proc could not be mounted")
    filesystem.seal_root()
    socket.sethostname("sandbox")
    if not config["own_maps"]:
        kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNT)
        keeper.send(b"m")
        _await(keeper)
        os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    kernel.prctl(kernel.SET_DEATH_SIGNAL, signal.SIGKILL)  # a change of identity clears it


def _watch(pid: int, lifeline: socket.socket, zygote_end: socket.socket, supervisor: int, config: Config) -> None:
    """Return when the zygote has ended, or the supervisor let go or died; meanwhile empty the scratch's trash."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    for ready in (handle, lifeline, zygote_end):
        poll.register(ready, select.POLLIN)
    # A copy of the lifeline may live on in a process that the supervisor forked, hence the look at the parent.
    while os.getppid() == supervisor:
        ready_fds = [fd for fd, _ in poll.poll(_WATCH_SECONDS * 1000)]
        if handle in ready_fds or lifeline.fileno() in ready_fds:
            break
        if ready_fds:
            if not zygote_end.recv(64):
                break
            _remove(*(entry.path for entry in os.scandir(f"{config['scratch']}/{hostscratch.TRASH}")))
    os.close(handle)


def _remove(*paths: str) -> None:
    """Delete trees however deep; processes of their own do it, which neither recursion nor a mode nor a name stops."""
    if paths:
        import subprocess  # here alone: what the keeper has loaded, every run inherits

        for command in (["/bin/chmod", "-R", "u+rwx", "--"], ["/bin/rm", "-rf", "--"]):
            with contextlib.suppress(OSError):
                subprocess.run([*command, *paths], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def _kill_leftovers(identity: int) -> None:
    helper = os.fork()
    if helper == 0:
        processes.kill_all_of(identity)
    os.waitpid(helper, 0)


def _make_cgroups(config: Config) -> None:
    for folder, files in config["cgroups"].items():
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o755)
        for name, value in files.items():
            _write(f"{folder}/{name}", value)


def _clean(config: Config) -> None:
    """Remove cgroups and, where the host's file system held it, the scratch folder."""
    for folder in config["cgroups"]:
        for _ in range(200):
            try:
                os.rmdir(folder)
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.01)  # the kernel is still taking its last process apart
            else:
                break
    if config["scratch"]:
        _remove(config["scratch"])


def _write(path: str, text: str) -> None:
    with open(path, "wb", 0) as file:
        file.write(text.encode())
