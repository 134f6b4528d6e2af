"""Runs inside a sandbox of its own: a suite's special checker, on the outputs of a program that is not here.

Standard input brings ``{"source": ..., "items": [[argument, ...], ...]}``; the source defines ``check``. File descriptor 3
takes ``["load", text]`` when it does not, else one ``[index, "judged", bool]`` or ``[index, "raised", kind, text]`` per item.
"""

import json
import os
import sys
from typing import Any

from .codec import decode
from .inside_calls import describe, silence


def main() -> None:
    """Load the checker and apply it to every item."""

    def report(*event: Any) -> None:
        line = (json.dumps(event) + "\n").encode()
        while line:
            line = line[os.write(3, line) :]

    job = json.loads(sys.stdin.buffer.read())
    silence()
    names: dict[str, Any] = {"__name__": "checker"}
    try:
        exec(compile(job["source"], "checker.py", "exec", dont_inherit=True), names)  # noqa: S102
        check = names["check"]
    except BaseException as error:
        report("load", describe(error))
        os._exit(1)
    for index, item in enumerate(job["items"]):
        try:
            report(index, "judged", bool(check(*[decode(part) for part in item])))
        except BaseException as error:
            report(index, "raised", type(error).__name__, describe(error))
    os._exit(0)
