"""The image of the sandbox: building it, from a base or from a folder without any network, and looking into it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError, SandboxUnavailable
from ..base import Limits
from ..local.toolchains import TOOLCHAINS
from .engine import Engine
from .greeting import Contents
from .hardening import Kind
from .owners import remove
from .slots import DockerSlot

IMAGE = "assay-sandbox"
PACKAGES = ("numpy", "sympy")
SYSTEM_PACKAGES = {
    "c": "gcc libc6-dev",
    "c++": "g++",
    "javascript": "nodejs",
    "java": "default-jdk-headless",
}
_IMPORTED = "assay-sandbox-base"
_LABEL = "assay.sandbox.base"
_LAST_LINES = 15


@dataclass(frozen=True)
class Recipe:
    """What to build.

    Attributes:
        base: The image to begin with; "" for the official one of this interpreter's version.
        rootfs: A folder that holds a root file system, to begin with instead.
        languages: Languages beside Python whose tools to install.
        packages: Python packages to install where the base lacks them.
        offline: Whether no step may use the network.
    """

    base: str = ""
    rootfs: Path | None = None
    languages: tuple[str, ...] = ()
    packages: tuple[str, ...] = PACKAGES
    offline: bool = False
    tag: str = IMAGE


@dataclass(frozen=True)
class Image:
    """An image that is here.

    Attributes:
        name: What it was asked for as.
        digest: Its content's digest.
        created: When it was made, as the engine says it.
        size_bytes: Its size.
        base: What it was built from; "" where another than ``build`` made it.
        contents: What programs can use in it.
        languages: The languages that it runs.
    """

    name: str
    digest: str
    created: str
    size_bytes: int
    base: str
    contents: Contents = field(default_factory=Contents)
    languages: tuple[str, ...] = ()


def find(engine: Engine, name: str) -> dict[str, Any] | None:
    """What the engine knows of an image; None where it has none of that name."""

    def look(client: Any) -> dict[str, Any] | None:
        from docker.errors import ImageNotFound

        try:
            found: dict[str, Any] = client.inspect_image(name)
        except ImageNotFound:
            return None
        return found

    return engine.call(f"look for the image {name!r}", look)


def check_image(engine: Engine, name: str) -> None:
    """Refuse an image that is not here.

    Raises:
        SandboxUnavailable: The engine has none of that name.
    """
    if find(engine, name) is None:
        how = "`assay image build` makes it" if name == IMAGE else f"docker pull {name} fetches it"
        raise SandboxUnavailable(f"the Docker engine at {engine.path} has no image {name!r}: {how}")


def describe(engine: Engine, name: str) -> Image:
    """Look into an image by starting a container of the sandbox from it.

    Raises:
        SandboxUnavailable: There is no such image, or the sandbox cannot use it.
    """
    check_image(engine, name)
    found = find(engine, name) or {}
    kind = Kind.of("light", Limits())
    slot = DockerSlot(
        engine, name, kind, 1 << 30, runtime="", tools={}, discard=lambda container: remove(engine, container)
    )
    slot.close()
    tools = slot.contents.tools
    runnable = [name for name, chain in TOOLCHAINS.items() if not chain.absent(tools.get)]
    return Image(
        name=name,
        digest=str(found.get("Id", "")),
        created=str(found.get("Created", "")),
        size_bytes=int(found.get("Size", 0)),
        base=str(((found.get("Config") or {}).get("Labels") or {}).get(_LABEL, "")),
        contents=slot.contents,
        languages=("python", *runnable),
    )


def build(engine: Engine, recipe: Recipe, say: Callable[[str], None]) -> None:
    """Build an image from the Dockerfile of this package.

    Args:
        engine: Where.
        recipe: What.
        say: Called with each line of progress.

    Raises:
        InputError: The recipe contradicts itself, or its folder is no root file system.
        SandboxUnavailable: The engine could not build it; the message holds its last words.
    """
    base = _base(engine, recipe, say)
    arguments = {
        "BASE": base,
        "SYSTEM_PACKAGES": " ".join(SYSTEM_PACKAGES[language] for language in recipe.languages),
        "PYTHON_PACKAGES": " ".join(recipe.packages),
    }

    def run(client: Any) -> None:
        stream = client.build(
            path=str(Path(__file__).parent),
            dockerfile="Dockerfile",
            tag=recipe.tag,
            buildargs=arguments,
            labels={_LABEL: base},
            network_mode="none" if recipe.offline else None,
            rm=True,
            forcerm=True,
            decode=True,
            timeout=None,
        )
        failed, lines = _follow(stream, say)
        if failed:
            raise SandboxUnavailable(_refused(base, recipe, lines))

    engine.call("build the image", run)


def _base(engine: Engine, recipe: Recipe, say: Callable[[str], None]) -> str:
    """The image that a recipe begins with, made of its folder where it names one."""
    base = recipe.base or f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
    if recipe.rootfs is not None:
        if recipe.base:
            raise InputError("both a base image and a root file system are given; expected one of them")
        base = _import(engine, recipe.rootfs, say)
    if recipe.offline and find(engine, base) is None:
        raise SandboxUnavailable(
            f"the engine has no image {base!r} and may not fetch it: name a base that it has, or a folder with a root "
            "file system"
        )
    return base


def _follow(stream: Iterable[Mapping[str, Any]], say: Callable[[str], None]) -> tuple[bool, list[str]]:
    """Read a build's progress to its end, else the connection stays open: whether it failed, and its lines."""
    failed, lines = False, []
    for entry in stream:
        text = str(entry.get("stream") or entry.get("error") or "").strip()
        for line in text.splitlines():
            lines.append(line)
            say(line)
        failed = failed or "error" in entry
    return failed, lines


def _refused(base: str, recipe: Recipe, lines: Sequence[str]) -> str:
    wanted = ", ".join((*recipe.languages, *recipe.packages))
    hint = f"offline, so the base must hold {wanted}" if recipe.offline else "is the network reachable?"
    words = "\n".join(f"  {line}" for line in lines[-_LAST_LINES:])
    return f"the image could not be built from {base!r} ({hint}). The engine's last words:\n{words}"


def _import(engine: Engine, folder: Path, say: Callable[[str], None]) -> str:
    """Make an image of a folder; its name."""
    if not (folder / "usr").is_dir() or not any((folder / "usr" / "bin").glob("python3*")):
        raise InputError(f"{str(folder)!r} holds no root file system with Python: expected usr/bin/python3 in it")
    say(f"Importing {folder}")
    command = ["tar", "-C", str(folder), "--one-file-system", "--numeric-owner", "-c", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:  # noqa: S603 - the user's own folder
        stream = tar.stdout
        try:
            engine.call(
                "import the root file system",
                lambda client: client.import_image_from_stream(stream, repository=_IMPORTED, tag="latest"),
            )
        finally:
            tar.kill()
    return f"{_IMPORTED}:latest"
