"""The fork server of a slot: pid 1 of its own namespaces (modes A and B) or a plain process (C and D).

It forks once for each request and never reads what a job contains.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import time
from typing import NoReturn

from . import bpf, child, clocks, collector, counters, headers, interpreter, kernel, processes, rules, seccomp
from .clocks import Clock
from .filesystem import FOLDERS, SCRATCH, Scratch, links_to
from .hostscratch import RUN, HostScratch
from .lastdoors import LastDoors
from .mountedscratch import CONTAINER_FOLDERS, MountedScratch
from .protocol import (
    BINARY,
    CHANNEL,
    COLLECT,
    DISK_FULL,
    MEMORY_KILL,
    MESSAGE_BYTES,
    REPLY,
    REQUEST,
    SETUP_FAILED,
    Config,
    Reply,
    Request,
)
from .streams import Streams
from .watch import Watch

_LOW, _HIGH = 10, 100  # the zygote's own descriptors lie from _HIGH on, those of a request from _LOW on


class Zygote:
    """Serves requests until its control socket ends."""

    def __init__(self, control: socket.socket, keeper: socket.socket, config: Config, clock: Clock | None) -> None:
        self.control = control
        self.keeper = keeper
        self.config = config
        self.isolated = config["mode"] in "ABP"
        self.contained = config["mode"] == "P"
        root = SCRATCH if self.isolated else f"{config['scratch']}/{RUN}"
        self.folders = list(CONTAINER_FOLDERS) if self.contained else [f"{root}/{name}" for name in FOLDERS]
        # In namespaces of ours the runner is 1000 where two identities are mapped; elsewhere a uid per slot where root.
        identity = None if config["mode"] == "D" or config["own_maps"] else config["identity"]
        if config["mode"] in "AB" and identity is not None:
            identity = 1000
        self.memory_kills = 0
        self.scratch: Scratch | HostScratch | MountedScratch = Scratch(links_to(config["binds"]))
        if self.contained:
            self.scratch = MountedScratch(config["identity"])
        elif not self.isolated:
            self.scratch = HostScratch(config["scratch"], identity, lambda: self.keeper.send(b"t"))
        for number in range(3, _LOW):  # so that a request's descriptors come to lie above those of the program
            os.dup2(0, number, inheritable=False)
        self.doors = child.Doors(
            identity=identity,
            rules=-1,
            work=self.folders[0],
            dies_with_zygote=not self.isolated,
            dies_first=self.contained,
        )
        self._renew_rules()
        self.crew = processes.crew(config["mode"], identity, clock)
        self.last_doors = LastDoors(config["mode"], self.crew.clock)

    def _renew_rules(self) -> None:
        """Make the Landlock ruleset; anew when the folders that it names are."""
        if self.config["landlock"]:
            if self.doors.rules >= 0:
                os.close(self.doors.rules)
            fresh = rules.of_slot(self.config, self.folders)
            self.doors.rules = fcntl.fcntl(fresh, fcntl.F_DUPFD_CLOEXEC, _HIGH)
            os.close(fresh)

    def _prepare_scratch(self, request: Request) -> None:
        if self.scratch.prepare(request.scratch, request.inodes) and not self.isolated:
            self._renew_rules()

    def lock_up(self) -> None:
        """Give up what no run needs, and load the long filter; from here on nothing new can be set up."""
        if self.config["mode"] != "C":  # there the zygote is the container's root; its children change identity
            kernel.drop_privilege_sources()
        elif os.getuid() == 0:
            os.setgroups([])
        child.limit_for_all_runs()
        kernel.prctl(kernel.NO_NEW_PRIVILEGES, 1)
        bpf.Filter(seccomp.slot_filter(sockets=self.isolated)).load()
        with open("/proc/self/statm") as file:
            self.doors.address_slack = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

    def serve(self) -> NoReturn:
        """Answer requests for ever; leaves when the supervisor does."""
        while True:
            try:
                message, ancillary, _, _ = self.control.recvmsg(MESSAGE_BYTES, socket.CMSG_SPACE(8 * 4))
            except OSError:
                os._exit(0)
            if not message:
                os._exit(0)
            if len(message) < REQUEST.size:
                continue  # a cancellation that came after its run had ended
            fds: list[int] = []
            for _, _, data in ancillary:
                fds += struct.unpack(f"{len(data) // 4}i", data)
            request = Request(*REQUEST.unpack(message))
            try:
                answer = self._run(request, _named(request, fds))
            finally:
                for fd in fds:
                    os.close(fd)
            self.control.send(answer)
            self._prepare_scratch(request)

    def _run(self, request: Request, fds: dict[str, int]) -> bytes:
        self._prepare_scratch(request)
        last_door = self.last_doors.of(request)
        streams = Streams(request, fds)
        request = request._replace(processes=self.crew.process_limit(request.processes))
        note, streams.handed["note"] = os.pipe2(os.O_CLOEXEC)
        self.crew.begin()
        started = time.monotonic_ns()
        pid = os.fork()
        if pid == 0:
            self._be_child(request, streams.handed, last_door)
        os.close(streams.handed["note"])
        flags = Watch(pid, request, fds, streams).wait(self.control, self.crew, started)
        usage = self.crew.end(pid)
        streams.finish()
        wall = (time.monotonic_ns() - started) // 1000
        said = os.read(note, 4096)
        os.close(note)
        reason = b""
        if said != child.SETUP_DONE:
            flags |= SETUP_FAILED
            reason = said.lstrip(child.SETUP_DONE) or b"the process died while it was set up"
        elif request.flags & COLLECT:
            reader = self.doors.identity if self.contained else None
            collector.collect(self.doors.work, fds["job"], fds["collected"], request.scratch, reader)
        if self.scratch.inspect():
            flags |= DISK_FULL
        exit_code = os.WEXITSTATUS(usage.status) if os.WIFEXITED(usage.status) else -1
        ended_by = os.WTERMSIG(usage.status) if os.WIFSIGNALED(usage.status) else -1
        if self.contained and ended_by == signal.SIGKILL and self._new_memory_kill():
            flags |= MEMORY_KILL
        return REPLY.pack(*Reply(exit_code, ended_by, flags, wall, usage.cpu, usage.peak_memory)) + reason

    def _new_memory_kill(self) -> bool:
        """Whether the kernel has killed in the container's cgroup for want of memory; others' slots read it outside."""
        kills = counters.memory_kills(list(self.config["cgroups"]))
        new, self.memory_kills = kills > self.memory_kills, kills
        return new

    def _be_child(self, request: Request, fds: dict[str, int], last_door: bpf.Filter) -> NoReturn:
        try:
            self.control.close()
            self.keeper.close()
            child.become(request, fds, self.doors, last_door)
        except BaseException as error:  # noqa: BLE001 - told over the note, which the program never holds
            text = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
            os.write(self.doors.note, text[:2000])
        finally:
            os._exit(125)


def _move_up(end: socket.socket) -> socket.socket:
    moved = socket.socket(fileno=fcntl.fcntl(end.fileno(), fcntl.F_DUPFD_CLOEXEC, _HIGH))
    end.close()
    return moved


def _named(request: Request, fds: list[int]) -> dict[str, int]:
    names = ["job", "stdin", "stdout", "stderr"]
    names += [
        name for flag, name in ((CHANNEL, "result"), (COLLECT, "collected"), (BINARY, "binary")) if request.flags & flag
    ]
    return dict(zip(names, fds, strict=True))


def main(control: socket.socket, keeper: socket.socket, config: Config, clock: Clock | None = None) -> NoReturn:
    """Set up and serve; a failure is told to the supervisor.

    Args:
        control: Leads to the supervisor.
        keeper: Leads to the keeper.
        config: The slot's.
        clock: Counts its CPU time; where None, one is looked for.
    """
    clock = clock or clocks.of_cgroup(config["cgroups"]) or clocks.of_descendants()
    control, keeper = _move_up(control), _move_up(keeper)
    try:
        if config["headers"]:
            headers.fill(config["headers"], own_mount=config["mode"] in "AB")
        zygote = Zygote(control, keeper, config, clock)
        zygote.scratch.prepare(64 << 20, 4096)
        zygote.doors.ways = interpreter.prepare(config)
        kernel.prctl(kernel.SET_DUMPABLE, 0)
        if not zygote.isolated:
            kernel.prctl(kernel.SET_SUBREAPER, 1)
        zygote.lock_up()
    except BaseException as error:  # noqa: BLE001 - told to the supervisor, which raises it
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    control.send(b"{}")
    zygote.serve()
