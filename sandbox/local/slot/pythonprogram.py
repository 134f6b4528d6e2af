"""A Python program in a freshly forked interpreter: run and ended as ``python program.py`` would."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib.machinery
import linecache
import os
import sys
import threading
import traceback
import types
import weakref
from typing import Any

OWN_FILE = "program.py"


def run(job: dict[str, Any]) -> int:
    """Execute the source as ``python program.py`` would; the exit code."""
    code = _execute(job)
    return _finish(code)


def _execute(job: dict[str, Any]) -> int:
    """Make the module of the program and execute its source; the exit code so far."""
    name = OWN_FILE
    source: bytes = job["source"]
    path = f"{os.getcwd()}/{name}"
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __file__=path, __cached__=None, __annotations__={})
    module.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    sys.modules["__main__"] = module
    sys.argv = [name, *job["arguments"]]
    sys.path.insert(0, os.getcwd())
    linecache.cache[name] = (lambda: source.decode("utf-8", "replace"),)  # a function: split when a traceback needs it
    gc.enable()
    code = 0
    try:
        exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the purpose
    except SystemExit as stop:
        code = _exit_code(stop)
    except BaseException as error:  # noqa: BLE001 - the program's, reported as Python would
        code = 1
        _report(error)
    return code


def _exit_code(stop: SystemExit) -> int:
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code & 0xFF
    with contextlib.suppress(BaseException):  # the program's own objects may raise anything
        print(stop.code, file=sys.stderr)
    return 1


def _report(error: BaseException) -> None:
    """Print the traceback without our own frame, by the program's hook if it set one."""
    try:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        if sys.excepthook is sys.__excepthook__:
            traceback.print_exception(type(error), error, trace)
        else:
            sys.excepthook(type(error), error, trace)
    except BaseException:  # noqa: BLE001, S110 - the program may have broken sys.stderr or the hook
        pass


def _finish(code: int) -> int:
    """End the interpreter in the order of the C function ``Py_FinalizeEx``; the exit code.

    Threads are waited for, exit handlers called, the streams that stand in ``sys`` flushed; the original ones are put
    back, and only then does what the program made come to its end, with its global names still there.
    """
    for step in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        with contextlib.suppress(BaseException):  # handlers of the program
            step()
    lost = _flush()
    with contextlib.suppress(BaseException):
        _let_go()
    lost = _flush() or lost
    return code or lost


def _let_go() -> None:
    """End what the program holds, which may write: open files, finalizers, streams of its own."""
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__"))
    main = weakref.ref(sys.modules.pop("__main__"))
    gc.collect()
    left = main()
    if left is not None:
        left.__dict__.clear()
        gc.collect()


def _flush() -> int:
    """Flush the standard streams, or those that the program put in their place; 120 where output was lost."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not _is_closed(stream):
                stream.flush()
        except BaseException:  # noqa: BLE001 - any object may stand there
            code = 120
    return code


def _is_closed(stream: object) -> bool:
    try:
        return bool(getattr(stream, "closed", False))
    except BaseException:  # noqa: BLE001 - a property of the program's
        return False
