"""``assay list``."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from ..environments.registry import ENVIRONMENTS
from ..errors import AssayError


@click.command("list")
def command() -> None:
    """The environments there are, with domain, size and licence."""
    table = Table("environment", "domain", "splits", "licence", box=None)
    for name in ENVIRONMENTS:
        try:
            environment = ENVIRONMENTS.get(name)
        except AssayError as error:
            table.add_row(name, "", f"cannot be loaded: {error}", "", style="red")
            continue
        splits = getattr(environment, "splits", {})
        sizes = ", ".join(f"{split} {'endless' if size is None else size}" for split, size in splits.items())
        table.add_row(name, getattr(environment, "domain", ""), sizes, getattr(environment, "licence", ""))
    Console().print(table)
