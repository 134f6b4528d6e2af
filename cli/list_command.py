"""``assay list``."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..environments.base import Environment
from ..environments.registry import ENVIRONMENTS, newest, registered
from ..errors import AssayError, InputError

_COLUMNS = ("environment", "domain", "splits", "licence", "source")
_DISPENSABLE = (4, 3, 1)  # left out in this order where the terminal is narrow
_GAP = "  "


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
    for line in lines_of(found, _width()):
        click.echo(line)
    if names and any("error" in row for row in found):
        sys.exit(2)


def lines_of(found: Sequence[Mapping[str, Any]], width: int | None) -> list[str]:
    """The table, one line for each environment: nothing is wrapped or cut.

    Args:
        found: The environments, as ``_described`` gives them.
        width: The terminal's columns, for which columns of the table are left out, and named in a last line; None
            keeps them all.
    """
    named = [row for row in found if "error" not in row]
    table = [_COLUMNS, *(_cells(row) for row in named)]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(_COLUMNS))]
    shown = list(range(len(_COLUMNS)))
    left_out = []
    for column in _DISPENSABLE:
        if width is not None and sum(widths[i] + len(_GAP) for i in shown) - len(_GAP) > width:
            shown.remove(column)
            left_out.append(_COLUMNS[column])
    lines = [_GAP.join(cells[i].ljust(widths[i]) for i in shown).rstrip() for cells in table] if named else []
    lines += [f"{row['name']}{_GAP}cannot be loaded: {row['error']}" for row in found if "error" in row]
    if left_out and named:
        lines.append(f"({', '.join(reversed(left_out))}: in a wider terminal, a pipe, or with --json)")
    return lines


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    splits = ", ".join(f"{split} {_size(size)}" for split, size in row["splits"].items())
    return row["name"], row["domain"], splits, row["licence"], row["source"]


def _width() -> int | None:
    """The columns of the terminal; None where there is none, as in a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _domains() -> list[str]:
    return sorted({row["domain"] for row in map(_described, ENVIRONMENTS) if row["domain"]})


def _described(name: str) -> dict[str, Any]:
    try:
        kind: Any = registered(newest(name))
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
