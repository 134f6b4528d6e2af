"""``assay image``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..sandbox.docker.engine import Engine
from ..sandbox.docker.images import IMAGE, PACKAGES, SYSTEM_PACKAGES, Recipe, build, describe, find


@click.group("image")
def command() -> None:
    """Build and inspect the container image of the Docker sandbox.

    The daemon is the one that DOCKER_HOST names, else that of this machine, else this user's rootless one.
    """


@command.command("build")
@click.option(
    "--base", default="", help="Begin with this image instead of python:X.Y-slim; one that is here is not pulled."
)
@click.option(
    "--rootfs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Begin with a folder that holds a root file system, as debootstrap makes it.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    type=click.Choice(sorted(SYSTEM_PACKAGES)),
    help="Install the tools of another language beside Python; may be repeated. Needs a Debian-like base.",
)
@click.option(
    "--package",
    "packages",
    multiple=True,
    default=PACKAGES,
    show_default=True,
    help="Install this Python package where the base lacks it; may be repeated.",
)
@click.option("--offline", is_flag=True, help="Use no network: everything must be in the base already.")
@click.option("--tag", default=IMAGE, show_default=True, help="What to call it.")
def build_command(
    base: str, rootfs: Path | None, languages: tuple[str, ...], packages: tuple[str, ...], *, offline: bool, tag: str
) -> None:
    """Build the image from the Dockerfile of the package."""
    recipe = Recipe(base, rootfs, languages, packages, offline, tag)
    build(Engine(), recipe, click.echo)
    click.echo(f"Built {tag}; `assay image show {tag}` looks into it")


@command.command("show")
@click.argument("name", default=IMAGE)
def show_command(name: str) -> None:
    """Whether the image is here, its digest, and what it holds, seen by starting a container from it.

    The exit status is 1 where it is not here.
    """
    engine = Engine()
    if find(engine, name) is None:
        click.echo(f"{'image':<13} {name}: not here")
        sys.exit(1)
    found = describe(engine, name)
    packages = ", ".join(f"{package} {version}" for package, version in found.contents.packages.items())
    for title, text in (
        ("image", found.name),
        ("digest", found.digest),
        ("created", found.created),
        ("size", f"{found.size_bytes >> 20} MiB"),
        ("built from", found.base or "not built by `assay image build`"),
        ("python", found.contents.python),
        ("preloads", packages or "nothing but the standard library"),
        ("languages", ", ".join(found.languages)),
        ("landlock", f"version {found.contents.landlock}" if found.contents.landlock else "not there"),
    ):
        click.echo(f"{title:<13} {text}")
