"""``assay``: the command group. A command's module is imported when the command is called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

import click

from .. import __version__
from ..errors import AssayError
from ..registry import near_names

_COMMANDS: Mapping[str, str] = {
    "list": "The environments there are.",
    "check": "Whether an environment holds what it promises, before anything is trained on it.",
    "score": "Judge one answer and explain the verdict, or stored completions again, and compare judges.",
    "evaluate": "Sample completions of a model, judge them, and report pass@k and maj@k.",
    "compare": "What changed between two evaluations of the same tasks.",
    "profile": "Which tasks a model can learn from: pass rates, dead groups, a window.",
    "serve": "Judge over HTTP: a reward server for trainers, and a drop-in for SandboxFusion.",
    "image": "Build and inspect the container image of the Docker sandbox.",
    "report": "One page to search the samples of an evaluation, or to watch a training run.",
    "doctor": "How programs are isolated on this machine, and what is not covered.",
    "audit": "Attack a grader: what it pays that it should not, and what it refuses that is right.",
}


class _Commands(click.Group):
    """Commands by name, each in ``assay.cli.<name>_command`` as ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"{__package__}.{cmd_name}_command").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}; {near_names(args[0], list(_COMMANDS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="assay")
def _assay() -> None:
    """Judge what a language model wrote, and tell what training changed."""


def main() -> None:
    """Run the command line; what assay raises on purpose becomes one line on standard error and exit status 2."""
    try:
        _assay(prog_name="assay")
    except AssayError as error:
        click.echo(f"assay: {error}", err=True)
        sys.exit(2)
