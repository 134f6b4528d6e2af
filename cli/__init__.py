"""The command line: one file per command, printing only."""

from .main import main

__all__ = ["main"]
