"""NeMo-Gym: a resources server whose ``/verify`` judges; ``assay serve`` answers the same body without NeMo-Gym.

The server's ``app.py``::

    from assay.integrations.nemo_gym import AssayResourcesServer

    if __name__ == "__main__":
        AssayResourcesServer.run_webserver()

and in its configuration, beside ``entrypoint: app.py``: ``judge: math/gsm8k-v1``, and where wanted ``options``,
``reference`` (the task field with the reference) and ``on_failure``.

Read at nemo-gym 0.4.0 (``base_resources_server.py``, ``server_utils.py``): the reply repeats the request and adds
``reward``; the completion is the text of the assistant's messages.

**Failures of the judge.** A reward must be a number. ``on_failure`` "raise" answers HTTP 503 with the reason, at which
NeMo-Gym's client fails the rollout; a number is the other choice, and the field ``judge_failed`` tells such rows.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import ColumnError, MissingExtra, VerifierFailed
from .completed import text_of
from .judging import Judge, judge_of, measures


def verified(judge: Judge, body: Mapping[str, Any], reference: str) -> dict[str, Any]:
    """The reply to one request: the request, with ``reward``, ``verdict``, ``reason`` and what is measured.

    Raises:
        ColumnError: The task has no field called ``reference``.
        VerifierFailed: The judge failed, and there is no number for that.
    """
    if reference not in body:
        own = ("responses_create_params", "response")
        fields = ", ".join(sorted(name for name in body if name not in own))
        raise ColumnError(f"the task has no field {reference!r}; it has {fields or 'none'}")
    [result] = judge.judge([text_of(body["response"])], [body[reference]], [body])
    told = {"verdict": str(result.verdict), "reason": result.reason, "extracted_answer": result.answer}
    return {**body, "reward": judge.reward(result), **told, **measures(result)}


def _open(name: str, base: Any) -> Any:
    """A model that keeps fields which its base does not know."""
    return type(base)(name, (base,), {"model_config": {"extra": "allow"}, "__module__": __name__})


def _settings(base: Any) -> Any:
    """The server's configuration."""
    return importlib.import_module("pydantic").create_model(
        "AssayServerConfig",
        __base__=base,
        judge=(str, ...),
        options=(dict[str, Any], {}),
        reference=(str, "expected_answer"),
        on_failure=(str | float, "raise"),
    )


@cache
def _server() -> Any:
    """The class; its bases are NeMo-Gym's."""
    try:
        base = importlib.import_module("nemo_gym.base_resources_server")
        fastapi = importlib.import_module("fastapi")
        pydantic = importlib.import_module("pydantic")
    except ImportError as error:
        raise MissingExtra("nemo-gym") from error
    settings = _settings(base.BaseResourcesServerConfig)
    request = _open("AssayVerifyRequest", base.BaseVerifyRequest)
    reply = _open("AssayVerifyResponse", base.BaseVerifyResponse)

    async def judge_one(self: Any, body: Any) -> Any:
        """Judge one rollout; in a thread, so that others can come meanwhile."""
        judge = judge_of(self.config.judge, self.config.options, self.config.on_failure)
        try:
            told = await asyncio.to_thread(verified, judge, body.model_dump(), self.config.reference)
        except ColumnError as error:
            raise fastapi.HTTPException(422, str(error)) from error
        except VerifierFailed as error:
            raise fastapi.HTTPException(503, str(error)) from error
        return reply(**told)

    judge_one.__annotations__ = {"body": request, "return": reply}  # FastAPI reads them
    configured: Any = pydantic.create_model("Configured", __base__=base.SimpleResourcesServer, config=(settings, ...))

    class AssayResourcesServer(configured):  # type: ignore[misc]
        """Judges rollouts by the judge that its configuration names."""

        verify = judge_one

    return AssayResourcesServer


def __getattr__(name: str) -> Any:
    """``AssayResourcesServer``, made when asked for."""
    if name == "AssayResourcesServer":
        return _server()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
