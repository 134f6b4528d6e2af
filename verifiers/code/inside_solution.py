"""Runs inside one sandbox of two: holds the policy's program and answers calls that come over a stream.

File descriptor 3 is the stream, standard input brings ``{"sources": [...], "token": text}``. Requests are
JSON lines ``[name, [argument, ...], {keyword: argument}, whether to forget what crossed before]``; answers are the
token and a JSON list, ``["ok", [argument, ..., value]]`` with the arguments as the call left them, ``["raised", kind,
text]`` or ``["refused", text]``.
"""

import builtins
import io
import json
import os
from typing import Any

from .aliases import Registry, SharingDecoder, SharingEncoder
from .inside_calls import CHANNEL, describe, load, read_job, reporter


def _builtin_name(error: BaseException) -> str:
    """The nearest class of an exception that the tests know too: its own, or one that it derives from."""
    kinds = type.mro(type(error))
    return next(str(kind.__name__) for kind in kinds if getattr(builtins, kind.__name__, None) is kind)


def main() -> None:
    """Load the program, then answer until the other side is gone."""
    loads, leave = json.loads, os._exit
    stream = io.BufferedReader(io.FileIO(CHANNEL, "rb", closefd=False))
    job = read_job()
    send = reporter(job.pop("token"))
    module = load(job["sources"], send)
    if module is None:
        leave(1)
    send("loaded")
    names = module.__dict__
    registry = Registry(1)
    while request := stream.readline():
        name, arguments, keywords, anew = loads(request)
        if anew:
            registry.forget()
        try:
            values: list[Any] = SharingDecoder(registry).all([*arguments, *keywords.values()])
            function = names[name] if name in names else eval(name, names)  # noqa: S307
            named = dict(zip(keywords, values[len(arguments) :], strict=True))
            result = function(*values[: len(arguments)], **named)
        except BaseException as error:  # noqa: BLE001  (whatever a program raises, its class and text are reported)
            send("raised", _builtin_name(error), describe(error))
            continue
        try:
            send("ok", SharingEncoder(registry).all([*values, result]))
        except BaseException as error:  # noqa: BLE001
            send("refused", describe(error))
    leave(0)
