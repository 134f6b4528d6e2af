"""The compilers and interpreters of other languages: which are here, and how they are called."""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from ..base import Limits
from .profiles import SEARCH_PATH, visible

Find = Callable[[str], str | None]  # where a tool lies, as programs see it

HEADERS = "/headers"  # where a slot for C++ keeps its precompiled standard header
_C_FLAGS = ("-O2", "-std=gnu17", "-w", "-pipe")
_CPP_FLAGS = ("-O2", "-std=gnu++17", "-w", "-pipe")
_LONGEST_NAME_BYTES = 255
_CLASS = re.compile(
    r"\bpublic\s+(?:(?:final|abstract|strictfp|sealed)\s+)*(?:class|record|enum|interface)\s+([A-Za-z_$][\w$]*)"
)
_MAIN = re.compile(
    r"\bclass\s+([A-Za-z_$][\w$]*)(?:(?!\bclass\b).)*?\bstatic\s+(?:final\s+)?void\s+main\s*\(", re.DOTALL
)
# The driver is the Python program that runs in the sandbox to compile: it calls the compiler and passes on its verdict.
_COMPILE = """
import subprocess, sys
sys.exit(subprocess.run({command!r}, stdin=subprocess.DEVNULL).returncode)
"""
_COMPILE_JAVA = """
import os, subprocess, sys, zipfile
code = subprocess.run({command!r}, stdin=subprocess.DEVNULL).returncode
if code:
    sys.exit(code)
with zipfile.ZipFile("program.jar", "w") as jar:
    for folder, _, names in os.walk("classes"):
        for name in names:
            path = os.path.join(folder, name)
            jar.write(path, os.path.relpath(path, "classes"))
"""
COMPILE_LIMITS = Limits(
    cpu_seconds=30,
    wall_seconds=90,
    memory_bytes=2 << 30,
    processes=256,
    open_files=512,
    stdout_bytes=1 << 20,
    stderr_bytes=1 << 20,
    scratch_bytes=256 << 20,
)


@dataclass(frozen=True)
class Toolchain:
    """One language's tools.

    Attributes:
        language: Its name in ``Program.language``.
        tools: Commands that must be on the path, with what to install for them.
        file_name: The source's file name, from the source.
        compile_driver: The Python program that compiles it, from the file name and where tools lie; None for a
            language that is not.
        artefact: The file that compiling makes.
        command: The command that runs it, from the source, the limits and where tools lie.
        address_limit: Whether RLIMIT_AS suits its runtime.
    """

    language: str
    tools: dict[str, str]
    file_name: Callable[[str], str]
    compile_driver: Callable[[str, Find], str] | None
    artefact: str
    command: Callable[[str, Limits, Find], tuple[str, ...]]
    address_limit: bool = True

    @property
    def compiled(self) -> bool:
        """Whether there is something to compile before the first run."""
        return self.compile_driver is not None

    def absent(self, find: Find | None = None) -> dict[str, str]:
        """The tools that ``find`` (on this machine: ``which``) does not find, with what to install for each."""
        find = find or which
        return {tool: hint for tool, hint in self.tools.items() if find(tool) is None}


@functools.cache
def which(tool: str) -> str | None:
    """Where a tool lies, None unless programs in the sandbox can see it there."""
    found = shutil.which(tool, path=SEARCH_PATH)
    return found if found is not None and visible(os.path.realpath(found)) else None


def _path(tool: str, find: Find) -> str:
    return find(tool) or tool


def header_command(target: str, find: Find | None = None) -> list[str]:
    """The command that precompiles the standard header of C++ into a folder; empty where there is no compiler."""
    compiler = (find or which)("g++")
    if compiler is None:
        return []
    output = f"{target}/bits/stdc++.h.gch"
    return [compiler, *_CPP_FLAGS, "-x", "c++-header", "-include", "bits/stdc++.h", "/dev/null", "-o", output]


def _java_file(source: str) -> str:
    """The file that its class must lie in; of a name that no file can have, the compiler itself complains."""
    found = _CLASS.search(source)
    name = f"{found[1] if found else 'Main'}.java"
    return name if len(name.encode("utf-8", "surrogatepass")) <= _LONGEST_NAME_BYTES else "Main.java"


def _java_main(source: str) -> str:
    found = _MAIN.search(source) or _CLASS.search(source)
    return found[1] if found else "Main"


def _java_command(source: str, limits: Limits, find: Find) -> tuple[str, ...]:
    heap = max(16, limits.memory_bytes * 3 // 4 >> 20)
    stack = max(1, min(limits.stack_bytes >> 20, limits.memory_bytes >> 25))  # each of a dozen threads has one
    options = (f"-Xmx{heap}m", f"-Xss{stack}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
    small = ("-XX:ReservedCodeCacheSize=48m", "-XX:CompressedClassSpaceSize=64m")
    return (_path("java", find), *options, *small, "-cp", "program.jar", _java_main(source))


def _javac(name: str, find: Find) -> str:
    options = ["-J-Xmx512m", "-J-XX:+UseSerialGC", "-J-XX:-UsePerfData", "-J-XX:TieredStopAtLevel=1"]
    return _COMPILE_JAVA.format(
        command=[_path("javac", find), *options, "-nowarn", "-d", "classes", "-encoding", "UTF-8", name]
    )


def _node_command(source: str, limits: Limits, find: Find) -> tuple[str, ...]:
    heap = max(32, limits.memory_bytes * 3 // 4 >> 20)
    stack_kilobytes = max(512, (limits.stack_bytes >> 10) * 3 // 4)
    return (_path("node", find), f"--max-old-space-size={heap}", f"--stack-size={stack_kilobytes}", "program.js")


TOOLCHAINS = {
    chain.language: chain
    for chain in (
        Toolchain(
            "c",
            {"gcc": "gcc (Debian, Ubuntu: apt install gcc libc6-dev)"},
            lambda _source: "program.c",
            lambda name, find: _COMPILE.format(command=[_path("gcc", find), *_C_FLAGS, name, "-o", "program", "-lm"]),
            "program",
            lambda _source, _limits, _find: ("./program",),
        ),
        Toolchain(
            "c++",
            {"g++": "g++ (Debian, Ubuntu: apt install g++)"},
            lambda _source: "program.cpp",
            lambda name, find: _COMPILE.format(
                command=[_path("g++", find), *_CPP_FLAGS, "-I", HEADERS, name, "-o", "program"]
            ),
            "program",
            lambda _source, _limits, _find: ("./program",),
        ),
        Toolchain(
            "javascript",
            {"node": "Node.js (Debian, Ubuntu: apt install nodejs)"},
            lambda _source: "program.js",
            None,
            "",
            _node_command,
            address_limit=False,
        ),
        Toolchain(
            "java",
            {"javac": "a JDK (Debian, Ubuntu: apt install default-jdk-headless)", "java": "a JDK"},
            _java_file,
            _javac,
            "program.jar",
            _java_command,
            address_limit=False,
        ),
    )
}
