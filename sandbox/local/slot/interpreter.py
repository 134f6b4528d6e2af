"""The interpreter that programs find: modules loaded, standard streams and environment made, the heap settled."""

from __future__ import annotations

import gc
import io
import os
import sys

from . import closedfolders, kernel
from .protocol import Config


def prepare(config: Config) -> closedfolders.Ways:
    """Import what programs are likely to use, make standard streams and environment, and settle the heap.

    Returns:
        The ways to modules that programs have to keep.
    """
    import site

    sys.path[:] = [entry for entry in sys.path if entry] + config["path"]
    ways = closedfolders.reach(config["binds"]) if config["mode"] == "C" else closedfolders.Ways()
    for name in config["preload"]:
        __import__(name)
    for name in [name for name in sys.modules if name == "slot" or name.startswith("slot.")]:
        del sys.modules[name]  # programs shall not find us there
    if config["warm_up"]:
        exec(compile(config["warm_up"], "warm-up", "exec"), {"__name__": "warm_up"})  # noqa: S102 - our own text
    site.setquit()
    site.setcopyright()
    site.sethelper()
    _open_standard_streams()
    os.environ.clear()
    os.environ.update(config["environment"])
    gc.collect()
    kernel.use_huge_pages()  # copying the page table of a large heap is most of what a fork costs
    gc.freeze()  # the collector must not touch, and so copy, the pages that every run shares
    gc.disable()
    return ways


def _open_standard_streams() -> None:
    """Standard streams as an interpreter that starts makes them, with buffers of their own."""
    wrap = io.TextIOWrapper
    sys.stdin = wrap(io.BufferedReader(io.FileIO(0, "rb", closefd=False)), encoding="utf-8")
    sys.stdout = wrap(io.BufferedWriter(io.FileIO(1, "wb", closefd=False)), encoding="utf-8")
    sys.stderr = wrap(
        io.BufferedWriter(io.FileIO(2, "wb", closefd=False)),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )
    for stream, mode, name in (
        (sys.stdin, "r", "<stdin>"),
        (sys.stdout, "w", "<stdout>"),
        (sys.stderr, "w", "<stderr>"),
    ):
        stream.mode = mode  # type: ignore[misc]
        stream.buffer.raw.name = name
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
