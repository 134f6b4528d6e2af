"""The command line: one file per command, printing only."""

from .group import main

__all__ = ["main"]
