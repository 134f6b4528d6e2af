"""``assay doctor``."""

from __future__ import annotations

import os
import platform
import sys

import click

from ..errors import AssayError, MissingExtra, SandboxUnavailable
from ..sandbox.local import LocalSandbox
from ..sandbox.local.machine import MODES, Machine, choose, machine
from ..sandbox.local.toolchains import TOOLCHAINS, which


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
    _list("docker", _docker())
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


def _docker() -> list[str]:
    """Whether the Docker sandbox could be used: the daemon, its image, gVisor."""
    from ..sandbox.docker.engine import Engine
    from ..sandbox.docker.images import IMAGE, find
    from ..sandbox.docker.sandbox import GVISOR

    try:
        engine = Engine()
        image = find(engine, IMAGE)
    except (MissingExtra, SandboxUnavailable) as error:
        return [str(error)]
    facts = engine.facts
    lines = [f"daemon {facts.version} at {engine.path}{', rootless or remapped' if facts.remapped else ''}"]
    lines.append(f"image {IMAGE}: {image['Id'] if image else 'not here; `assay image build` makes it'}")
    lines.append(f"gVisor ({GVISOR}): {'installed' if GVISOR in facts.runtimes else 'not installed'}")
    engine.close()
    return lines + [f"not supported: {text}" for text in facts.unsupported]
