"""Runs inside a sandbox of its own: a suite's special checker, on the outputs of a program that is not here.

Standard input brings ``{"source": text, "items": [[JSON text of an argument, ...], ...], "token": text}``; the source
defines ``check``. File descriptor 3 takes lines of the token and a JSON list: ``["load", text]`` when it does not,
else one ``[number, "judged", bool]``, ``[number, "raised", text]`` or, where the checker fails whatever the output is,
``[number, "broken", text]`` per item.
"""

import json
import os
from typing import Any

from .decoding import decode
from .inside_calls import describe, read_job, reporter
from .inside_faults import FAULTS, is_inevitable

SOURCE_NAME = "the_checker.py"  # no file of the harness is called so


def main() -> None:
    """Load the checker and apply it to every item."""
    job = read_job()
    report = reporter(job["token"])
    names: dict[str, Any] = {"__name__": "checker"}
    try:
        exec(compile(job["source"], SOURCE_NAME, "exec", dont_inherit=True), names)  # noqa: S102
        check = names["check"]
    except BaseException as error:  # noqa: BLE001  (whatever the checker raises is reported)
        report("load", describe(error))
        os._exit(1)
    for index, item in enumerate(job["items"]):
        try:
            report(index, "judged", bool(check(*[decode(json.loads(part)) for part in item])))
        except BaseException as error:  # noqa: BLE001
            broken = isinstance(error, FAULTS) and is_inevitable(error, job["source"], SOURCE_NAME)
            report(index, "broken" if broken else "raised", describe(error))
    os._exit(0)
