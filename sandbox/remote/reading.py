"""What comes back from the service. It may be any service, and behind it is a hostile program: nothing is believed."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import math
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..admission import wall_limit
from ..base import Execution, Limits, Status
from ..complaints import limit_named


class Broken(Exception):
    """The service failed, or its reply is none of SandboxFusion's."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one command did, a compiler or a program.

    Attributes:
        late: Whether the service's time limit ended it.
        code: Its exit code, negative for a signal; None where there is none.
        stdout: Its output.
        stderr: Its error output.
        seconds: Real time.
    """

    late: bool
    code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float

    @classmethod
    def of(cls, value: Any) -> Ran | None:
        """One ``CommandRunResult``."""
        if value is None:
            return None
        if not isinstance(value, dict) or value.get("status") not in ("Finished", "Error", "TimeLimitExceeded"):
            raise Broken(f"the result of a command is {str(value)[:200]}")
        code, seconds = value.get("return_code"), 0.0
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            seconds = float(value.get("execution_time") or 0)
        return cls(
            value["status"] == "TimeLimitExceeded",
            code if type(code) is int else None,
            _output(value, "stdout"),
            _output(value, "stderr"),
            seconds if 0 <= seconds < math.inf else 0.0,
        )


def _output(value: dict[str, Any], name: str) -> bytes:
    text = value.get(name)
    if text is not None and not isinstance(text, str):
        raise Broken(f"{name} of a command is {str(text)[:200]}; expected a text")
    return (text or "").encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Reply:
    """A ``RunCodeResponse``.

    Attributes:
        status: "Success", "Failed" or "SandboxError".
        message: Why.
        compiled: What the compiler did.
        ran: What the program did.
        files: Those that were fetched.
    """

    status: str
    message: str
    compiled: Ran | None
    ran: Ran | None
    files: Mapping[str, bytes]

    @classmethod
    def of_run(cls, ran: Ran) -> Reply:
        """The reply of a service that ran one command and fetched nothing."""
        return cls("Failed" if ran.late or ran.code else "Success", "", None, ran, {})

    @classmethod
    def of(cls, value: Any) -> Reply:
        """The reply that a JSON value is.

        Raises:
            Broken: It is none.
        """
        if not isinstance(value, dict) or value.get("status") not in ("Success", "Failed", "SandboxError"):
            raise Broken(f"the reply is {str(value)[:200]}; expected one with a status of SandboxFusion's")
        files = value.get("files") or {}
        try:
            fetched = {str(name): base64.b64decode(content, validate=True) for name, content in files.items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise Broken(f"a file in the reply is not base64: {error}") from error
        ran, compiled = Ran.of(value.get("run_result")), Ran.of(value.get("compile_result"))
        return cls(value["status"], str(value.get("message") or ""), compiled, ran, fetched)


def read_report(reply: Reply, token: str, report: str, limits: Limits) -> Execution:
    """The outcome of a Python program, by what the process in front of it said (``inside.py``).

    Without its first word nothing ran, which is ours. After that word whatever is missing is the program's doing: it
    can end or confuse that process, and must not win the absence of a score by it.
    """
    ran = reply.ran
    if ran is None:
        raise Broken("the reply holds no result of a run")
    prefix = f"{token} ".encode()
    said = [line[len(prefix) :].rstrip(b"\r") for line in ran.stdout.split(b"\n") if line.startswith(prefix)]
    filed = reply.files.get(report, b"")
    if filed.startswith(prefix):
        said.append(filed[len(prefix) :])
    if not said or said[0] != b"ready":  # it may say why
        raise Broken(_not_started(ran, said))
    for words in reversed(said[1:]):
        found = _report(words)
        if found is not None:
            return judged(found[0], limits, killed=found[1])
    if ran.late:
        return Execution(Status.TIME_LIMIT, reason=f"it ran for more than {wall_limit(limits):g} s")
    ended = -ran.code if ran.code is not None and ran.code < 0 else 9
    return Execution(
        Status.SIGNALLED,
        signal=ended,
        reason="it ended the process that watched over it, or the service did for want of memory",
        stderr=ran.stderr[: limits.stderr_bytes],
    )


def _not_started(ran: Ran, said: list[bytes]) -> str:
    words = said[0] if said else ran.stderr.strip().rpartition(b"\n")[2]
    if not words:
        words = b"it took too long" if ran.late else b"exit code %d" % (ran.code or 0)
    return f"the service did not start the program: {words.decode('utf-8', 'replace')[:300]}"


def _report(words: bytes) -> tuple[Execution, str] | None:
    """A report, if it is one, and which limit ended the program."""
    try:
        found = json.loads(words)
        outputs = [(base64.b64decode(text, validate=True), bool(cut)) for text, cut in found["outputs"]]
        (stdout, cut_out), (stderr, cut_error), (result, cut_result) = outputs
        execution = Execution(
            exit_code=None if found["exit"] is None else int(found["exit"]),
            signal=None if found["signal"] is None else int(found["signal"]),
            stdout=stdout,
            stderr=stderr,
            result=result,
            truncated=cut_out or cut_error or cut_result,
            cpu_seconds=float(found["cpu"]),
            wall_seconds=float(found["wall"]),
            peak_memory_bytes=int(found["peak"]),
            files={str(name): base64.b64decode(text, validate=True) for name, text in found["files"].items()},
        )
        return execution, str(found["killed"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError, binascii.Error):
        return None


def judged(execution: Execution, limits: Limits, *, killed: str) -> Execution:
    """The execution with its status, by what ended it; only then by what the program says."""
    status, reason = _status(execution, limits, killed)
    over = status in (Status.TIME_LIMIT, Status.OUTPUT_LIMIT)
    kept = replace(execution, exit_code=None, signal=None) if over else execution
    return replace(kept, status=status, reason=reason)


def _status(execution: Execution, limits: Limits, killed: str) -> tuple[Status, str]:
    words = execution.stderr[-8192:]
    if killed == "output" or execution.truncated:
        return Status.OUTPUT_LIMIT, "it wrote more than its limits of output allow"
    if execution.signal == signal.SIGXCPU or execution.cpu_seconds > limits.cpu_seconds:
        return Status.TIME_LIMIT, f"it used more than {limits.cpu_seconds:g} s of CPU time"
    if killed == "wall":
        return Status.TIME_LIMIT, f"it ran for more than {wall_limit(limits):g} s"
    if execution.signal == signal.SIGXFSZ:
        return Status.DISK_LIMIT, f"it wrote a file of more than {limits.scratch_bytes >> 20} MiB"
    if execution.exit_code == 0:
        return Status.OK, ""
    named = limit_named(words)
    if named is not None:
        return named, {
            Status.MEMORY_LIMIT: f"it asked for more than {limits.memory_bytes >> 20} MiB of memory",
            Status.PROCESS_LIMIT: "it wanted more processes and threads than there are",
            Status.DISK_LIMIT: "it filled its disk",
        }[named]
    if execution.signal is not None:
        return Status.SIGNALLED, f"signal {execution.signal} ended it"
    return Status.NONZERO_EXIT, f"exit code {execution.exit_code}"
