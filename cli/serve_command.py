"""``assay serve``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ..errors import InputError, MissingExtra
from ..sandbox.registry import open_sandbox

_TOKEN = "ASSAY_TOKEN"  # noqa: S105 - the name of a variable


@click.command("serve")
@click.option("--env", "environments", multiple=True, metavar="[NAME=]ENVIRONMENT", help="Judge as this one does.")
@click.option("--verifier", "verifiers", multiple=True, metavar="[NAME=]VERIFIER", help="Judge with this one.")
@click.option("--sandbox", metavar="BACKEND", help="Offer /run_code from this sandbox: auto, local, docker, ...")
@click.option("--host", default="127.0.0.1", show_default=True, help="Others than loopback want a token.")
@click.option("--port", default=8080, show_default=True, type=int, help="0 takes any that is free.")
@click.option("--token-file", type=click.Path(path_type=Path), help=f"A file with the token  [default: {_TOKEN}]")
@click.option("--threads", default=16, show_default=True, type=int, help="Requests judged at once.")
@click.option("--in-flight", default=256, show_default=True, type=int, help="Requests under way; more get 503.")
@click.option("--batch", default=4096, show_default=True, type=int, help="Most completions in one request.")
@click.option("--body-mib", default=16, show_default=True, type=int, help="Largest body.")
@click.option("--request-seconds", default=300.0, show_default=True, help="Deadline for judging one request.")
@click.option("--drain-seconds", default=60.0, show_default=True, help="After SIGTERM, for what is under way.")
def command(
    environments: tuple[str, ...],
    verifiers: tuple[str, ...],
    sandbox: str | None,
    token_file: Path | None,
    body_mib: int,
    **allowed: Any,
) -> None:
    """Judge over HTTP: a reward server for trainers, and a drop-in for SandboxFusion.

    VERIFIER is math, code, choice or text, or package.module:attribute or file.py:attribute; ENVIRONMENT is a name
    that `assay list` shows or such a path. Requests choose among what is named here, and nothing else.

    Stops on SIGTERM or Ctrl-C after it has finished what is under way. See docs/guide/serving.md.
    """
    for package in ("fastapi", "uvicorn", "prometheus_client"):
        if find_spec(package) is None:
            raise MissingExtra(package, "server")
    from ..integrations.server import ServerSettings, create_app, read_judges, serve

    token = read_token(token_file, os.environ)
    settings = ServerSettings(token=token, body_bytes=body_mib << 20, **allowed)
    judges = read_judges(environments, verifiers)
    app = create_app(judges, settings, sandbox=None if sandbox is None else open_sandbox(sandbox))

    def announce(address: str) -> None:
        asked = "the token is asked for" if token is not None else "no token is asked for"
        names = ", ".join([*judges, *(["programs (/run_code)"] if sandbox is not None else [])])
        click.echo(f"assay serves {names} on {address} ({asked}); its description is {address}/docs")

    serve(app, settings, announce=announce)


def read_token(path: Path | None, environment: Mapping[str, str]) -> str | None:
    """The token in a file, else in the environment's ASSAY_TOKEN, else None.

    Raises:
        InputError: The file cannot be read, or the token is empty.
    """
    if path is None:
        token = environment.get(_TOKEN)
        place = _TOKEN
    else:
        place = str(path)
        try:
            token = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the token cannot be read from {path}: {error}") from error
    if token == "":
        raise InputError(f"{place} is empty; put a token of at least 16 characters there, or leave it out")
    return token
