"""Whose container is whose: the label that each one carries, and the removal of those whose owner is gone."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ...errors import SandboxUnavailable
from .engine import Engine

LABEL = "assay.sandbox.owner"
FOLDER = "assay-docker-"
_ANY = ["created", "running", "exited", "dead", "paused"]
_LEFT: set[tuple[str, str]] = set()  # containers of this process that may still be there: socket, and id or name


def owner() -> str:
    """This process, told from every other: the machine's boot, the process namespace, the process, when it started."""
    pid = os.getpid()
    return f"{_boot()}:{_namespace()}:{pid}:{_started(pid)}"


def labels() -> dict[str, str]:
    """What a container of this process is labelled with."""
    return {LABEL: owner()}


def reap(engine: Engine) -> int:
    """Remove the containers, and the folders for their start, whose owner is gone; how many containers there were."""
    remove_left(engine)
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*-*"):
        pid = folder.name.removeprefix(FOLDER).partition("-")[0]
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(folder, ignore_errors=True)
    found = engine.call(
        "list containers", lambda client: client.containers(all=True, filters={"label": LABEL, "status": _ANY})
    )
    orphans = [entry["Id"] for entry in found if is_gone(entry["Labels"][LABEL])]
    for container in orphans:
        remove(engine, container)
    return len(orphans)


def remember(engine: Engine, container: str) -> None:
    """Have ``remove_left`` remove a container, by id or name, that may be there."""
    _LEFT.add((engine.path, container))


def remove_left(engine: Engine) -> None:
    """Remove what the daemon could not be told to remove before."""
    for path, container in list(_LEFT):
        if path == engine.path:
            remove(engine, container)


def is_gone(label: str) -> bool:
    """Whether the process of a label has ended; one of another process namespace is not ours to judge."""
    boot, _, rest = label.partition(":")
    namespace, _, rest = rest.partition(":")
    pid, _, started = rest.partition(":")
    if boot != _boot():
        return True
    return namespace == _namespace() and _started(int(pid) if pid.isdigit() else 0) != started


def remove(engine: Engine, container: str) -> None:
    """Kill and remove a container; where that fails now, ``remove_left`` does it later."""

    def now(client: object) -> None:
        from docker.errors import APIError, NotFound

        try:
            client.remove_container(container, v=True, force=True)  # type: ignore[attr-defined]
        except NotFound:
            return
        except APIError as error:
            if "already in progress" not in str(error):
                raise

    try:
        engine.call("remove a container", now)
    except SandboxUnavailable:
        remember(engine, container)
    else:
        _LEFT.discard((engine.path, container))


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _started(pid: int) -> str:
    """When a process started, in ticks after the boot; "" where there is none or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == b"Z" else fields[19].decode()
