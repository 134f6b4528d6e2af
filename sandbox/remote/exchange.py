"""A program as a request to the service, and the service's reply as an ``Execution``."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..admission import wall_limit
from ..base import Execution, Limits, Program, Status
from ..local.profiles import wanted
from .reading import Broken, Reply, judged, read_report

#: The names that SandboxFusion has for languages. It has none for "c"; ``assay serve`` takes it.
LANGUAGES = {"python": "python", "c++": "cpp", "javascript": "nodejs", "java": "java", "c": "c"}
GRACE_SECONDS = 5.0  # for the service to start a program, beyond what the program may take
_COMPILE_SECONDS = 60.0
_OVERHEAD_BYTES = 64 << 20  # of the process in front of a Python program
_SERVICE_CUT = 1 << 20  # SandboxFusion passes on so many bytes of output and drops the rest
_PRELOADS = {"light": "", "numpy": "if 0:\n    import numpy\n", "sci": "if 0:\n    import numpy\n    import sympy\n"}


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent for one program.

    Attributes:
        body: For ``POST /run_code``.
        seconds: How long the service may take for it.
        token: What starts the lines of the process in front of a Python program; "" for other languages.
        report: The file into which it may put its report.
        stdin: A name for a file with standard input, unknown to the program.
    """

    body: dict[str, Any]
    seconds: float
    token: str = ""
    report: str = ""
    stdin: str = ""

    @property
    def files(self) -> dict[str, bytes]:
        """The same for a service that runs a command on files: ``main.py``, its input ``stdin``, and the program's."""
        files = {name: base64.b64decode(content) for name, content in self.body["files"].items()}
        return {**files, "main.py": self.body["code"].encode(), self.stdin: self.body["stdin"].encode()}


def check(program: Program) -> None:
    """Refuse what the interface cannot carry.

    Raises:
        InputError: The language is unknown; or it is not Python, and the program wants what only Python programs get.
    """
    if program.language not in LANGUAGES:
        raise InputError(f"language is {program.language!r}; expected one of {', '.join(LANGUAGES)}")
    if program.language == "python":
        return
    for asked, what in ((program.arguments, "arguments"), (program.channel, "a private channel")):
        if asked:
            raise InputError(
                f"a {program.language} program wants {what}, which the remote sandbox has for Python alone; read "
                "standard input and write standard output instead"
            )
    try:
        program.stdin.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"standard input of a {program.language} program is no UTF-8, and the remote sandbox can send nothing "
            f"else: {error}"
        ) from error


def request_of(program: Program, limits: Limits) -> Request:
    """The request that runs a program."""
    if program.language == "python":
        return _python(program, limits)
    body = {
        "code": program.source,
        "language": LANGUAGES[program.language],
        "stdin": program.stdin.decode("utf-8"),
        "run_timeout": wall_limit(limits),
        "compile_timeout": _COMPILE_SECONDS,
        "memory_limit_MB": max(1, limits.memory_bytes >> 20),
        "files": _encoded(program.files),
        "fetch_files": list(program.collect),
    }
    return Request(body, wall_limit(limits) + _COMPILE_SECONDS)


def _python(program: Program, limits: Limits) -> Request:
    token, name = os.urandom(16).hex(), os.urandom(8).hex()
    report = f".report-{name}"
    caps = [limits.stdout_bytes, limits.stderr_bytes, limits.result_bytes, limits.scratch_bytes]
    job = {
        "source": _base64(program.source.encode("utf-8", "surrogatepass")),
        "stdin": _base64(program.stdin),
        "arguments": list(program.arguments),
        "channel": program.channel,
        "collect": list(program.collect),
        "cpu": limits.cpu_seconds,
        "wall": wall_limit(limits),
        "memory": limits.memory_bytes,
        "open_files": limits.open_files,
        "stack": limits.stack_bytes,
        "caps": caps,
        "taken": "program.py" in program.files,
    }
    text = json.dumps(job)
    seconds = wall_limit(limits) + GRACE_SECONDS
    body = {
        "code": _harness() + _PRELOADS[wanted(program.source, program.profile)],
        "language": "python",
        "stdin": f"{len(text)}\n{text}{json.dumps({'token': token, 'report': report})}",
        "run_timeout": seconds,
        "memory_limit_MB": (limits.memory_bytes + sum(caps[:3]) + _OVERHEAD_BYTES) >> 20,
        "files": _encoded(program.files),
        "fetch_files": [report],
    }
    return Request(body, seconds, token, report, f".stdin-{name}")


@cache
def _harness() -> str:
    """The text of the two modules as one program, without the imports that join them here."""
    texts = [Path(__file__).with_name(f"{name}.py").read_text("utf-8") for name in ("traffic", "inside")]
    lines = [line for text in texts for line in text.splitlines() if not line.startswith(("from .", "from __future__"))]
    return "\n".join(["from __future__ import annotations", *lines, "run()", ""])


def execution_of(reply: Reply, request: Request, limits: Limits) -> Execution:
    """What a program did, by the service's reply.

    Raises:
        Broken: The service failed, or the reply is none of SandboxFusion's.
    """
    if reply.status == "SandboxError":
        raise Broken(f"SandboxError: {reply.message[:300] or 'it does not say why'}")
    if request.token:
        return read_report(reply, request.token, request.report, limits)
    return _plain(reply, limits)


def _plain(reply: Reply, limits: Limits) -> Execution:
    """The outcome of a program that nothing of ours watched over."""
    compiled, ran = reply.compiled, reply.ran
    if any(command is not None and not command.late and command.code is None for command in (compiled, ran)):
        raise Broken("the result of a command has no return code, so nothing says how it ended")
    if compiled is not None and (compiled.late or compiled.code != 0):
        reason = "compiling it took too long" if compiled.late else "it does not compile"
        return Execution(
            Status.COMPILE_ERROR, compiled.code, stdout=compiled.stdout, stderr=compiled.stderr, reason=reason
        )
    if ran is None:
        raise Broken("the reply holds no result of a run")
    cut = len(ran.stdout) > limits.stdout_bytes or len(ran.stderr) > limits.stderr_bytes
    cut = cut or _SERVICE_CUT in (len(ran.stdout), len(ran.stderr))
    ended = Execution(
        exit_code=ran.code if ran.code is not None and ran.code >= 0 else None,
        signal=-ran.code if ran.code is not None and ran.code < 0 else None,
        stdout=ran.stdout[: limits.stdout_bytes],
        stderr=ran.stderr[: limits.stderr_bytes],
        truncated=cut,
        wall_seconds=ran.seconds,
        files=reply.files,
    )
    return judged(ended, limits, killed="wall" if ran.late else "output" if cut else "")


def _encoded(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: _base64(content) for name, content in files.items()}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
