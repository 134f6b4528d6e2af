"""Languages: how a program of each is prepared and run."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import InputError
from ..base import Execution, Limits, Program
from .job import Command
from .pool import Batch
from .profiles import wanted
from .slot import protocol

Compile = Callable[[Program, Limits, Batch], Execution]
LANGUAGES = ("python", "c", "c++", "javascript", "java")


class Languages:
    """Turns programs into commands.

    Args:
        mode: The sandbox's mode.
        compile_: Runs a compiler's driver in the sandbox.
    """

    def __init__(self, mode: str, compile_: Compile) -> None:
        self._mode = mode
        self._compile = compile_

    def check(self, language: str) -> None:
        """Refuse a language before anything runs.

        Raises:
            InputError: It is unknown.
        """
        if language not in LANGUAGES:
            raise InputError(f"language is {language!r}; expected one of {', '.join(LANGUAGES)}")

    def prepare(self, program: Program, limits: Limits, batch: Batch) -> Command | Execution:
        """How to run ``program``; an ``Execution`` where it cannot even be compiled."""
        return Command(protocol.PYTHON, program.arguments, profile=wanted(program.source, program.profile))
