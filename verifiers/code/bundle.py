"""The programs that run inside sandboxes, as self-contained source text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ...sandbox.base import Program

_SCIENCE = re.compile(r"^[ \t]*(?:import|from)[ \t][^\n#]*\b(?:numpy|scipy|sympy|pandas|sklearn|torch)\b", re.MULTILINE)
_PARTS = {
    "calls": ("codec", "inside_calls"),
    "solution": ("codec", "inside_calls", "inside_solution"),
    "tests": ("codec", "inside_calls", "inside_tests"),
    "checker": ("codec", "inside_calls", "inside_checker"),
}


def program(role: str, job: Mapping[str, Any], *, imports: str, channel: bool = True) -> Program:
    """One run of an inside program.

    Args:
        role: "calls", "solution", "tests" or "checker".
        job: What it reads from standard input.
        imports: The text whose imports decide the sandbox's profile.
        channel: Whether file descriptor 3 is a private channel; False where it is the stream of a linked pair.
    """
    stdin = json.dumps(job, separators=(",", ":")).encode()
    return Program(
        source_of(role), stdin=stdin, channel=channel, profile="sci" if _SCIENCE.search(imports) else "light"
    )


@cache
def source_of(role: str) -> str:
    """The text of an inside program: its modules one after another, without the imports that join them here."""
    modules = [files(__package__).joinpath(f"{name}.py").read_text("utf-8") for name in _PARTS[role]]
    lines = [line for module in modules for line in module.splitlines() if not line.startswith("from .")]
    return "\n".join([*lines, "main()", ""])
