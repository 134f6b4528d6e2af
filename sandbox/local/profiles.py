"""Profiles: which modules a slot has loaded before a program starts, and how a program's is chosen."""

from __future__ import annotations

import functools
import glob
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path

from .machine import interpreter, library_path

_COMMON = """
collections itertools functools operator math heapq bisect string re random json datetime typing copy dataclasses enum
traceback linecache threading queue
"""
_SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/nix/store")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", *sorted(glob.glob("/etc/java-*")))
# The first derivative and the first array product cost tens of milliseconds; every fork then has them behind it.
_NUMPY_WARM_UP = """
import numpy
numpy.linalg.det(numpy.arange(4.0).reshape(2, 2) @ numpy.eye(2))
"""
_SCIENCE_WARM_UP = f"""{_NUMPY_WARM_UP}
import sympy
x = sympy.Symbol("x")
sympy.diff(sympy.sin(x) * x**2, x), sympy.solve(x**2 - 4, x), sympy.factor(x**2 - 1), sympy.simplify("x + x")
"""
_IMPORTS = rb"^[ \t]*(?:from[ \t]+%b\b|import[ \t][^\n#]*\b%b\b)"
_NUMPY, _SYMPY = (re.compile(_IMPORTS % (name, name), re.MULTILINE) for name in (b"numpy", b"sympy"))


SEARCH_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", f"{sys.base_prefix}/bin"))


@dataclass(frozen=True)
class Profile:
    """What a slot's interpreter is prepared with.

    Attributes:
        name: "light", "numpy", "sci" (numpy and sympy) or "c++".
        preload: Modules imported before the first run.
        warm_up: Source executed before the first run.
        binds: Folders and files of the host shown read-only.
        path: Additions to ``sys.path``.
    """

    name: str
    preload: list[str] = field(default_factory=list)
    warm_up: str = ""
    binds: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)


def visible(path: str) -> bool:
    """Whether programs see this file of the host."""
    return any(path == bind or path.startswith(f"{bind}/") for bind in profile("light").binds)


@functools.cache
def profile(name: str) -> Profile:
    """The profile of a name; beside those of ``PROFILES`` "c++" for compiling it."""
    packages = _package_folders()
    binds = [*_SYSTEM_FOLDERS, *_SYSTEM_FILES, *_interpreter_folders(), *packages]
    kept: list[str] = []
    for path in dict.fromkeys(os.path.abspath(path) for path in binds):
        root_link = os.path.islink(path) and path.count("/") == 1
        if os.path.exists(path) and not root_link and not any(path.startswith(f"{other}/") for other in kept):
            kept.append(path)
    if name == "numpy":
        return Profile("numpy", [*_COMMON.split(), "numpy"], _NUMPY_WARM_UP, kept, packages)
    if name == "sci":
        return Profile("sci", [*_COMMON.split(), "numpy", "sympy"], _SCIENCE_WARM_UP, kept, packages)
    return Profile(name, _COMMON.split(), "", kept, packages)


def environment(profile: Profile, scratch: str = "/scratch/run") -> dict[str, str]:
    """The environment of programs; nothing of the caller's is in it."""
    scratch = scratch or "/scratch/run"
    return {
        "PATH": SEARCH_PATH,
        "HOME": f"{scratch}/work",
        "TMPDIR": f"{scratch}/tmp" if scratch != "/scratch/run" else "/tmp",  # noqa: S108 - the program's own
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        **library_path(),
    }


def wanted(source: str, profile: str) -> str:
    r"""The profile for a program: its own wish, or by what its lines import.

    A pattern, not a parser: a hostile source can crash a parser, and what this misses still runs, only slower.

    >>> wanted("import os\nfrom numpy import array", "auto")
    'numpy'
    """
    if profile != "auto":
        return profile
    text = source.encode("utf-8", "surrogatepass")
    return "sci" if _SYMPY.search(text) else "numpy" if _NUMPY.search(text) else "light"


def within(profile: str, packages: Container[str]) -> str:
    """The nearest profile to the one wanted where no more than these packages are there to be loaded.

    >>> within("sci", {"numpy"}), within("sci", {"sympy"}), within("numpy", set())
    ('numpy', 'light', 'light')
    """
    if profile == "sci" and "sympy" not in packages:
        profile = "numpy"
    return "light" if profile in ("numpy", "sci") and "numpy" not in packages else profile


@functools.cache
def installed() -> frozenset[str]:
    """Those of numpy and sympy that programs can import."""
    folders = profile("light").path
    return frozenset(name for name in ("numpy", "sympy") if any(os.path.isdir(f"{path}/{name}") for path in folders))


def _interpreter_folders() -> list[str]:
    """What programs need of the interpreter: its prefix, or a few folders of it where more than Python lies there."""
    real = Path(interpreter()).resolve()
    found: list[str] = []
    for prefix in dict.fromkeys((real.parent.parent, Path(sys.base_prefix).resolve())):
        if Path.home().resolve().is_relative_to(prefix):  # a home folder, or above it: not to be shown
            library = prefix / "lib"
            version = f"python{sys.version_info.major}.{sys.version_info.minor}"
            found += [str(real), str(library / version), *map(str, sorted(library.glob("libpython*")))]
        else:
            found.append(str(prefix))
    return found


def _package_folders() -> list[str]:
    """Where installed packages lie, those that programs may import."""
    folders = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    found = importlib.util.find_spec("numpy")
    if found is not None and found.origin:
        folders.append(str(Path(found.origin).parent.parent))
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
