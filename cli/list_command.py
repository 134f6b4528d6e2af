"""``assay list``."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from ..environments.base import Environment
from ..environments.registry import ENVIRONMENTS, newest
from ..errors import AssayError, InputError


@click.command("list")
@click.argument("names", nargs=-1, metavar="[ENVIRONMENT]...")
@click.option("--domain", help="Those of one domain only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(names: tuple[str, ...], domain: str | None, as_json: bool) -> None:
    """The environments there are, with domain, splits, licence and source.

    Without ENVIRONMENT all that are built in or installed; one of your own is named by package.module:attribute or
    file.py:attribute. One that cannot be loaded is listed with the reason.
    """
    found = [_described(name) for name in names or ENVIRONMENTS]
    found = [row for row in found if domain is None or row["domain"] == domain]
    if as_json:
        for row in found:
            click.echo(json.dumps(row))
        return
    if not found:
        raise InputError(f"no environment has the domain {domain!r}; there are {', '.join(_domains())}")
    table = Table(box=None)
    table.add_column("environment", no_wrap=True, min_width=max(len(row["name"]) for row in found))
    for heading in ("domain", "splits", "licence", "source"):
        table.add_column(heading, overflow="fold")
    for row in found:
        if "error" in row:
            table.add_row(row["name"], "", f"cannot be loaded: {row['error']}", "", "", style="red")
        else:
            splits = ", ".join(f"{split} {_size(size)}" for split, size in row["splits"].items())
            table.add_row(row["name"], row["domain"], splits, row["licence"], row["source"])
    Console().print(table)
    if names and any("error" in row for row in found):
        sys.exit(2)


def _domains() -> list[str]:
    return sorted({row["domain"] for row in map(_described, ENVIRONMENTS) if row["domain"]})


def _described(name: str) -> dict[str, Any]:
    try:
        kind: Any = ENVIRONMENTS.get(newest(name))
    except AssayError as error:
        return {"name": name, "domain": "", "error": str(error)}
    if not isinstance(kind, Environment) and not isinstance(kind, type):
        return {"name": name, "domain": "", "error": f"it is {kind!r}; expected an environment or its class"}
    return {
        "name": getattr(kind, "name", name),
        "domain": getattr(kind, "domain", ""),
        "splits": {
            split: "endless" if split in getattr(kind, "endless", ()) else size
            for split, size in getattr(kind, "splits", {}).items()
        },
        "licence": getattr(kind, "licence", ""),
        "source": getattr(kind, "source", ""),
    }


def _size(size: int | str | None) -> str:
    """A number, "endless", or a question mark where the size is known only when the data is read."""
    return "?" if size is None else str(size)
