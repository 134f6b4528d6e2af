"""Reward servers in processes of their own, and the application without one."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from assay.integrations.server import ServerSettings, create_app, read_judges

os.environ["NO_PROXY"] = "127.0.0.1,localhost"
sys.path.insert(0, str(Path(__file__).parent))
from reward_server import JUDGES, TOKEN, Served, served

Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with verifiers and settings; it ends with the test."""
    with ExitStack() as stack:
        yield lambda *verifiers, **settings: stack.enter_context(served(*verifiers, **settings))


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """A server with the math judge, the slow judges, a token and a sandbox."""
    verifiers = ("math", f"nap={JUDGES}:nap", f"broken={JUDGES}:broken")
    with served(*verifiers, sandbox=True, token=TOKEN, body_bytes=1 << 20, request_seconds=20) as started:
        yield started


@pytest.fixture(scope="session")
def authorized() -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKEN}"}


class Application:
    """The application, asked without a network."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app

    def ask(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                method = "GET" if body is None and "content" not in options else "POST"
                return await client.request(method, path, json=body, **options)

        return asyncio.run(ask())


@pytest.fixture
def application() -> Iterator[Callable[..., Application]]:
    """Make an application from verifiers and settings."""
    made: list[FastAPI] = []

    def make(*verifiers: str, environments: tuple[str, ...] = (), sandbox: Any = None, **settings: Any) -> Application:
        judges = read_judges(environments, verifiers or ("math",))
        made.append(create_app(judges, ServerSettings(**settings), sandbox=sandbox))
        return Application(made[-1])

    yield make
    for app in made:
        app.state.bench.close()
