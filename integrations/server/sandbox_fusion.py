"""SandboxFusion's ``/run_code`` from a sandbox of ours, as a drop-in for its clients.

Request, reply and status words are those of SandboxFusion (bytedance/SandboxFusion, ``sandbox/server/sandbox_api.py``):
``status`` is "Success", "Failed" or "SandboxError", and a result's status "Finished", "Error" or "TimeLimitExceeded".
Other than there, programs are isolated from the machine and from one another, see ``docs/guide/sandbox.md``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ...errors import AssayError, InputError
from ...sandbox.base import Execution, Limits, Program, Sandbox, Status
from ...sandbox.local.machine import usable_cores
from .metrics import Metrics
from .replies import JSONReply, StrictRoute
from .settings import ServerSettings
from .texts import Files, Text, Texts

#: SandboxFusion's names of the languages that the sandbox runs; "c" is an addition.
LANGUAGES = {"python": "python", "cpp": "c++", "nodejs": "javascript", "java": "java", "c": "c"}
_SIGKILL = 9
_COLLECTED_BYTES = 64 << 20


class RunCodeRequest(BaseModel):
    """A program to run."""

    model_config = ConfigDict(extra="ignore")

    code: Text = Field(description="Its source.")
    language: Text = Field(description=f"One of {', '.join(LANGUAGES)}.")
    stdin: Text | None = Field(None, description="Its standard input.")
    run_timeout: Annotated[float, Field(ge=0.1, allow_inf_nan=False)] = Field(10.0, description="Seconds it may run.")
    compile_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        10.0, description="Accepted for its clients' sake; compilers have a limit of their own here."
    )
    memory_limit_MB: int = Field(-1, description="Memory; not positive means as much as the server allows.")  # noqa: N815
    files: Files = Field({}, description="Files for its folder, base64 by relative name.")
    fetch_files: Texts = Field([], description="Files to bring back, by relative name.")


class CommandRunResult(BaseModel):
    """What one command did."""

    status: str = Field(description="Finished, Error or TimeLimitExceeded.")
    execution_time: float | None
    return_code: int | None = Field(description="Minus the signal where one ended it; null at the time limit.")
    stdout: str | None
    stderr: str | None


class RunCodeReply(BaseModel):
    """What the program did."""

    status: str = Field(description="Success, Failed, or SandboxError where the sandbox, not the program, failed.")
    message: str = Field(description="Why, where it is not Success.")
    compile_result: CommandRunResult | None
    run_result: CommandRunResult | None
    executor_pod_name: str | None
    files: dict[str, str] = Field(description="Those fetched, base64.")


def routes(sandbox: Sandbox, metrics: Metrics, settings: ServerSettings) -> APIRouter:
    """The path ``/run_code``."""
    router = APIRouter(tags=["SandboxFusion"], route_class=StrictRoute)

    @router.post("/run_code", response_model=RunCodeReply)
    async def run_code(body: RunCodeRequest, request: Request) -> JSONReply:
        """Run one program, isolated. It is ended where the client goes away."""
        program, limits = _program(body), _limits(body, settings)
        deadline = settings.request_seconds + body.run_timeout  # it may have to wait for its turn
        try:
            [execution] = await _while_wanted(sandbox.arun([program], limits, deadline_seconds=deadline), request)
        except InputError as error:
            raise HTTPException(422, str(error)) from error
        except AssayError as error:  # no compiler, or the sandbox cannot work: ours, and told as such
            execution = Execution(reason=str(error))
        metrics.runs.labels(execution.status.name.lower()).inc()
        return JSONReply(_reply(execution, compiled=body.language in ("cpp", "java", "c")))

    return router


async def _while_wanted(work: Coroutine[Any, Any, list[Execution]], request: Request) -> list[Execution]:
    """The executions; the programs are ended when the client closes the connection, for nobody waits for them."""
    running = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())  # the body was read: what comes is the end of the connection
    try:
        await asyncio.wait({running, gone}, return_when=asyncio.FIRST_COMPLETED)
        return running.result() if running.done() else [Execution(reason="the client went away")]
    finally:
        running.cancel()
        gone.cancel()


def _program(body: RunCodeRequest) -> Program:
    if body.language not in LANGUAGES:
        raise HTTPException(422, f"language is {body.language[:50]!r}; this server runs {', '.join(LANGUAGES)}")
    files = {}
    for name, content in body.files.items():
        if content is not None:
            try:
                files[name] = base64.b64decode(content, validate=True)
            except (ValueError, binascii.Error) as error:
                raise HTTPException(422, f"file {name[:100]!r} is not base64: {error}") from error
    return Program(
        body.code,
        stdin=(body.stdin or "").encode("utf-8", "surrogatepass"),
        language=LANGUAGES[body.language],
        files=files,
        collect=tuple(dict.fromkeys(body.fetch_files)),
    )


def _limits(body: RunCodeRequest, settings: ServerSettings) -> Limits:
    if body.run_timeout > settings.run_seconds:
        raise HTTPException(
            422, f"run_timeout is {body.run_timeout:g}; this server lets programs run for {settings.run_seconds:g} s"
        )
    memory = body.memory_limit_MB << 20 if 0 < body.memory_limit_MB < 1 << 30 else settings.run_memory_bytes
    if memory > settings.run_memory_bytes:
        raise HTTPException(
            422,
            f"memory_limit_MB is {body.memory_limit_MB}; this server allows {settings.run_memory_bytes >> 20}",
        )
    return Limits(
        cpu_seconds=body.run_timeout * usable_cores(),  # its clients think in real time
        wall_seconds=body.run_timeout,
        memory_bytes=memory,
        scratch_bytes=_COLLECTED_BYTES,
    )


def _reply(execution: Execution, *, compiled: bool) -> dict[str, Any]:
    """An execution in SandboxFusion's words."""
    result = _result(execution)
    status = "Success" if execution.status is Status.OK else "Failed"
    compile_result: dict[str, Any] | None = None
    if execution.status is Status.SANDBOX_ERROR:
        status, result = "SandboxError", {**result, "status": "Error"}
    if execution.status is Status.COMPILE_ERROR:
        return _whole("Failed", execution, {**result, "return_code": execution.exit_code or 1}, None)
    if compiled and execution.status is not Status.SANDBOX_ERROR:
        compile_result = {"status": "Finished", "execution_time": 0.0, "return_code": 0, "stdout": "", "stderr": ""}
    return _whole(status, execution, compile_result, result)


def _whole(
    status: str, execution: Execution, compile_result: dict[str, Any] | None, run_result: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "status": status,
        "message": "" if execution.status is Status.OK else execution.reason,
        "compile_result": compile_result,
        "run_result": run_result,
        "executor_pod_name": None,
        "files": {name: base64.b64encode(content).decode("ascii") for name, content in execution.files.items()},
    }


def _result(execution: Execution) -> dict[str, Any]:
    late = execution.status is Status.TIME_LIMIT
    code = execution.exit_code
    if code is None and not late and execution.status is not Status.SANDBOX_ERROR:
        code = -(execution.signal or _SIGKILL)
    if code == 0 and execution.status is not Status.OK:  # it ended well, but over a limit
        code = -_SIGKILL
    return {
        "status": "TimeLimitExceeded" if late else "Finished",
        "execution_time": execution.wall_seconds,
        "return_code": None if late else code,
        "stdout": execution.stdout.decode("utf-8", "replace"),
        "stderr": execution.stderr.decode("utf-8", "replace"),
    }
