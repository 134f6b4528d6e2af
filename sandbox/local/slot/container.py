"""The fork server as the first process of a container: what is there is told to the supervisor, then it serves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from typing import Any, cast

from . import keeper, landlock, probe, zygote
from .protocol import Config

CONTROL = "/assay/control"
_LEAST_PYTHON = (3, 11)
_PRELOADED = ("numpy", "sympy")


def main(text: str) -> None:
    """Serve until the supervisor lets go.

    Args:
        text: A ``Config`` as JSON with ``look_for`` beside it: the tools to look for.
    """
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(CONTROL)
    os.environ.pop("PYTHONPATH", None)
    given: dict[str, Any] = json.loads(text)
    path = _package_folders()
    contents = probe.attempt(lambda: _contents(given.pop("look_for"), path))
    if not isinstance(contents, dict):
        _fail(control, f"the image could not be looked at: {contents}")
    control.send(json.dumps(contents).encode())
    if sys.version_info < _LEAST_PYTHON:
        _fail(control, f"its Python is {sys.version.split()[0]}; the fork server needs 3.11 or newer")
    given.pop("look_for", None)
    config = cast(Config, given)
    config["path"] = path
    config["binds"] = list(dict.fromkeys((sys.base_prefix, sys.prefix)))
    config["landlock"] = landlock.abi() > 0
    config["environment"]["PATH"] = os.environ.get("PATH", os.defpath)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        keeper.have_descriptors()
    except OSError as error:
        _fail(control, str(error))
    keeper.go_first_when_memory_runs_out()
    os.setgroups([])
    ours, theirs = socket.socketpair()
    with contextlib.closing(ours):
        zygote.main(control, theirs, config)


def _fail(control: socket.socket, reason: str) -> None:
    control.send(json.dumps({"error": reason}).encode())
    os._exit(1)


def _package_folders() -> list[str]:
    """Where installed packages lie; the interpreter was started without looking."""
    import site

    return [folder for folder in site.getsitepackages() if os.path.isdir(folder)]


def _contents(tools: list[str], path: list[str]) -> dict[str, Any]:
    """Versions and places of what programs can use here; in a process of its own, which may load what it likes."""
    import importlib.metadata
    import shutil

    versions = {entry.metadata["Name"].lower(): entry.version for entry in importlib.metadata.distributions(path=path)}
    places = {tool: shutil.which(tool) for tool in tools}
    return {
        "python": sys.version.split()[0],
        "packages": {name: versions[name] for name in _PRELOADED if name in versions},
        "tools": {tool: os.path.realpath(place) for tool, place in places.items() if place},
        "landlock": landlock.abi(),
    }
