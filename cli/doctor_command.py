"""``assay doctor``."""

from __future__ import annotations

import os
import platform
import socket
import sys

import click

from ..errors import AssayError, SandboxUnavailable
from ..sandbox.local import LocalSandbox
from ..sandbox.local.machine import MODES, Machine, choose, machine
from ..sandbox.local.toolchains import TOOLCHAINS, which

_DOCKER_SECONDS = 2.0


@click.command("doctor")
@click.option(
    "--require",
    type=click.Choice(["A", "B", "C", "D"]),
    default="D",
    show_default=True,
    help="The weakest mode that counts as good.",
)
def command(require: str) -> None:
    """How programs are isolated on this machine, and what is not covered.

    The exit status is 0 where programs are isolated at least as well as --require asks, else 1.
    """
    here = machine()
    click.echo(f"system        {platform.system()} {platform.release()}, {platform.machine()}, Python {_python()}")
    click.echo(f"user          {'root' if here.findings.get('root') else f'uid {os.getuid()}, not root'}")
    mode = here.modes[0]
    click.echo(f"mode          {mode}: {MODES[mode]}")
    _list("tried", [f"{name}: {_finding(value)}" for name, value in here.findings.items() if name != "root"])
    _list("enforced", here.enforced(mode))
    _list("not covered", here.missing(mode, writable=mode not in "CD") or ["nothing that this sandbox can enforce"])
    _list("toolchains", _toolchains())
    click.echo(f"docker        {_docker()}")
    good = mode <= require and _self_test(here)
    sys.exit(0 if good else 1)


def _self_test(here: Machine) -> bool:
    """Open a sandbox, which attacks itself; say what came of it."""
    try:
        choose("auto")
        with LocalSandbox(slots=1):
            click.echo("self-test     no attack got out")
    except SandboxUnavailable as error:
        click.echo(f"self-test     {error}")
        return False
    except AssayError as error:
        click.echo(f"self-test     could not be done: {error}")
        return False
    return here.modes[0] != "E"


def _list(title: str, lines: list[str] | tuple[str, ...]) -> None:
    for number, line in enumerate(lines):
        click.echo(f"{title if number == 0 else '':<13} {line}")


def _python() -> str:
    return platform.python_version()


def _finding(value: object) -> str:
    return "works" if value is True else value if isinstance(value, str) else f"works (version {value})"


def _toolchains() -> list[str]:
    lines = [f"python: {sys.version.split()[0]}"]
    for language, chain in TOOLCHAINS.items():
        absent = chain.absent()
        if absent:
            lines.append(f"{language}: missing; install {' and '.join(dict.fromkeys(absent.values()))}")
        else:
            lines.append(f"{language}: {', '.join(str(which(tool)) for tool in chain.tools)}")
    return lines


def _docker() -> str:
    """Whether a Docker daemon answers on its socket."""
    path = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not path.startswith("unix://"):
        return f"DOCKER_HOST is {path}: not looked at, only local sockets are"
    path = path.removeprefix("unix://")
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_DOCKER_SECONDS)
            connection.connect(path)
            connection.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            answer = connection.recv(4096)
    except OSError as error:
        return f"no daemon answers on {path}: {error.strerror or error}"
    return f"a daemon answers on {path}" if b" 200 " in answer else f"{path} answers, but not like Docker"
