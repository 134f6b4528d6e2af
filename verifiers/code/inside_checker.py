"""Runs inside a sandbox of its own: a suite's special checker, on the outputs of a program that is not here.

Standard input brings ``{"source": text, "items": [[argument, ...], ...], "token": text}``; the source defines
``check``. File descriptor 3 takes lines of the token and a JSON list: ``["load", text]`` when it does not, else one
``[number, "judged", bool]`` or ``[number, "raised", kind, text]`` per item.
"""

import os
from typing import Any

from .decoding import decode
from .inside_calls import describe, read_job, reporter


def main() -> None:
    """Load the checker and apply it to every item."""
    job = read_job()
    report = reporter(job["token"])
    names: dict[str, Any] = {"__name__": "checker"}
    try:
        exec(compile(job["source"], "checker.py", "exec", dont_inherit=True), names)  # noqa: S102
        check = names["check"]
    except BaseException as error:  # noqa: BLE001  (whatever the checker raises is reported)
        report("load", describe(error))
        os._exit(1)
    for index, item in enumerate(job["items"]):
        try:
            report(index, "judged", bool(check(*[decode(part) for part in item])))
        except BaseException as error:  # noqa: BLE001
            report(index, "raised", type(error).__name__, describe(error))
    os._exit(0)
