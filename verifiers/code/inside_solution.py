"""Runs inside one sandbox of two: holds the policy's program and answers calls that come over a stream.

File descriptor 3 is the stream, standard input brings ``{"sources": [...]}``. Requests are JSON lines
``[name, [argument, ...], {keyword: argument}]``; answers are ``["ok", value, [argument, ...]]`` with the arguments as
the call left them, ``["raised", kind, text]`` or ``["refused", text]``.
"""

import io
import json
import os
import sys
from typing import Any

from .codec import decode, encode
from .inside_calls import describe, load, silence


def main() -> None:
    """Load the program, then answer until the other side is gone."""
    write, dumps, loads, leave = os.write, json.dumps, json.loads, os._exit
    stream = io.BufferedReader(io.FileIO(3, "rb", closefd=False))

    def send(*event: Any) -> None:
        line = (dumps(event, separators=(",", ":")) + "\n").encode()
        while line:
            line = line[write(3, line) :]

    job = json.loads(sys.stdin.buffer.read())
    silence()
    module = load(job["sources"], send)
    if module is None:
        leave(1)
    send("loaded")
    names = module.__dict__
    while request := stream.readline():
        name, arguments, keywords = loads(request)
        try:
            values = [decode(a) for a in arguments]
            function = names[name] if name in names else eval(name, names)  # noqa: S307
            result = function(*values, **{k: decode(v) for k, v in keywords.items()})
        except BaseException as error:
            send("raised", type(error).__name__, describe(error))
            continue
        try:
            answer = ["ok", encode(result), [encode(value) for value in values]]
        except BaseException as error:
            answer = ["refused", describe(error)]
        send(*answer)
    leave(0)
