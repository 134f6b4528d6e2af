"""What load balancers and Prometheus ask, and the ping by which clients find SandboxFusion."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, Field

from ... import __version__
from .gate import Phase
from .judges import Bench
from .metrics import Metrics
from .replies import JSONReply


class Health(BaseModel):
    """The process answers."""

    status: str
    version: str


class Readiness(BaseModel):
    """Whether to send requests here."""

    status: str = Field(description="ready, starting, draining, or stuck.")


class PlainText(Response):
    """Metrics."""

    media_type = CONTENT_TYPE_LATEST


def routes(bench: Bench, metrics: Metrics, phase: Phase, threads: int) -> APIRouter:
    """The paths ``/health``, ``/ready``, ``/metrics`` and ``/v1/ping``."""
    router = APIRouter(tags=["operation"])

    @router.get("/health", response_model=Health)
    async def health() -> JSONReply:
        """Whether the process answers at all."""
        return JSONReply({"status": "ok", "version": __version__})

    @router.get("/ready", response_model=Readiness, responses={503: {"model": Readiness}})
    async def ready() -> JSONReply:
        """Whether to send requests here: not before everything is open, not while it drains, not when all hangs."""
        stuck = bench.overdue >= threads
        status = "draining" if phase.draining else "starting" if not phase.ready else "stuck" if stuck else "ready"
        return JSONReply({"status": status}, status_code=200 if status == "ready" else 503)

    @router.get("/metrics", response_class=PlainText)
    async def measured() -> PlainText:
        """Counters, for Prometheus."""
        return PlainText(metrics.text())

    @router.get("/v1/ping", response_model=str)
    async def ping() -> JSONReply:
        """SandboxFusion's sign of life."""
        return JSONReply("pong")

    return router
