"""Runs inside the sandbox, beside the policy's program: calls its functions and reports what they returned.

It knows inputs only: neither expected values nor test text ever come here, so a program that reads, patches or forges
everything in this process learns no answer. ``bundle.py`` ships this file as text; after the code that it puts first,
standard input brings one object::

    {"sources": [...], "methods": bool, "token": text,
     "items": [["call", name, [argument, ...], {keyword: argument}] | ["eval", expression] | ["exec", statement], ...]}

and one line per event goes to file descriptor 3, the token and a JSON list: ``["load", kind, text]`` when the program
itself fails, ``["loaded"]`` when it stands, then ``[number, "ok", value]``, ``[number, "raised", text]`` or
``[number, "refused", text]`` for each call or expression, numbered from 0.
"""

import json
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from .codec import MAX_LINE, TooLarge, encode
from .decoding import decode

CHANNEL = 3


def main() -> None:
    """Load the program, make the calls, leave without any exit handler of the program's."""
    leave = os._exit
    job = read_job()
    report = reporter(job.pop("token"))
    module = load(job["sources"], report)
    if module is None:
        leave(1)
    report("loaded")
    index = 0
    broken = ""
    for item in job["items"]:
        try:
            result = perform(item, module.__dict__, job["methods"], broken)
        except BaseException as error:  # noqa: BLE001  (whatever a program raises, its class and text are reported)
            if item[0] == "exec":
                broken = describe(error)
                continue
            report(index, "raised", describe(error))
        else:
            if item[0] == "exec":
                continue
            try:
                report(index, "ok", encode(result))
            except BaseException as error:  # noqa: BLE001
                report(index, "refused", describe(error))
        index += 1
    leave(0)


def read_job() -> dict[str, Any]:
    """What standard input brings. After that it is empty, and standard output and error lead nowhere.

    What functions print is no part of their results. Random numbers start alike in every run: same input, same verdict.
    """
    job: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    random.seed(0)
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
    except OSError:
        return job
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return job


def reporter(token: str) -> Callable[..., None]:
    """A function that writes its arguments to the channel, in one line that starts with the token."""
    write, dumps = os.write, json.dumps

    def report(*event: Any) -> None:
        line = (token + dumps(event, separators=(",", ":")) + "\n").encode()
        if len(line) > MAX_LINE:
            raise TooLarge("the value is too large")
        while line:
            line = line[write(CHANNEL, line) :]

    return report


def load(sources: list[str], report: Any) -> types.ModuleType | None:
    """Execute the program as the module ``solution``; None after reporting why it cannot be."""
    module = types.ModuleType("solution")
    module.__file__ = "solution.py"
    sys.modules["solution"] = module
    try:
        codes = [compile(source, "solution.py", "exec", dont_inherit=True) for source in sources]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        report("load", "syntax", describe(error))
        return None
    try:
        for code in codes:
            exec(code, module.__dict__)  # noqa: S102  (the whole purpose, inside a sandbox)
    except BaseException as error:  # noqa: BLE001
        report("load", "raised", describe(error))
        return None
    return module


def perform(item: list[Any], names: dict[str, Any], methods: bool, broken: str) -> Any:
    """Make one call, evaluate one expression, or execute one statement of the set-up; nothing after a broken one."""
    if broken:
        raise RuntimeError(f"the set-up of the tests failed: {broken}")
    if item[0] == "exec":
        return exec(item[1], names)  # noqa: S102
    if item[0] == "eval":
        return eval(item[1], names)  # noqa: S307
    _, name, arguments, keywords = item
    if methods and name not in names and "Solution" in names:
        function = getattr(names["Solution"](), name)
    else:
        function = names[name] if name in names else eval(name, names)  # noqa: S307  (NameError in Python's own words)
    return function(*[decode(a) for a in arguments], **{k: decode(v) for k, v in keywords.items()})


def describe(error: BaseException) -> str:
    """The kind of an exception and the start of its message, whatever its methods do."""
    try:
        text = str(error)[:200]
    except BaseException:  # noqa: BLE001
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
