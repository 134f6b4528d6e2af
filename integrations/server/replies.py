"""What every answer of the server is made of: JSON that always encodes, and one shape for errors."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as AnyHTTPException

_MOST_FAULTS = 5
_MOST_FIELDS = 1000  # of a body: each that is unknown costs an error of its own
_MOST_VALUES = 1_000_000  # of a body, commas and brackets counted: a value takes up to eighty bytes of memory for two
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class Problem(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="One sentence for a person.")


class JSONReply(Response):
    """JSON in ASCII, so that lone surrogates, which policies write, cannot break an answer."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


class StrictRequest(Request):
    """A request whose body is strict JSON: NaN, infinities, deep nesting, very many fields or values are refused."""

    async def json(self) -> Any:
        """The body.

        Raises:
            HTTPException: It is no JSON.
        """
        body = await self.body()
        if _has_too_many(body):
            raise HTTPException(413, f"the body has more than {_MOST_VALUES} values; send smaller batches")
        try:
            found = json.loads(body, parse_constant=_refuse, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            reason = "it nests too deep" if isinstance(error, RecursionError) else str(error)
            raise HTTPException(400, f"the body is not JSON: {reason}") from error
        if isinstance(found, dict) and len(found) > _MOST_FIELDS:
            raise HTTPException(400, f"the body has {len(found)} fields; expected at most {_MOST_FIELDS}")
        return found


def _has_too_many(body: bytes) -> bool:
    """Whether a body holds more values than may be parsed: looked at before, since nothing else runs meanwhile."""
    if _marks(body) <= _MOST_VALUES:
        return False
    structure, texts = _TEXT.subn(b"", body, _MOST_VALUES)
    return texts == _MOST_VALUES or _marks(structure) > _MOST_VALUES


def _marks(structure: bytes) -> int:
    return sum(map(structure.count, (b",", b"[", b"{")))


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:50]} is no number that can be told from infinity")
    return number


class StrictRoute(APIRoute):
    """A route whose body is read as ``StrictRequest`` reads it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, given such a request."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


async def http_problem(request: Request, error: Exception) -> JSONReply:
    """What Starlette and the routes refuse."""
    assert isinstance(error, AnyHTTPException)
    return JSONReply({"error": str(error.detail)}, status_code=error.status_code, headers=error.headers)


async def invalid(request: Request, error: Exception) -> JSONReply:
    """A body or query that is not what the schema says: where, and what was expected."""
    assert isinstance(error, RequestValidationError)
    faults = [_fault(fault) for fault in error.errors()[:_MOST_FAULTS]]
    more = len(error.errors()) - len(faults)
    text = "; ".join(faults) + (f"; and {more} more" if more else "")
    kind = request.headers.get("content-type", "")
    if "json" not in kind.lower():
        text += f"; its Content-Type is {kind[:100]!r}, and only the body of application/json is read as JSON"
    return JSONReply({"error": f"the request is not as described in /openapi.json: {text}"}, status_code=422)


def _fault(fault: Any) -> str:
    where = ".".join(str(part)[:100] for part in fault["loc"])
    return f"{where}: {str(fault['msg'])[:300]}"


async def failed(request: Request, error: Exception) -> JSONReply:
    """A failure of ours that nothing else caught; Starlette logs it."""
    return JSONReply({"error": f"the server failed: {type(error).__name__}"}, status_code=500)
