"""The application: every route behind one gate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from ... import __version__
from ...errors import InputError
from ...sandbox.base import Sandbox
from . import nemo_gym, openrlhf, sandbox_fusion, verify, watch
from .gate import Gate, Phase
from .judges import Bench, Judge, LacksColumn, UnknownJudge
from .metrics import Metrics
from .replies import JSONReply, Problem, failed, http_problem, invalid
from .settings import ServerSettings

_REFUSALS = {
    400: "The body is no JSON, or ended early.",
    401: "The token is missing or wrong.",
    404: "The request names a judge that this server does not have.",
    408: "The body took too long to arrive.",
    413: "The body or the batch is too large.",
    421: "The `Host` is not this machine, where no token is asked for.",
    422: "The request is not as described.",
    503: "Too many requests are under way; `Retry-After` says when to come again.",
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text} for status, text in _REFUSALS.items()
}
_DESCRIPTION = """Judges what language models wrote. A failure of the judge is a null score with a reason, never 0.

What this server judges with was fixed when it started. `/verify` takes batches in assay's own form, and NeMo-Gym's
rollouts; `/openrlhf/reward` and `/run_code` speak as OpenRLHF and SandboxFusion do."""


def create_app(
    judges: Mapping[str, Judge], settings: ServerSettings | None = None, *, sandbox: Sandbox | None = None
) -> FastAPI:
    """The reward server as an ASGI application; ``serve`` runs it with what only the server itself can bound.

    Args:
        judges: What it judges with, see ``read_judges``.
        settings: What it allows.
        sandbox: Where ``/run_code`` runs programs, closed when the server stops; None leaves that path out.

    Raises:
        InputError: There is neither a judge nor a sandbox.
    """
    settings = settings or ServerSettings()
    if not judges and sandbox is None:
        raise InputError("there is nothing to serve: name an environment (--env), a verifier (--verifier) or a sandbox")
    phase, metrics = Phase(), Metrics()
    bench = Bench(judges, threads=settings.threads, seconds=settings.request_seconds)
    app = FastAPI(
        title="assay",
        version=__version__,
        description=_DESCRIPTION,
        redoc_url=None,
        redirect_slashes=False,  # it would lead to the `Host` of the request, and behind a proxy away from TLS
        lifespan=_lifespan(phase, bench, sandbox),
    )
    app.state.phase, app.state.bench = phase, bench
    for router in _judging(bench, metrics, settings, sandbox):
        app.include_router(router, responses=_RESPONSES, dependencies=_guards(settings))
    app.include_router(watch.routes(bench, metrics, phase, settings.threads))
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)
    paths = frozenset(app.openapi()["paths"])
    app.add_middleware(Gate, settings=settings, metrics=metrics, phase=phase, paths=paths)
    return app


def _judging(bench: Bench, metrics: Metrics, settings: ServerSettings, sandbox: Sandbox | None) -> list[APIRouter]:
    """The routes that judge or run something."""
    routers = [verify.routes(bench, metrics, settings), openrlhf.routes(bench, metrics, settings)]
    routers.append(nemo_gym.routes(bench, metrics))
    if sandbox is not None:
        routers.append(sandbox_fusion.routes(sandbox, metrics, settings))
    return routers


def _guards(settings: ServerSettings) -> list[Any]:
    """Says in the description that a token is wanted; the gate asks for it."""
    return [] if settings.token is None else [Security(HTTPBearer(auto_error=False))]


async def _unknown_judge(request: Request, error: Exception) -> JSONReply:
    return JSONReply({"error": str(error)}, status_code=404)


async def _lacks_column(request: Request, error: Exception) -> JSONReply:
    return JSONReply({"error": str(error)}, status_code=422)


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Coroutine[Any, Any, Response]]] = {
    HTTPException: http_problem,
    RequestValidationError: invalid,
    UnknownJudge: _unknown_judge,
    LacksColumn: _lacks_column,
    Exception: failed,
}


def _lifespan(phase: Phase, bench: Bench, sandbox: Sandbox | None) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        phase.ready = True
        try:
            yield
        finally:
            phase.ready = False
            bench.close()
            if sandbox is not None:
                sandbox.close()

    return lifespan
