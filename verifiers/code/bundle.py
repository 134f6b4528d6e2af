"""The programs that run inside sandboxes, as self-contained source text."""

from __future__ import annotations

import json
import marshal
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...sandbox.base import Program

_PARTS = {
    "calls": ("codec", "decoding", "inside_calls"),
    "solution": ("codec", "decoding", "aliases", "inside_calls", "inside_solution"),
    "tests": (
        "codec",
        "decoding",
        "aliases",
        "inside_calls",
        "inside_stream",
        "inside_marks",
        "inside_collect",
        "inside_faults",
        "inside_tests",
    ),
    "checker": ("codec", "decoding", "inside_calls", "inside_faults", "inside_checker"),
}


def new_token() -> str:
    """What the lines of one run start with: a program that writes to the channel blindly is found out."""
    return os.urandom(16).hex()


def program(role: str, job: Mapping[str, Any], *, imports: str, channel: bool = True) -> Program:
    """One run of an inside program.

    Args:
        role: "calls", "solution", "tests" or "checker".
        job: What it reads from standard input.
        imports: The text whose imports decide the sandbox's profile.
        channel: Whether file descriptor 3 is a private channel; False where it is the stream of a linked pair.
    """
    from ...sandbox.local.profiles import wanted  # here, so that importing the verifiers stays light

    source, code = starter(role)
    stdin = code + json.dumps(job, separators=(",", ":")).encode()
    return Program(source, stdin=stdin, channel=channel, profile=wanted(imports, "auto"))


@cache
def starter(role: str) -> tuple[str, bytes]:
    """The source that starts an inside program, and its compiled code, with which standard input begins.

    Compiling the text would take three milliseconds of every run. An interpreter of another version compiles it:
    the cache tag names what bytecode depends on, from the first final release of a version on.
    """
    text = text_of(role)
    code = marshal.dumps(compile(text, f"{role}.py", "exec", dont_inherit=True))
    version = (sys.implementation.cache_tag, sys.version_info.releaselevel)
    source = (
        "import marshal, sys\n"
        f"code = sys.stdin.buffer.read({len(code)})\n"
        f"same = (sys.implementation.cache_tag, sys.version_info.releaselevel) == {version!r}\n"
        f"exec(marshal.loads(code) if same else {text!r}, {{'__name__': 'harness'}})\n"
    )
    return source, code


def text_of(role: str) -> str:
    """The text of an inside program: its modules one after another, without the imports that join them here."""
    modules = [Path(__file__).with_name(f"{name}.py").read_text("utf-8") for name in _PARTS[role]]
    lines = [line for module in modules for line in module.splitlines() if not line.startswith("from .")]
    return "\n".join([*lines, "main()", ""])
